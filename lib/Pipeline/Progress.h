/// \file
/// What a person sees while the walk goes on: on a terminal one line per kernel
/// that is rewritten in place, elsewhere plain lines.

#ifndef MEP_LIB_PIPELINE_PROGRESS_H
#define MEP_LIB_PIPELINE_PROGRESS_H

#include "llvm/ADT/Twine.h"
#include "llvm/Support/raw_ostream.h"
#include <string>

namespace mep {

class Progress {
public:
  explicit Progress(llvm::raw_ostream &OS) : OS(OS), Live(OS.is_displayed()) {}
  ~Progress() { finish(); }

  /// Starts the line of \p Kernel.
  void begin(llvm::StringRef Kernel);
  /// Replaces what the line says of the kernel's state. Elsewhere than on a
  /// terminal, prints a line only if \p Milestone.
  void update(const llvm::Twine &State, bool Milestone = true);
  /// Ends the line, leaving its last state.
  void finish();
  /// A line of its own above the live one.
  void note(const llvm::Twine &Text);

private:
  void redraw();
  llvm::raw_ostream &OS;
  bool Live, Open = false;
  std::string Kernel, State;
};

} // namespace mep

#endif // MEP_LIB_PIPELINE_PROGRESS_H
