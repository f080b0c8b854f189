#include "Progress.h"

using namespace mep;

void Progress::begin(llvm::StringRef Name) {
  finish();
  Kernel = Name.str();
  Open = true;
}

void Progress::redraw() {
  // Carriage return and "erase to end of line"; long states are cut so that
  // the line never wraps and can be rewritten.
  std::string Line = Kernel + ": " + State;
  if (Line.size() > 100)
    Line = Line.substr(0, 97) + "...";
  OS << "\r\033[K" << Line;
  OS.flush();
}

void Progress::update(const llvm::Twine &NewState, bool Milestone) {
  State = NewState.str();
  if (Live)
    return redraw();
  if (Milestone)
    OS << Kernel << ": " << State << '\n';
}

void Progress::finish() {
  if (Open && Live && !State.empty())
    OS << '\n';
  Open = false;
  State.clear();
}

void Progress::note(const llvm::Twine &Text) {
  if (Live && Open && !State.empty())
    OS << "\r\033[K";
  OS << Text << '\n';
  if (Live && Open && !State.empty())
    redraw();
}
