# FORAY_PYTHON: both libraries in one shared object, for the Python package (pyproject.toml).
#
# A wheel holds files and no links, and what loads it is ctypes, which needs neither a soname with a
# version nor a linker: so it is a module, made from the same sources with the same flags.
add_library(foray_python MODULE ${FORAY_SOURCES} ${FORAY_LAB_SOURCES} ${FORAY_PAGE})
set_target_properties(foray_python PROPERTIES OUTPUT_NAME foray PREFIX lib)
target_include_directories(foray_python PRIVATE include src lab)
target_link_libraries(foray_python PRIVATE foray_flags m
    PkgConfig::SQLITE PkgConfig::ZLIB PkgConfig::LZMA)
target_compile_options(foray_python PRIVATE -fno-semantic-interposition)
target_link_options(foray_python PRIVATE
    -Wl,--version-script=${PROJECT_SOURCE_DIR}/cmake/python.map -Wl,-Bsymbolic-functions
    -Wl,-z,defs)
foreach(level ${FORAY_LEVELS})
  target_sources(foray_python PRIVATE $<TARGET_OBJECTS:foray_${level}>)
endforeach()
set_target_properties(libforay libforay-lab PROPERTIES EXCLUDE_FROM_ALL ON)
install(TARGETS foray_python LIBRARY DESTINATION foray COMPONENT python)
