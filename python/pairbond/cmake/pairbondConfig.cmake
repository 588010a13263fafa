# find_package(pairbond) for libraries of C and C++:
#
#     execute_process(COMMAND ${Python_EXECUTABLE} -m pairbond --cmake-dir
#                     OUTPUT_VARIABLE pairbond_ROOT OUTPUT_STRIP_TRAILING_WHITESPACE)
#     find_package(pairbond CONFIG REQUIRED)
#     pairbond_add_module(shapes shapes.cpp)
#
# `pairbond::headers` is the target to link with; `pairbond_add_module` makes a library that Python imports
# (shapes.abi3.so, for every version of Python) and that pairbond.load and Rust load.

if(NOT TARGET pairbond::headers)
  add_library(pairbond::headers INTERFACE IMPORTED)
  get_filename_component(pairbond_INCLUDE_DIR "${CMAKE_CURRENT_LIST_DIR}/../include" ABSOLUTE)
  set_target_properties(pairbond::headers PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${pairbond_INCLUDE_DIR}")
endif()

function(pairbond_add_module name)
  add_library(${name} MODULE ${ARGN})
  target_link_libraries(${name} PRIVATE pairbond::headers)
  set_target_properties(${name} PROPERTIES PREFIX "" C_VISIBILITY_PRESET hidden CXX_VISIBILITY_PRESET hidden
                                           CXX_STANDARD 17 CXX_STANDARD_REQUIRED ON C_STANDARD 11)
  if(WIN32)
    set_target_properties(${name} PROPERTIES SUFFIX ".pyd")
  else()
    set_target_properties(${name} PROPERTIES SUFFIX ".abi3.so")
  endif()
  if(APPLE)
    target_link_options(${name} PRIVATE -undefined dynamic_lookup)
  endif()
endfunction()
