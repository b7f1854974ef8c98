# OpenMP, if it is wanted and there.
#
#   FORAY_OPENMP_LINK      what libforay and libforay-lab link, as items of target_link_libraries
#   FORAY_OPENMP_RUNTIME   what others need on their link line for a static library, or nothing
#
# A static library needs the runtime of the compiler that built it, whichever compiler links it
# later. So what is installed names the runtime's file (-l:libgomp.so.1, -l:libomp.so.5), which
# every linker finds, and not a flag, by which each compiler means a runtime of its own.
set(FORAY_OPENMP_LINK "")
set(FORAY_OPENMP_RUNTIME "")
if(FORAY_OPENMP AND NOT FORAY_CORE)
  find_package(OpenMP COMPONENTS C)
endif()
if(NOT OpenMP_C_FOUND)
  message(STATUS "No OpenMP: everything runs in one thread")
  return()
endif()

list(GET OpenMP_C_LIB_NAMES 0 name)
set(file ${OpenMP_${name}_LIBRARY})
execute_process(COMMAND ${CMAKE_OBJDUMP} -p ${file} OUTPUT_VARIABLE headers ERROR_QUIET)
if(headers MATCHES "SONAME +([^ \n]+)")
  set(FORAY_OPENMP_RUNTIME "-l:${CMAKE_MATCH_1}")
else()
  set(FORAY_OPENMP_RUNTIME "-l${name}")
endif()
set(FORAY_OPENMP_LINK $<BUILD_INTERFACE:OpenMP::OpenMP_C>
                      $<INSTALL_INTERFACE:${FORAY_OPENMP_RUNTIME}>)
