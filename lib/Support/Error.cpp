#include "mep/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

using namespace mep;

char MepError::ID = 0;

void MepError::log(llvm::raw_ostream &OS) const {
  if (!Where.empty())
    OS << Where << ": ";
  OS << Message;
  if (!Hint.empty())
    OS << "\n  " << Hint;
}

std::error_code MepError::convertToErrorCode() const {
  return llvm::inconvertibleErrorCode();
}

llvm::Error mep::makeError(Failure Kind, std::string Message, std::string Where,
                           std::string Hint) {
  return llvm::make_error<MepError>(Kind, std::move(Message), std::move(Where),
                                    std::move(Hint));
}

Failure mep::failureOf(const llvm::Error &E) {
  Failure Kind = Failure::General;
  llvm::visitErrors(E, [&](const llvm::ErrorInfoBase &Info) {
    if (Kind == Failure::General && Info.isA<MepError>())
      Kind = static_cast<const MepError &>(Info).Kind;
  });
  return Kind;
}
