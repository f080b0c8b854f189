/// \file
/// The one error type of the libraries. An \c llvm::Error means that the tool
/// itself cannot go on with a kernel or a run; a candidate that fails is an
/// \c Evaluation with a status, never an error.

#ifndef MEP_SUPPORT_ERROR_H
#define MEP_SUPPORT_ERROR_H

#include "llvm/Support/Error.h"
#include <string>

namespace mep {

/// What went wrong, in the classes a script can act on. The values are the
/// process exit codes documented by `clang-mep-opt --help`.
enum class Failure {
  General = 1,      ///< Anything that fits no other class.
  Usage = 2,        ///< Wrong flag or flag value.
  Input = 3,        ///< Compile database or source missing, unreadable, broken.
  NotFound = 4,     ///< No kernel, no launch, nothing selected.
  Unsupported = 5,  ///< A construct that is refused, with its location.
  Workload = 6,     ///< A value that analysis cannot supply or a wrong file.
  Toolchain = 7,    ///< No compiler, toolkit, GPU or worker, or one too old.
  Output = 8,       ///< Cannot write: read-only, disk full.
  Interrupted = 130 ///< Ctrl-C; what was finished is kept.
};

/// An error with its class, the place it is about (`file:line:column`, a JSON
/// path, a flag; may be empty) and, where there is one, the way out.
class MepError : public llvm::ErrorInfo<MepError> {
public:
  static char ID;

  MepError(Failure Kind, std::string Message, std::string Where = {},
           std::string Hint = {})
      : Kind(Kind), Message(std::move(Message)), Where(std::move(Where)),
        Hint(std::move(Hint)) {}

  void log(llvm::raw_ostream &OS) const override;
  std::error_code convertToErrorCode() const override;

  Failure Kind;
  std::string Message, Where, Hint;
};

/// Makes an \c llvm::Error holding a \c MepError.
llvm::Error makeError(Failure Kind, std::string Message, std::string Where = {},
                      std::string Hint = {});

/// The class of the first error in \p E, \c Failure::General for foreign ones.
/// Does not consume \p E.
Failure failureOf(const llvm::Error &E);

} // namespace mep

#endif // MEP_SUPPORT_ERROR_H
