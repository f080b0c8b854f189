/// \file
/// The words of a compile command that reach nvcc in the fidelity proof.

#include "../../../lib/Closure/NvccWords.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "gtest/gtest.h"

using namespace mep;

namespace {

std::string words(llvm::StringRef Line) {
  std::vector<std::string> Words;
  for (llvm::StringRef Word : llvm::split(Line, ' '))
    Words.push_back(Word.str());
  return llvm::join(nvccWords(Words), " ");
}

TEST(NvccWords, WhatDeviceCodeDependsOnStays) {
  llvm::StringRef Line =
      "-I include -DN=4 -D M=2 -isystem third --use_fast_math -fmad=false "
      "-ftz=true -maxrregcount=32 -maxrregcount 32 -G -rdc=true "
      "--expt-relaxed-constexpr -Xptxas -dlcm=cg -Xcompiler -Wall a.cu";
  EXPECT_EQ(words(Line), Line);
}

TEST(NvccWords, StandardsAreSpelledAsNvccKnowsThem) {
  EXPECT_EQ(words("-std=gnu++17"), "-std=c++17");
  EXPECT_EQ(words("--std=gnu++20"), "-std=c++20");
  EXPECT_EQ(words("-std c++14"), "-std=c++14");
  EXPECT_EQ(words("-std=c++1z"), "-std=c++17");
  EXPECT_EQ(words("-std=gnu++2a"), "-std=c++20");
}

TEST(NvccWords, FlagsOfTheHostCompilerAreLeftOut) {
  EXPECT_EQ(words("-fPIC -Wall -Wextra -Wno-unused -Werror -march=native "
                  "-mavx2 -O3 -Os -Ofast -g -ggdb3 -pipe -pedantic-errors "
                  "-stdlib=libc++ -fcolor-diagnostics -pthread a.cu"),
            "a.cu");
  EXPECT_EQ(words("-Werror cross-execution-space-call -Werror a.cu"), "a.cu");
  EXPECT_EQ(words("-fopenmp -fno-exceptions"),
            "-Xcompiler=-fopenmp -Xcompiler=-fno-exceptions");
}

TEST(NvccWords, OutputsAndArchitecturesAreLeftOut) {
  EXPECT_EQ(words("-c -o a.o -arch=sm_80 -gencode arch=compute_80,code=sm_80 "
                  "-MD -MF a.d -lm -Llib --threads 4 a.cu"),
            "a.cu");
}

TEST(NvccWords, ClangSpellings) {
  EXPECT_EQ(words("-x cuda --cuda-gpu-arch=sm_80 --offload-arch=sm_90 "
                  "--cuda-path=/opt/cuda -nocudalib -Xclang -fno-foo "
                  "-ffast-math -isystem/a -iquote b -idirafter c a.cpp"),
            "-x cu -isystem /a -I b -I c a.cpp");
}

TEST(NvccWords, AFlagWithoutItsValueEndsTheLine) {
  EXPECT_EQ(words("a.cu -o"), "a.cu");
  EXPECT_EQ(words("a.cu -std"), "a.cu -std=");
}

} // namespace
