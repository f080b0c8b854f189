/// \file
/// CUDA platform: NVRTC, the run-time compiler. It takes device source and
/// gives machine code in milliseconds, without files and without a GPU.
/// Entry points and numbers: NVRTC documentation, `nvrtc.h`.

#ifndef MEP_WORKER_CUDA_NVRTC_H
#define MEP_WORKER_CUDA_NVRTC_H

#include <string>
#include <vector>

namespace mepworker::cuda {

/// What any of the compilers of this platform is asked.
struct DeviceCompile {
  std::string Source;
  std::vector<std::string> Kernels; ///< Name expressions.
  std::vector<std::string> Symbols; ///< Qualified names of globals.
  std::vector<std::string> Defines; ///< `N=1024`
  std::vector<std::string> Flags;   ///< As nvcc takes them.
  std::string Arch;                 ///< `90` of `sm_90`.
};

struct DeviceImage {
  bool Ok = false;
  bool LimitHit = false;
  bool ByNvcc = false; ///< NVRTC could not take the source.
  std::string Log;     ///< Diagnostics at `kernel.cu:line`.
  std::string Image;   ///< Cubin, or PTX text for a device newer than NVRTC.
  std::vector<std::string> KernelNames; ///< Mangled, as DeviceCompile::Kernels.
  std::vector<std::string> SymbolNames; ///< Mangled; empty: none such.
};

class Nvrtc {
public:
  /// Opens the first library of \p Candidates that works. False with the
  /// reason of the last failure.
  bool open(const std::vector<std::string> &Candidates, std::string &Error);

  /// `NVRTC 13.0`.
  std::string version() const;

  /// Compiles once something small, so that the next compile is a warm one.
  void warmUp() const;

  /// \p Includes: folders of the toolkit's headers.
  DeviceImage compile(const DeviceCompile &Request,
                      const std::vector<std::string> &Includes) const;

private:
  using Program = struct ProgramTag *;
  struct Api {
    int (*Version)(int *, int *);
    int (*NumSupportedArchs)(int *);
    int (*SupportedArchs)(int *);
    int (*Create)(Program *, const char *, const char *, int,
                  const char *const *, const char *const *);
    int (*Destroy)(Program *);
    int (*AddName)(Program, const char *);
    int (*Compile)(Program, int, const char *const *);
    int (*LogSize)(Program, size_t *);
    int (*Log)(Program, char *);
    int (*CubinSize)(Program, size_t *);
    int (*Cubin)(Program, char *);
    int (*PtxSize)(Program, size_t *);
    int (*Ptx)(Program, char *);
    int (*LoweredName)(Program, const char *, const char **);
    const char *(*ErrorString)(int);
  } Call{};

  bool bind(void *Library, std::string &Error);
  std::string archOption(const std::string &Arch, bool &Ptx) const;
  bool takeImage(Program P, bool Ptx, DeviceImage &Result) const;
  void takeNames(Program P, const DeviceCompile &Request,
                 DeviceImage &Result) const;
};

/// nvcc's device flags as NVRTC spells them; those it does not know and that do
/// not change the code are left out.
std::vector<std::string> nvrtcFlags(const std::vector<std::string> &Flags);

/// The same flags with what nvcc refuses in them (GNU dialects) replaced.
std::vector<std::string> nvccFlags(std::vector<std::string> Flags);

/// `kernel.cu(12): error` becomes `kernel.cu:12: error`; over-long logs are cut
/// in the middle.
std::string tidyLog(const std::string &Log);

} // namespace mepworker::cuda

#endif // MEP_WORKER_CUDA_NVRTC_H
