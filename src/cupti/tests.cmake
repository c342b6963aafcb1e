# CUPTI's headers, where they are installed.
find_path(CUPTI_INCLUDE_DIR cupti.h PATHS /usr/local/cuda/include
          PATH_SUFFIXES extras/CUPTI/include)
if(CUPTI_INCLUDE_DIR AND EXISTS ${CUPTI_INCLUDE_DIR}/cupti_range_profiler.h)
  target_include_directories(cupti_tests SYSTEM PRIVATE ${CUPTI_INCLUDE_DIR}
                             /usr/local/cuda/include)
  target_compile_definitions(cupti_tests PRIVATE HAVE_CUPTI_HEADERS=1)
endif()
