#include "Toolkit.h"
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <unistd.h>

using namespace mepworker::cuda;
namespace fs = std::filesystem;

namespace {

std::string environment(const char *Name) {
  const char *Value = getenv(Name);
  return Value ? Value : "";
}

bool isExecutable(const fs::path &File) {
  std::error_code Ignored;
  return fs::is_regular_file(File, Ignored) && !access(File.c_str(), X_OK);
}

/// Adds \p Root once if it is a folder; links are followed first, so that
/// `/usr/local/cuda` and what it points to are one.
void addRoot(std::vector<std::string> &Roots, const fs::path &Root) {
  std::error_code Problem;
  if (Root.empty() || !fs::is_directory(Root, Problem))
    return;
  fs::path Real = fs::canonical(Root, Problem);
  std::string Text = Problem ? Root.string() : Real.string();
  if (std::find(Roots.begin(), Roots.end(), Text) == Roots.end())
    Roots.push_back(Text);
}

void addPathRoot(std::vector<std::string> &Roots) {
  std::string Path = environment("PATH");
  for (size_t Start = 0; Start <= Path.size();) {
    size_t End = std::min(Path.find(':', Start), Path.size());
    fs::path Nvcc = fs::path(Path.substr(Start, End - Start)) / "nvcc";
    std::error_code Problem;
    if (isExecutable(Nvcc)) {
      fs::path Real = fs::canonical(Nvcc, Problem);
      addRoot(Roots, (Problem ? Nvcc : Real).parent_path().parent_path());
    }
    Start = End + 1;
  }
}

/// `/usr/local/cuda-12.4` and the like, newest first.
void addVersionedRoots(std::vector<std::string> &Roots) {
  std::vector<fs::path> Found;
  std::error_code Problem;
  for (const auto &Entry : fs::directory_iterator("/usr/local", Problem))
    if (Entry.path().filename().string().rfind("cuda-", 0) == 0)
      Found.push_back(Entry.path());
  std::sort(Found.begin(), Found.end(), [](const auto &A, const auto &B) {
    auto Version = [](const fs::path &P) {
      return atof(P.filename().string().c_str() + 5);
    };
    return Version(A) > Version(B);
  });
  for (const fs::path &Root : Found)
    addRoot(Roots, Root);
}

std::vector<std::string> roots(const std::string &Wanted) {
  std::vector<std::string> Roots;
  if (!Wanted.empty()) {
    addRoot(Roots, Wanted);
    return Roots;
  }
  addRoot(Roots, environment("CUDA_PATH"));
  addRoot(Roots, environment("CUDA_HOME"));
  addPathRoot(Roots);
  addRoot(Roots, "/usr/local/cuda");
  addVersionedRoots(Roots);
  addRoot(Roots, "/opt/cuda");
  return Roots;
}

void addIncludes(Toolkit &T, const fs::path &Root) {
  std::error_code Ignored;
  for (const char *Relative : {"include", "targets/x86_64-linux/include",
                               "targets/sbsa-linux/include"}) {
    fs::path Folder = Root / Relative;
    if (!fs::exists(Folder / "cuda_fp16.h", Ignored))
      continue;
    T.Includes.push_back(Folder.string());
    if (fs::is_directory(Folder / "cccl", Ignored))
      T.Includes.push_back((Folder / "cccl").string());
    return;
  }
}

constexpr const char *NvrtcNames[] = {"libnvrtc.so.13", "libnvrtc.so.12",
                                      "libnvrtc.so.11.2", "libnvrtc.so"};

void addNvrtc(Toolkit &T, const fs::path &Root) {
  std::error_code Ignored;
  for (const char *Folder :
       {"lib64", "lib", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib"})
    for (const char *Name : NvrtcNames)
      if (fs::exists(Root / Folder / Name, Ignored)) {
        T.Nvrtc.push_back((Root / Folder / Name).string());
        return;
      }
}

} // namespace

Toolkit mepworker::cuda::findToolkit(const std::string &Wanted) {
  Toolkit T;
  T.Roots = roots(Wanted);
  for (const std::string &Root : T.Roots) {
    if (T.Nvcc.empty() && isExecutable(fs::path(Root) / "bin/nvcc"))
      T.Nvcc = Root + "/bin/nvcc";
    if (T.Includes.empty())
      addIncludes(T, Root);
    addNvrtc(T, Root);
  }
  if (Wanted.empty())
    T.Nvrtc.insert(T.Nvrtc.end(), std::begin(NvrtcNames), std::end(NvrtcNames));
  return T;
}

std::string Toolkit::searched() const {
  std::string Text;
  for (const std::string &Root : Roots)
    Text += (Text.empty() ? "" : ", ") + Root;
  return Text.empty() ? "CUDA_PATH, CUDA_HOME, PATH, /usr/local/cuda" : Text;
}
