/// \file
/// Commands of nvcc, hipcc and Clang in the words of Clang's driver, and every
/// way a compile database can be wrong.

#include "mep/Frontend/UnitCommand.h"
#include "TemporaryFolder.h"
#include "mep/Support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "gtest/gtest.h"

using namespace mep;
using llvm::StringRef;

namespace {

class UnitCommandTest : public ::testing::Test {
protected:
  void SetUp() override { Folder.write("a.cu", ""); }

  CommandOptions options() {
    CommandOptions Options;
    Options.BuildPath = Folder.Root;
    Options.ToolkitPath = "none";
    return Options;
  }

  /// A database whose one command is \p Words for \p File.
  llvm::Expected<std::vector<UnitCommand>> load(StringRef Words,
                                                StringRef File = "a.cu") {
    std::string Escaped;
    for (char C : Words)
      Escaped +=
          (C == '"' || C == '\\') ? std::string("\\") + C : std::string(1, C);
    Folder.write("compile_commands.json",
                 "[{\"directory\":\"" + Folder.Root + "\",\"file\":\"" +
                     File.str() + "\",\"command\":\"" + Escaped + "\"}]");
    return loadCommands(options());
  }

  UnitCommand one(StringRef Words, StringRef File = "a.cu") {
    auto Commands = load(Words, File);
    if (!Commands) {
      ADD_FAILURE() << llvm::toString(Commands.takeError());
      return {};
    }
    EXPECT_EQ(Commands->size(), 1u);
    return Commands->front();
  }

  /// The arguments as one line, with blanks around each.
  std::string line(StringRef Words, StringRef File = "a.cu") {
    return " " + llvm::join(one(Words, File).Arguments, " ") + " ";
  }

  std::string refusal(llvm::Expected<std::vector<UnitCommand>> Commands,
                      Failure Kind) {
    if (Commands) {
      ADD_FAILURE() << "was accepted";
      return {};
    }
    llvm::Error E = Commands.takeError();
    EXPECT_EQ(failureOf(E), Kind);
    return llvm::toString(std::move(E));
  }

