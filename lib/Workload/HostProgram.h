/// \file
/// The application around the unit that launches: what is given to a function,
/// a global or a member in another unit, and the command line it is run with.

#ifndef MEP_LIB_WORKLOAD_HOSTPROGRAM_H
#define MEP_LIB_WORKLOAD_HOSTPROGRAM_H

#include "HostValues.h"
#include "HostWay.h"
#include "OptionRuns.h"
#include <functional>
#include <optional>

namespace mep {

/// Words of the command line after the program's name; nothing: not known, and
/// values are those of a run without any.
using ApplicationArguments = std::optional<std::vector<std::string>>;
/// Host views of the application's other units that mention a name.
using UnitsNaming =
    std::function<std::vector<const ParsedUnit *>(llvm::StringRef Name)>;

class HostProgram {
public:
  HostProgram(const ParsedUnit &Main, UnitsNaming Others,
              ApplicationArguments Arguments)
      : Main(Main), Others(std::move(Others)), Arguments(std::move(Arguments)),
        MainIndex(Main) {}

  /// Asked for names of functions that other units may call.
  void setNotRead(std::function<size_t(llvm::StringRef Name)> Count) {
    NotRead = std::move(Count);
  }
  /// How many units that may call \p F are not looked at.
  size_t unitsNotRead(const clang::FunctionDecl *F) const;

  const ParsedUnit &unit() const { return Main; }
  const HostIndex &index() const { return MainIndex; }
  const ApplicationArguments &arguments() const { return Arguments; }
  /// What code of \p Unit does with these words; null: they are not known.
  const OptionRuns *optionsOf(const ParsedUnit &Unit, const HostIndex &Index);
  /// Words that some code of the application was seen to read.
  std::set<size_t> &wordsRead() { return WordsRead; }

  /// Conditions are decided by values that hang on conditions again: counts one
  /// step of a query, true when it has taken more than any honest one.
  bool isExhausted() { return ++Steps > MostSteps; }
  void beginQuery() { Steps = 0; }

  /// A place in another unit.
  struct Elsewhere {
    const ParsedUnit *Unit = nullptr;
    const HostIndex *Index = nullptr;
    const CallPlace *Call = nullptr;        ///< Of callOf.
    const clang::ValueDecl *Name = nullptr; ///< Of definitionOf.
    Point At; ///< Of callOf, on the chosen way; no frame: any.
    explicit operator bool() const { return Unit; }
  };
  /// The way that values are looked at on.
  HostWay &way() { return Way; }

  /// All calls of \p F from other units than \p From, and their indexes.
  std::vector<RemoteCall> callsOf(const clang::FunctionDecl *F,
                                  const ParsedUnit &From);
  /// A call of \p F from another unit than \p From: the way's, else
  /// preferably one that main leads to.
  Elsewhere callOf(const clang::FunctionDecl *F, const ParsedUnit &From);
  /// The global or member in another unit than \p From that is \p D and is
  /// given a value there.
  Elsewhere definitionOf(const clang::ValueDecl *D, const ParsedUnit &From);

private:
  const HostIndex &indexOf(const ParsedUnit &Unit);
  /// The unit itself and the others that mention \p Name, without \p From.
  std::vector<const ParsedUnit *> naming(llvm::StringRef Name,
                                         const ParsedUnit &From);

  static constexpr unsigned MostSteps = 50000;
  unsigned Steps = 0;
  const ParsedUnit &Main;
  UnitsNaming Others;
  std::function<size_t(llvm::StringRef)> NotRead;
  ApplicationArguments Arguments;
  HostIndex MainIndex;
  HostWay Way;
  std::map<const ParsedUnit *, std::unique_ptr<HostIndex>> Indexes;
  std::set<size_t> WordsRead;
  std::map<const ParsedUnit *, std::unique_ptr<OptionRuns>> Options;
};

} // namespace mep

#endif // MEP_LIB_WORKLOAD_HOSTPROGRAM_H
