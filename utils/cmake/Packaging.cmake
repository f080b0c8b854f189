# `cpack` (or the target package) of the release preset: one relocatable .tar.xz.
install(DIRECTORY ${MEP_LLVM_DIR}/lib/clang/22/include DESTINATION lib/clang/22)
install(FILES README.md LICENSE DESTINATION share/doc/clang-mep-opt)
install(DIRECTORY prompts/ DESTINATION share/clang-mep-opt/prompts)
set(CPACK_GENERATOR TXZ)
set(CPACK_PACKAGE_NAME clang-mep-opt)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_FILE_NAME clang-mep-opt-${PROJECT_VERSION}-linux-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_INCLUDE_TOPLEVEL_DIRECTORY ON)
include(CPack)

# The worker exports its fiber switch; without these it would export, and so
# keep, all of the C++ library, parts of which need a newer C library than the
# oldest supported distribution has.
if(MEP_STATIC)
  # llvm-strip refuses a static program, so the linker strips.
  target_link_options(clang-mep-opt PRIVATE -s)
  target_link_options(mep-worker PRIVATE -s -Wl,--gc-sections
    -Wl,--exclude-libs=libstdc++.a:libgcc.a:libgcc_eh.a)
endif()
