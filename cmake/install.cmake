# cmake --install: the command, the libraries, the headers, a pkg-config file each, a
# CMake package, the manual, the completions, and what programs need to be worlds.
#
# `cmake --build BUILD --target uninstall` removes the files that it wrote.
if(NOT FORAY_INSTALL)
  return()
endif()
include(CMakePackageConfigHelpers)

if(PROJECT_IS_TOP_LEVEL)
  add_custom_target(uninstall
      COMMAND ${CMAKE_COMMAND} -P ${PROJECT_SOURCE_DIR}/cmake/uninstall.cmake VERBATIM
      WORKING_DIRECTORY ${PROJECT_BINARY_DIR} COMMENT "Removing what was installed")
endif()
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
if(TARGET foray)
  install(TARGETS foray RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  if(BUILD_SHARED_LIBS)
    file(RELATIVE_PATH FORAY_LIB_FROM_BIN /prefix/${CMAKE_INSTALL_BINDIR} /prefix/${CMAKE_INSTALL_LIBDIR})
    set_target_properties(foray PROPERTIES INSTALL_RPATH "$ORIGIN/${FORAY_LIB_FROM_BIN}")
  endif()
endif()
foreach(library ${FORAY_LIBRARIES})
  install(TARGETS lib${library} EXPORT foray-targets
      ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
      LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endforeach()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/foray DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
if(NOT FORAY_CORE)
  install(FILES examples/outside/foray_world.py examples/outside/serve.c
      DESTINATION ${CMAKE_INSTALL_DATADIR}/foray)
  if(NOT CMAKE_CROSSCOMPILING)
    install(DIRECTORY ${PROJECT_BINARY_DIR}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR})
  endif()
  install(FILES completions/foray.bash RENAME foray
      DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  install(FILES completions/_foray DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
  install(FILES completions/foray.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
endif()

# Who links a static library needs the libraries it uses; a shared one names them itself.
if(BUILD_SHARED_LIBS)
  set(FORAY_STATIC OFF)
  if(TARGET libforay-lab)
    set_target_properties(libforay-lab PROPERTIES INSTALL_RPATH "$ORIGIN")
  endif()
else()
  set(FORAY_STATIC ON)
  set(FORAY_PC_LIBS " -lm")
  if(NOT FORAY_CORE)
    set(FORAY_PC_REQUIRES "sqlite3 zlib liblzma")
  endif()
endif()

# Relative to the file itself, so that the installed tree may be moved.
file(RELATIVE_PATH FORAY_PC_PREFIX /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
foreach(library ${FORAY_LIBRARIES})
  configure_file(cmake/${library}.pc.in ${library}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${library}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()

set(FORAY_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/foray)
configure_package_config_file(cmake/foray-config.cmake.in foray-config.cmake
    INSTALL_DESTINATION ${FORAY_CMAKE_DIR})
write_basic_package_version_file(foray-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/foray-config.cmake
              ${PROJECT_BINARY_DIR}/foray-config-version.cmake DESTINATION ${FORAY_CMAKE_DIR})
install(EXPORT foray-targets NAMESPACE foray:: DESTINATION ${FORAY_CMAKE_DIR})
