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

function(mep_add_library Name)
  cmake_parse_arguments(A "" "" "SOURCES;DEPENDS" ${ARGN})
  add_library(${Name} STATIC ${A_SOURCES})
  target_link_libraries(${Name} PUBLIC mepFlags ${A_DEPENDS})
endfunction()

function(mep_add_clang_library Name)
  mep_add_library(${Name} ${ARGN})
  target_precompile_headers(${Name} REUSE_FROM mepClangHeaders)
  if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
    target_compile_options(${Name} PRIVATE -fpch-instantiate-templates "SHELL:-Xclang -fno-pch-timestamp")
  endif()
endfunction()

# Links an executable against LLVM and Clang, either all static or all dylib.
function(mep_link_clang Target)
  if(MEP_STATIC)
    llvm_map_components_to_libnames(Libs support core option object frontendopenmp
      targetparser bitreader bitwriter irreader mcparser profiledata asmparser windowsdriver)
    target_link_libraries(${Target} PRIVATE clangTooling clangToolingCore
      clangToolingInclusions clangFrontend clangDriver clangSerialization clangParse clangSema
      clangAnalysis clangEdit clangAST clangASTMatchers clangRewrite clangLex clangBasic
      clangSupport clangFormat ${Libs})
    target_link_options(${Target} PRIVATE -static-libstdc++ -static-libgcc)
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
