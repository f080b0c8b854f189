# How the components are declared: mep_add_library for one without Clang,
# mep_add_clang_library for one of the Clang zone (precompiled Clang headers).

set(MEP_SHARE ${CMAKE_BINARY_DIR}/share/clang-mep-opt)

add_library(mepFlags INTERFACE)
target_compile_features(mepFlags INTERFACE cxx_std_20)
target_include_directories(mepFlags INTERFACE ${CMAKE_SOURCE_DIR}/include)
target_include_directories(mepFlags SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS} ${CLANG_INCLUDE_DIRS})
separate_arguments(MEP_LLVM_DEFINITIONS NATIVE_COMMAND "${LLVM_DEFINITIONS}")
target_compile_definitions(mepFlags INTERFACE ${MEP_LLVM_DEFINITIONS})
target_compile_options(mepFlags INTERFACE -Wall -Wextra -fno-rtti -fno-exceptions
  $<$<BOOL:${MEP_WERROR}>:-Werror>)
target_link_libraries(mepFlags INTERFACE nlohmann_json::nlohmann_json)

# PCH is made once and shared by the Clang zone; ccache needs it without a
# time stamp.
add_library(mepClangHeaders OBJECT ${CMAKE_SOURCE_DIR}/utils/cmake/ClangHeaders.cpp)
target_link_libraries(mepClangHeaders PUBLIC mepFlags)
target_precompile_headers(mepClangHeaders PRIVATE ${CMAKE_SOURCE_DIR}/utils/cmake/ClangHeaders.h)
if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
  target_compile_options(mepClangHeaders PUBLIC -fpch-instantiate-templates "SHELL:-Xclang -fno-pch-timestamp")
endif()

# LLVMSupport names the shared zstd and z3 libraries; a static tool takes zstd's
# archive, and no part of LLVM that we use calls z3.
if(MEP_STATIC)
  get_target_property(Libs LLVMSupport INTERFACE_LINK_LIBRARIES)
  list(FILTER Libs EXCLUDE REGEX "libz3")
  list(TRANSFORM Libs REPLACE "zstd::libzstd_shared" "zstd::libzstd_static")
  list(TRANSFORM Libs REPLACE "^ZLIB::ZLIB$" "z")
  set_target_properties(LLVMSupport PROPERTIES INTERFACE_LINK_LIBRARIES "${Libs}")
  # Clang's archives are declared to need the shared LLVM; give them these.
  add_library(mepStaticLlvm INTERFACE)
  llvm_map_components_to_libnames(Libs support core option object frontendopenmp
    targetparser bitreader bitwriter irreader mcparser profiledata asmparser windowsdriver)
  target_link_libraries(mepStaticLlvm INTERFACE ${Libs})
  foreach(Library ${CLANG_EXPORTED_TARGETS})
    set(Libs)
    if(TARGET ${Library})
      get_target_property(Libs ${Library} INTERFACE_LINK_LIBRARIES)
    endif()
    if(Libs)
      list(TRANSFORM Libs REPLACE "^LLVM$" mepStaticLlvm)
      set_target_properties(${Library} PROPERTIES INTERFACE_LINK_LIBRARIES "${Libs}")
    endif()
  endforeach()
  # Only the manifest tool of Windows linkers reads XML.
  set_target_properties(LLVMWindowsManifest PROPERTIES INTERFACE_LINK_LIBRARIES LLVMSupport)
  add_library(mepStaticClang INTERFACE)
  target_link_libraries(mepStaticClang INTERFACE clangTooling clangToolingCore
    clangToolingInclusions clangFrontend clangDriver clangSerialization clangParse clangSema
    clangAnalysis clangEdit clangAST clangASTMatchers clangRewrite clangLex clangBasic
    clangSupport clangFormat mepStaticLlvm)
  target_link_libraries(mepFlags INTERFACE mepStaticLlvm)
endif()

function(mep_add_library Name)
  cmake_parse_arguments(A "" "" "SOURCES;DEPENDS" ${ARGN})
  add_library(${Name} STATIC ${A_SOURCES})
  target_link_libraries(${Name} PUBLIC mepFlags ${A_DEPENDS})
endfunction()

function(mep_add_clang_library Name)
  mep_add_library(${Name} ${ARGN})
  if(MEP_STATIC)
    target_link_libraries(${Name} PUBLIC mepStaticClang)
  endif()
  target_precompile_headers(${Name} REUSE_FROM mepClangHeaders)
  if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
    target_compile_options(${Name} PRIVATE -fpch-instantiate-templates "SHELL:-Xclang -fno-pch-timestamp")
  endif()
endfunction()

# Links an executable against LLVM and Clang: the two shared libraries, or
# everything static, the C library too, so that any Linux of the machine runs it.
function(mep_link_clang Target)
  if(MEP_STATIC)
    target_link_libraries(${Target} PRIVATE mepStaticClang)
    target_link_options(${Target} PRIVATE -static -Wl,--gc-sections)
  else()
    target_link_libraries(${Target} PRIVATE clang-cpp LLVM)
  endif()
endfunction()

# Files that travel with the tool: mirrored into <build>/share/clang-mep-opt.
function(mep_add_resources Folder Source)
  file(MAKE_DIRECTORY ${MEP_SHARE})
  file(REMOVE_RECURSE ${MEP_SHARE}/${Folder})
  file(CREATE_LINK ${Source} ${MEP_SHARE}/${Folder} SYMBOLIC)
  install(DIRECTORY ${Source}/ DESTINATION share/clang-mep-opt/${Folder})
endfunction()

# Every public header compiles alone.
file(GLOB_RECURSE MEP_HEADERS CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/include/mep/*.h)
set(MEP_HEADER_SOURCES)
foreach(Header ${MEP_HEADERS})
  file(RELATIVE_PATH Name ${CMAKE_SOURCE_DIR}/include ${Header})
  string(REPLACE "/" "_" Stem ${Name})
  set(Source ${CMAKE_BINARY_DIR}/headers/${Stem}.cpp)
  file(CONFIGURE OUTPUT ${Source} CONTENT "#include \"${Name}\"\n" @ONLY)
  list(APPEND MEP_HEADER_SOURCES ${Source})
endforeach()
add_library(check-headers OBJECT EXCLUDE_FROM_ALL ${MEP_HEADER_SOURCES})
target_link_libraries(check-headers PRIVATE mepFlags)
