# SPDX-License-Identifier: Apache-2.0
# What `cmake --install <build> --component dycl` leaves behind: the C and C++ interface with its CMake
# package, the plugins, and the programs. The wheel installs another component (bindings/).
include(CMakePackageConfigHelpers)
set(DYCL_INSTALL_CMAKE lib/cmake/dycl)

add_library(dycl::dycl ALIAS dycl)
install(TARGETS dycl EXPORT dyclTargets
  LIBRARY DESTINATION lib COMPONENT dycl NAMELINK_COMPONENT dycl)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/dycl DESTINATION include COMPONENT dycl
  FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp")

# Plugins lie where default_plugin_folders() looks from bin/ and from lib/. The skeleton is an example.
foreach(backend ${DYCL_BACKENDS})
  if(TARGET dycl_backend_${backend} AND NOT backend STREQUAL "skeleton")
    install(TARGETS dycl_backend_${backend} LIBRARY DESTINATION lib/dycl COMPONENT dycl)
  endif()
endforeach()
if(TARGET dycl-probe)
  install(TARGETS dycl-probe RUNTIME DESTINATION bin COMPONENT dycl)
endif()

install(EXPORT dyclTargets NAMESPACE dycl:: DESTINATION ${DYCL_INSTALL_CMAKE} COMPONENT dycl)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/dyclConfig.cmake.in
  ${PROJECT_BINARY_DIR}/dyclConfig.cmake INSTALL_DESTINATION ${DYCL_INSTALL_CMAKE})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/dyclConfigVersion.cmake
  VERSION ${PROJECT_VERSION} COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/dyclConfig.cmake ${PROJECT_BINARY_DIR}/dyclConfigVersion.cmake
  DESTINATION ${DYCL_INSTALL_CMAKE} COMPONENT dycl)
