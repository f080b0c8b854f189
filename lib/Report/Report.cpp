#include "mep/Report/Report.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Path.h"
#include <algorithm>

using namespace mep;

namespace {

/// Rows of cells, printed with aligned columns. All but the last column are
/// padded; numbers are aligned right by the caller's choice of column.
class TextTable {
public:
  explicit TextTable(std::vector<std::string> Header) {
    Rows.push_back(std::move(Header));
  }
  void add(std::vector<std::string> Row) { Rows.push_back(std::move(Row)); }

  void print(llvm::raw_ostream &OS) const {
    std::vector<size_t> Widths(Rows.front().size(), 0);
    for (const auto &Row : Rows)
      for (size_t I = 0; I < Row.size(); ++I)
        Widths[I] = std::max(Widths[I], Row[I].size());
    for (const auto &Row : Rows) {
      for (size_t I = 0; I + 1 < Row.size(); ++I)
        OS << llvm::left_justify(Row[I], Widths[I] + 2);
      OS << Row.back() << '\n';
    }
  }

private:
  std::vector<std::vector<std::string>> Rows;
};

std::string number(const char *Format, double Value) {
  std::string Text;
  llvm::raw_string_ostream OS(Text);
  OS << llvm::format(Format, Value);
  return Text;
}

std::string ratioText(double Ratio, double Low, double High) {
  return number("%.2fx", Ratio) + number(" [%.2f", Low) +
         number(", %.2f]", High);
}

std::string floorText(double FloorNs, double TimeNs) {
  if (FloorNs <= 0 || TimeNs <= 0)
    return "-";
  return number("%.0f %%", 100 * FloorNs / TimeNs);
}

/// What the times were taken on, where it is not the application's size.
std::string withSizes(const std::string &What, const KernelResult &R) {
  if (R.Grown.empty())
    return What;
  return What + (What.empty() ? "" : "; ") + "at a size of T_min: " + R.Grown;
}

void addRow(TextTable &Table, const KernelResult &R) {
  if (!R.Base) {
    Table.add({R.Site.QualifiedName, "-", "-", "-", "-", R.Error});
    return;
  }
  const Evaluation *Best = R.winning();
  double Now = R.Base->TimeNs;
  if (!Best) {
    Table.add({R.Site.QualifiedName, formatTime(Now), formatTime(Now), "1.00x",
               floorText(R.Base->FloorNs, Now),
               withSizes(R.Error.empty() ? R.Outcome : R.Error, R)});
    return;
  }
  std::string What = R.winner()->Proposal.changes(", ");
  for (const auto &[Name, Value] : Best->Tune)
    What += (" " + Name + "=" + llvm::Twine(Value)).str();
  if (!R.Error.empty())
    What += "; " + R.Error;
  Table.add({R.Site.QualifiedName, formatTime(Best->BaselineNs),
             formatTime(Best->TimeNs),
             ratioText(Best->Ratio, Best->Low, Best->High),
             floorText(R.Base->FloorNs, Best->TimeNs), withSizes(What, R)});
}

/// A row for each launch that is timed, where they are several: what is won on
/// one may be lost on another.
void addLaunchRows(TextTable &Table, const KernelResult &R) {
  const Evaluation *Best = R.winning();
  if (!R.Base)
    return;
  for (const LaunchTimes &L : R.Base->Launches) {
    std::string Name = "  " + L.Shape + number(" (weight %g)", L.Weight);
    const LaunchTimes *Now = nullptr;
    if (Best)
      for (const LaunchTimes &Each : Best->Launches)
        if (Each.Shape == L.Shape)
          Now = &Each;
    if (!Now)
      Table.add({Name, formatTime(L.TimeNs), "", "",
                 floorText(L.FloorNs, L.TimeNs), ""});
    else
      Table.add({Name, formatTime(Now->BaselineNs), formatTime(Now->TimeNs),
                 ratioText(Now->Ratio, Now->Low, Now->High),
                 floorText(L.FloorNs, Now->TimeNs),
                 Now->High < 1 ? "slower here" : ""});
  }
}

} // namespace

std::string mep::formatTime(double Ns) {
  if (Ns < 1e3)
    return number("%.0f ns", Ns);
  if (Ns < 1e6)
    return number("%.2f us", Ns / 1e3);
  if (Ns < 1e9)
    return number("%.2f ms", Ns / 1e6);
  return number("%.2f s", Ns / 1e9);
}

void mep::printKernels(const std::vector<KernelSite> &Kernels,
                       llvm::raw_ostream &OS) {
  TextTable Table({"kernel", "place", "launches", "why hot"});
  for (const KernelSite &K : Kernels) {
    std::string Name = K.QualifiedName;
    if (K.IsTemplate)
      Name += (" (template, " + llvm::Twine(K.Instantiations.size()) +
               " instantiation" + (K.Instantiations.size() == 1 ? ")" : "s)"))
                  .str();
    Table.add({Name, K.Definition.str(), std::to_string(K.Launches.size()),
               K.RankReason});
  }
  Table.print(OS);
}

void mep::printResult(const RunResult &Result, llvm::raw_ostream &OS) {
  if (Result.Kernels.empty())
    return;
  OS << '\n';
  if (Result.On)
    OS << "on " << Result.On->Name << " (" << Result.On->Platform << ", "
       << Result.On->Toolkit << ")\n";
  TextTable Table({"kernel", "baseline", "best", "ratio [95 % interval]",
                   "of floor", "what changed, or why not"});
  for (const KernelResult &R : Result.Kernels) {
    addRow(Table, R);
    addLaunchRows(Table, R);
  }
  Table.print(OS);
}