  TemporaryFolder Folder;
};

#define EXPECT_HAS(Text, Word)                                                 \
  EXPECT_TRUE(StringRef(Text).contains(Word)) << (Text)
#define EXPECT_LACKS(Text, Word)                                               \
  EXPECT_FALSE(StringRef(Text).contains(Word)) << (Text)

TEST_F(UnitCommandTest, PlainNvcc) {
  UnitCommand C = one("nvcc -O3 -c a.cu -o a.o");
  EXPECT_EQ(C.File, Folder.path("a.cu"));
  EXPECT_EQ(C.Directory, Folder.Root);
  EXPECT_TRUE(C.IsCuda);
  EXPECT_FALSE(C.IsHip);
  EXPECT_EQ(C.Arch, "sm_75");
  EXPECT_TRUE(C.DeviceFlags.empty());
  EXPECT_TRUE(C.Warnings.empty());
  std::string Line = " " + llvm::join(C.Arguments, " ") + " ";
  EXPECT_HAS(Line, " -x cuda ");
  EXPECT_HAS(Line, " -std=gnu++17 ");
  EXPECT_LACKS(Line, "a.o");
  EXPECT_LACKS(Line, "a.cu");
}

TEST_F(UnitCommandTest, TheHighestRealArchitectureIsTaken) {
  auto Arch = [&](StringRef Flags) {
    return one(("nvcc " + Flags + " -c a.cu").str()).Arch;
  };
  EXPECT_EQ(Arch("-arch=sm_80"), "sm_80");
  EXPECT_EQ(Arch("-arch sm_80"), "sm_80");
  EXPECT_EQ(Arch("--gpu-architecture=compute_70"), "sm_70");
  EXPECT_EQ(Arch("-gencode arch=compute_60,code=sm_60 "
                 "-gencode=arch=compute_90,code=[sm_90,compute_90]"),
            "sm_90");
  EXPECT_EQ(Arch("--generate-code=arch=compute_52,code=[compute_52,sm_52]"),
            "sm_52");
  EXPECT_EQ(Arch("-gencode arch=compute_90a,code=sm_90a"), "sm_90a");
  EXPECT_EQ(Arch("-arch=native"), "sm_75");
  EXPECT_EQ(Arch("-arch=all-major"), "sm_75");
  EXPECT_EQ(Arch("-gencode arch=compute_80,code=lto_80"), "sm_80");
}

TEST_F(UnitCommandTest, AnArchitectureOfTomorrowStillParses) {
  UnitCommand C = one("nvcc -arch=sm_999 -c a.cu");
  EXPECT_EQ(C.Arch, "sm_999");
  EXPECT_LACKS(llvm::join(C.Arguments, " "), "sm_999");
}

TEST_F(UnitCommandTest, IncludePathsInEverySpelling) {
  std::string Line = line("nvcc -Ione -I two -I=three -isystem=four "
                          "-isystem five --system-include=six "
                          "--include-path seven -include eight.h "
                          "--pre-include=nine.h -c a.cu");
  for (StringRef Pair :
       {"-I one", "-I two", "-I three", "-isystem four", "-isystem five",
        "-isystem six", "-I seven", "-include eight.h", "-include nine.h"})
    EXPECT_HAS(Line, (" " + Pair + " ").str());
}

TEST_F(UnitCommandTest, MacrosKeepTheirValues) {
  std::string Line = line("nvcc -DA -D B=2 --define-macro=C=3 -UD "
                          "-DTEXT=\"\\\"x y\\\"\" -c a.cu");
  for (StringRef Pair : {"-D A", "-D B=2", "-D C=3", "-U D", "-D TEXT=\"x y\""})
    EXPECT_HAS(Line, (" " + Pair + " ").str());
}

TEST_F(UnitCommandTest, HostFlagsAreTakenApart) {
  std::string Line =
      line("nvcc -Xcompiler=-DA=1,-Wall,-fPIC -Xcompiler \"-DB -O3 -Iinc\" "
           "--compiler-options -fopenmp,-std=c++14 -c a.cu");
  EXPECT_HAS(Line, " -DA=1 ");
  EXPECT_HAS(Line, " -DB ");
  EXPECT_HAS(Line, " -Iinc ");
  EXPECT_HAS(Line, " -fopenmp ");
  EXPECT_HAS(Line, " -std=c++14 ");
  EXPECT_LACKS(Line, "-std=gnu++17");
  EXPECT_LACKS(Line, "-Wall");
  EXPECT_LACKS(Line, "-O3");
}

TEST_F(UnitCommandTest, FlagsOfNoMeaningGoWithTheirValues) {
  UnitCommand C =
      one("nvcc -G -lineinfo -Xptxas -v -Xfatbin -compress-all -ccbin g++-12 "
          "--threads 4 -diag-suppress 20012 -keep -keep-dir k -cudart shared "
          "-odir d -L lib -lm --maxrregcount 64 -MD -MF a.d -MT a.o "
          "-forward-unknown-to-host-compiler -c a.cu -o a.o");
  std::string Line = " " + llvm::join(C.Arguments, " ") + " ";
  EXPECT_TRUE(C.Warnings.empty()) << llvm::join(C.Warnings, "\n");
  for (StringRef Word : {" -G ", "g++-12", " 4 ", "20012", " k ", "shared",
                         " d ", " lib ", "-lm", "a.d", " 64 ", "-v ", "a.o"})
    EXPECT_LACKS(Line, Word);
}

TEST_F(UnitCommandTest, FlagsThatChangeDeviceCodeAreRecorded) {
  UnitCommand C =
      one("nvcc --use_fast_math -maxrregcount=32 -fmad=false -ftz true "
          "-prec-div=false -rdc=true -std=c++14 -c a.cu");
  EXPECT_EQ(C.DeviceFlags,
            (std::vector<std::string>{
                "--use_fast_math", "-maxrregcount=32", "-fmad=false",
                "-ftz=true", "-prec-div=false", "-rdc=true", "-std=c++14"}));
  std::string Line = " " + llvm::join(C.Arguments, " ") + " ";
  EXPECT_HAS(Line, " -Xarch_device -ffast-math ");
  EXPECT_HAS(Line, " -fgpu-rdc ");
  EXPECT_HAS(Line, "__CUDACC_RDC__");
}

TEST_F(UnitCommandTest, SeparateCompilationInEverySpelling) {
  EXPECT_HAS(line("nvcc -dc a.cu"), " -fgpu-rdc ");
  EXPECT_HAS(line("nvcc --relocatable-device-code=true -c a.cu"),
             " -fgpu-rdc ");
  EXPECT_LACKS(line("nvcc -rdc=false -c a.cu"), "-fgpu-rdc");
  EXPECT_LACKS(line("nvcc --relocatable-device-code false -c a.cu"),
               "-fgpu-rdc");
}

TEST_F(UnitCommandTest, DialectFlagsBecomeTheirMacros) {
  std::string Line = line("nvcc --extended-lambda --expt-relaxed-constexpr "
                          "--default-stream per-thread -c a.cu");
  EXPECT_HAS(Line, "-D__CUDACC_EXTENDED_LAMBDA__");
  EXPECT_HAS(Line, "-D__CUDACC_RELAXED_CONSTEXPR__");
  EXPECT_HAS(Line, "-DCUDA_API_PER_THREAD_DEFAULT_STREAM=1");
}

TEST_F(UnitCommandTest, AnUnknownFlagCostsOneWarning) {
  UnitCommand C = one("nvcc --frobnicate=7 -fno-such-thing -Dx -c a.cu");
  ASSERT_EQ(C.Warnings.size(), 2u);
  EXPECT_HAS(C.Warnings[0], "--frobnicate=7");
  EXPECT_HAS(C.Warnings[1], "-fno-such-thing");
  std::string Line = llvm::join(C.Arguments, " ");
  EXPECT_LACKS(Line, "frobnicate");
  EXPECT_LACKS(Line, "no-such-thing");
  EXPECT_HAS(Line, "-D x");
}

TEST_F(UnitCommandTest, ResponseFilesAreReadFromTheDirectory) {
  Folder.write("flags.rsp", "-isystem=/p -DFROM_FILE @nested.rsp");
  Folder.write("nested.rsp", "-DNESTED \"-DQUOTED=a b\"");
  for (StringRef Spelling : {"--options-file flags.rsp", "-optf flags.rsp",
                             "--options-file=flags.rsp", "@flags.rsp"}) {
    std::string Line = line(("nvcc " + Spelling + " -c a.cu").str());
    EXPECT_HAS(Line, " -isystem /p ");
    EXPECT_HAS(Line, " -D FROM_FILE ");
    EXPECT_HAS(Line, " -D NESTED ");
    EXPECT_HAS(Line, " -D QUOTED=a b ");
  }
}

TEST_F(UnitCommandTest, AMissingOrCircularResponseFileIsNamed) {
  EXPECT_HAS(refusal(load("nvcc @gone.rsp -c a.cu"), Failure::Input),
             "gone.rsp");
  Folder.write("loop.rsp", "@loop.rsp");
  EXPECT_HAS(refusal(load("nvcc @loop.rsp -c a.cu"), Failure::Input),
             "loop.rsp");
}

TEST_F(UnitCommandTest, OtherSuffixesBySaying) {
  Folder.write("a.cpp", "");
  EXPECT_TRUE(one("nvcc -x cu -c a.cpp", "a.cpp").IsCuda);
  EXPECT_TRUE(
      one("clang++ -x cuda --cuda-gpu-arch=sm_80 -c a.cpp", "a.cpp").IsCuda);
  UnitCommand Hip = one("hipcc --offload-arch=gfx90a:xnack- -c a.cpp", "a.cpp");
  EXPECT_TRUE(Hip.IsHip);
  EXPECT_FALSE(Hip.IsCuda);
  EXPECT_EQ(Hip.Arch, "gfx90a");
  EXPECT_TRUE(
      one("amdclang++ -x hip --offload-arch=gfx942 -c a.cpp", "a.cpp").IsHip);
  EXPECT_HAS(refusal(load("nvcc -c a.cpp", "a.cpp"), Failure::NotFound),
             "no CUDA or HIP unit");
}

TEST_F(UnitCommandTest, LaunchersStandBeforeTheCompiler) {
  for (StringRef Launcher :
       {"ccache", "/usr/bin/env CCACHE_DIR=x ccache",
        "cmake -E __run_co_compile --tidy=t --source=a.cu --"})
    EXPECT_EQ(one((Launcher + " nvcc -arch=sm_86 -DX -c a.cu").str()).Arch,
              "sm_86");
}

TEST_F(UnitCommandTest, ClangsOwnCommandsStayAsTheyAre) {
  UnitCommand C = one("clang++ -std=c++20 -Iinc -DX=1 --cuda-gpu-arch=sm_70 "
                      "--cuda-gpu-arch=sm_80 -Wl,-z -c a.cu -o a.o");
  EXPECT_EQ(C.Arch, "sm_80");
  std::string Line = " " + llvm::join(C.Arguments, " ") + " ";
  EXPECT_HAS(Line, " -std=c++20 -Iinc -DX=1 ");
  EXPECT_LACKS(Line, "sm_70");
  EXPECT_LACKS(Line, "a.o");
}

TEST_F(UnitCommandTest, TheFirstOfTwoCommandsForAFileWins) {
  Folder.write("compile_commands.json",
               "[{\"directory\":\"" + Folder.Root +
                   "\",\"file\":\"a.cu\",\"command\":\"nvcc -DONE -c a.cu\"},"
                   "{\"directory\":\"" +
                   Folder.Root +
                   "\",\"file\":\"./a.cu\",\"arguments\":[\"nvcc\",\"-DTWO\","
                   "\"-c\",\"a.cu\"]}]");
  auto Commands = loadCommands(options());
  ASSERT_TRUE(bool(Commands));
  ASSERT_EQ(Commands->size(), 1u);
  EXPECT_HAS(llvm::join(Commands->front().Arguments, " "), "-D ONE");
}

TEST_F(UnitCommandTest, ARelativeDirectoryStartsAtTheDatabase) {
  Folder.write("sub/b.cu", "");
  Folder.write("compile_commands.json",
               "[{\"directory\":\"sub\",\"file\":\"b.cu\","
               "\"command\":\"nvcc -c b.cu\"}]");
  auto Commands = loadCommands(options());
  ASSERT_TRUE(bool(Commands)) << llvm::toString(Commands.takeError());
  EXPECT_EQ(Commands->front().File, Folder.path("sub/b.cu"));
}

TEST_F(UnitCommandTest, AFileIsFoundThroughASymbolicLink) {
  one("nvcc -c a.cu");
  ASSERT_FALSE(
      llvm::sys::fs::create_link(Folder.path("a.cu"), Folder.path("link.cu")));
  CommandOptions Options = options();
  Options.Files = {Folder.path("link.cu")};
  auto Commands = loadCommands(Options);
  ASSERT_TRUE(bool(Commands)) << llvm::toString(Commands.takeError());
  EXPECT_EQ(Commands->front().File, Folder.path("a.cu"));
}

TEST_F(UnitCommandTest, DatabasesThatAreWrong) {
  CommandOptions Options = options();
  Options.BuildPath = Folder.path("nowhere");
  EXPECT_HAS(refusal(loadCommands(Options), Failure::Input), "nowhere");

  Folder.write("compile_commands.json", "[{\"directory\":");
  EXPECT_HAS(refusal(loadCommands(options()), Failure::Input),
             "compile_commands.json");
  Folder.write("compile_commands.json", "{}");
  EXPECT_HAS(refusal(loadCommands(options()), Failure::Input),
             "compile_commands.json");
  Folder.write("compile_commands.json", "[]");
  EXPECT_HAS(refusal(loadCommands(options()), Failure::NotFound),
             "no CUDA or HIP unit");
  Folder.write("compile_commands.json", "");
  EXPECT_HAS(refusal(loadCommands(options()), Failure::Input),
             "compile_commands.json");
}

TEST_F(UnitCommandTest, FilesThatAreWrong) {
  one("nvcc -c a.cu");
  CommandOptions Options = options();
  Options.Files = {Folder.write("other.cu", "")};
  EXPECT_HAS(refusal(loadCommands(Options), Failure::Input), "other.cu");

  llvm::sys::fs::remove(Folder.path("a.cu"));
  Options.Files = {Folder.path("a.cu")};
  EXPECT_HAS(refusal(loadCommands(Options), Failure::Input), "a.cu");
  llvm::sys::fs::create_directory(Folder.path("a.cu"));
  EXPECT_HAS(refusal(loadCommands(Options), Failure::Input), "folder");
}

TEST_F(UnitCommandTest, FixedFlagsDoWithoutADatabase) {
  CommandOptions Options;
  Options.ToolkitPath = "none";
  Options.HasFixedFlags = true;
  EXPECT_HAS(refusal(loadCommands(Options), Failure::Usage), "file");
  Options.Files = {Folder.write("plain.cpp", "")};
  Options.FixedFlags = {"-DX=1", "-arch=sm_90"};
  auto Commands = loadCommands(Options);
  ASSERT_TRUE(bool(Commands)) << llvm::toString(Commands.takeError());
  EXPECT_TRUE(Commands->front().IsCuda);
  EXPECT_EQ(Commands->front().Arch, "sm_90");
  Options.Files = {Folder.write("amd.hip", "")};
  Commands = loadCommands(Options);
  ASSERT_TRUE(bool(Commands));
  EXPECT_TRUE(Commands->front().IsHip);
}

TEST_F(UnitCommandTest, AToolkitThatIsNone) {
  CommandOptions Options = options();
  Options.ToolkitPath = Folder.Root;
  std::string Text = refusal(loadCommands(Options), Failure::Toolchain);
  EXPECT_HAS(Text, Folder.Root);
  EXPECT_EQ(findCudaToolkit(Folder.Root), "");
  Folder.write("include/cuda_runtime.h", "");
  EXPECT_EQ(findCudaToolkit(Folder.Root), Folder.Root);
}

} // namespace
