# The page of the playground, as a C file that libforay-lab contains: the template and scripts of
# web/, and the core of the library for WebAssembly, built in a directory of its own. Where its
# compiler is missing the C file contains no page, and `foray play` says so.
option(FORAY_PLAY "Build the playground, where the compiler of WebAssembly is installed" ${PROJECT_IS_TOP_LEVEL})
set(FORAY_PAGE ${PROJECT_BINARY_DIR}/web/page.c)
add_executable(foray_pack ${PROJECT_SOURCE_DIR}/web/pack.c)
target_link_libraries(foray_pack PRIVATE PkgConfig::ZLIB)
set_target_properties(foray_pack PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/web)

# clang, its runtime for WebAssembly, the linker, the archiver, the C library, the optimiser.
set(FORAY_PLAY_MISSING "")
foreach(program clang wasm-ld llvm-ar wasm-opt)
  find_program(FORAY_FOUND_${program} ${program})
  mark_as_advanced(FORAY_FOUND_${program})
  if(NOT FORAY_FOUND_${program})
    list(APPEND FORAY_PLAY_MISSING ${program})
  endif()
endforeach()
if(FORAY_PLAY AND NOT FORAY_PLAY_MISSING)
  file(WRITE ${PROJECT_BINARY_DIR}/web/try.c "#include <math.h>\nint main(void) { return 0; }\n")
  execute_process(
      COMMAND clang --target=wasm32-wasi -O0 -o ${PROJECT_BINARY_DIR}/web/try.wasm
              ${PROJECT_BINARY_DIR}/web/try.c
      RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
  if(failed)
    list(APPEND FORAY_PLAY_MISSING "wasi-libc or clang's runtime")
  endif()
endif()

if(NOT FORAY_PLAY OR FORAY_PLAY_MISSING)
  if(FORAY_PLAY)
    message(STATUS "No playground: ${FORAY_PLAY_MISSING} missing (scripts/setup all installs them)")
  endif()
  add_custom_command(OUTPUT ${FORAY_PAGE} COMMAND foray_pack > ${FORAY_PAGE} DEPENDS foray_pack VERBATIM)
  return()
endif()

# A project of its own, because a project has one compiler for C.
file(GLOB_RECURSE FORAY_WASM_SOURCES CONFIGURE_DEPENDS src/*.c src/*.h include/*.h)
set(FORAY_WASM ${PROJECT_BINARY_DIR}/wasm)
add_custom_command(OUTPUT ${FORAY_WASM}/play.wasm
    COMMAND ${CMAKE_COMMAND} -S ${PROJECT_SOURCE_DIR} -B ${FORAY_WASM} -G ${CMAKE_GENERATOR}
            --toolchain ${PROJECT_SOURCE_DIR}/cmake/wasm32.cmake
            -DCMAKE_BUILD_TYPE=Release -DFORAY_CORE=ON "-DCMAKE_C_FLAGS_RELEASE=-O2 -DNDEBUG"
    COMMAND ${CMAKE_COMMAND} --build ${FORAY_WASM} --target play
    DEPENDS ${FORAY_WASM_SOURCES} web/play.c cmake/wasm32.cmake VERBATIM)
add_custom_command(OUTPUT ${PROJECT_BINARY_DIR}/web/play.wasm
    COMMAND wasm-opt -O3 --enable-simd --enable-bulk-memory --enable-sign-ext
            --enable-mutable-globals --enable-nontrapping-float-to-int
            ${FORAY_WASM}/play.wasm -o ${PROJECT_BINARY_DIR}/web/play.wasm
    DEPENDS ${FORAY_WASM}/play.wasm VERBATIM)
add_custom_target(playground DEPENDS ${PROJECT_BINARY_DIR}/web/play.wasm)
file(GLOB FORAY_WEB CONFIGURE_DEPENDS web/*.html web/*.css web/*.js)
add_custom_command(OUTPUT ${FORAY_PAGE}
    COMMAND foray_pack ${PROJECT_SOURCE_DIR}/web/play.html ${PROJECT_BINARY_DIR}/web/play.wasm
            > ${FORAY_PAGE}
    DEPENDS foray_pack ${FORAY_WEB} ${PROJECT_BINARY_DIR}/web/play.wasm VERBATIM)
