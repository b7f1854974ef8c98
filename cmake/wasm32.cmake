# WebAssembly by Debian's clang and wasi-libc, for FORAY_CORE: cmake --preset wasm32.
# FORAY_WASM_FLAGS: -msimd128, or nothing for engines without vectors.
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR wasm32)
set(CMAKE_C_COMPILER clang)
set(CMAKE_C_COMPILER_TARGET wasm32-wasi)
set(CMAKE_AR llvm-ar)
set(CMAKE_RANLIB llvm-ranlib)
set(FORAY_WASM_FLAGS -msimd128 CACHE STRING "Options of the compiler for WebAssembly")
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES FORAY_WASM_FLAGS)
set(CMAKE_C_FLAGS_INIT "${FORAY_WASM_FLAGS}")
# Planning for many rewards keeps 120 kB on the stack; what lies beyond it is not protected.
set(CMAKE_EXE_LINKER_FLAGS_INIT "-Wl,-z,stack-size=1048576 -Wl,--stack-first")
