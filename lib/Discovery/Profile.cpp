/// \file
/// Profilers' CSV: each tool has its own columns, so a table is known by the
/// columns it has rather than by the tool's name.

#include "mep/Discovery/Profile.h"
#include "mep/Support/Error.h"
#include "mep/Support/Files.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/Support/FormatVariadic.h"
#include <map>

using namespace mep;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;

double Profile::totalNs() const {
  double Sum = 0;
  for (const ProfileEntry &E : Entries)
    Sum += E.TotalNs;
  return Sum;
}

namespace {

// ---- CSV -------------------------------------------------------------------

using Row = std::vector<std::string>;

/// One line's fields: quoted ones may hold commas, a doubled quote is one.
Row fieldsOf(StringRef Line) {
  Row Fields(1);
  bool Quoted = false;
  for (size_t I = 0; I < Line.size(); ++I) {
    char C = Line[I];
    if (C == '"' && Quoted && I + 1 < Line.size() && Line[I + 1] == '"')
      Fields.back() += Line[++I];
    else if (C == '"')
      Quoted = !Quoted;
    else if (C == ',' && !Quoted)
      Fields.emplace_back();
    else
      Fields.back() += C;
  }
  for (std::string &F : Fields)
    F = StringRef(F).trim().str();
  return Fields;
}

std::optional<size_t> column(const Row &Header,
                             std::initializer_list<StringRef> Names) {
  for (StringRef Name : Names)
    if (auto It = llvm::find(Header, Name); It != Header.end())
      return It - Header.begin();
  return std::nullopt;
}

// ---- columns ---------------------------------------------------------------

/// Nanoseconds of a unit as the tools write it; 0 for none of time.
double nanoseconds(StringRef Unit) {
  return llvm::StringSwitch<double>(Unit)
      .Cases({"ns", "nsecond", "nanosecond"}, 1)
      .Cases({"us", "usecond", "microsecond"}, 1e3)
      .Cases({"ms", "msecond", "millisecond"}, 1e6)
      .Cases({"s", "second"}, 1e9)
      .Default(0);
}

/// Where a table has names and times.
struct Columns {
  size_t Name = 0;
  std::optional<size_t> Time;       ///< Per row, in Unit.
  std::optional<size_t> Begin, End; ///< Or its ends, in nanoseconds.
  std::optional<size_t> Metric, MetricUnit, MetricValue; ///< Or a metric a row.
  std::optional<size_t> Calls;
  double Unit = 1;
  bool UnitsFollow = false; ///< ncu's raw page: a row of units comes next.
};

constexpr StringRef DurationMetrics[] = {"Duration", "gpu__time_duration.sum",
                                         "gpu__time_duration"};

/// `Total Time (us)`: the column of that name and its unit.
void timeWithUnit(const Row &Header, Columns &C) {
  for (size_t I = 0; I < Header.size() && !C.Time; ++I) {
    auto [Name, Rest] = StringRef(Header[I]).split(" (");
    double Unit = nanoseconds(Rest.take_until([](char E) { return E == ')'; }));
    if ((Name == "Total Time" || Name == "Duration") && Unit) {
      C.Time = I;
      C.Unit = Unit;
    }
  }
}

std::optional<Columns> columnsOf(const Row &Header) {
  Columns C;
  auto Name =
      column(Header, {"Kernel Name", "KernelName", "Kernel_Name", "Name"});
  if (!Name)
    return std::nullopt;
  C.Name = *Name;
  C.Calls = column(Header, {"Instances", "Calls", "Num Calls"});
  C.Metric = column(Header, {"Metric Name"});
  C.MetricUnit = column(Header, {"Metric Unit"});
  C.MetricValue = column(Header, {"Metric Value"});
  if (C.Metric && C.MetricValue)
    return C;
  timeWithUnit(Header, C);
  if (!C.Time)
    C.Time = column(Header, {"TotalDurationNs", "DurationNs", "Duration_ns",
                             "TotalDuration(ns)"});
  if (!C.Time) {
    C.Time = column(Header, {"gpu__time_duration.sum"});
    C.UnitsFollow = C.Time.has_value();
  }
  if (!C.Time) {
    C.Begin = column(Header, {"Start_Timestamp", "BeginNs"});
    C.End = column(Header, {"End_Timestamp", "EndNs"});
  }
  return C.Time || (C.Begin && C.End) ? std::optional(C) : std::nullopt;
}

// ---- names -----------------------------------------------------------------

/// Where the parameter list of \p Text begins: the first `(` outside of `<>`.
size_t parametersAt(StringRef Text) {
  int Depth = 0;
  for (size_t I = 0; I < Text.size(); ++I) {
    if (Text[I] == '(' && Depth == 0)
      return I;
    Depth += Text[I] == '<' || Text[I] == '(';
    Depth -= Text[I] == '>' || Text[I] == ')';
  }
  return Text.size();
}

/// Profilers write signatures, symbols or bare names: the qualified name alone.
std::string bareName(StringRef Text) {
  Text.consume_back(".kd");
  Text = Text.split(" [clone").first;
  std::string Whole = llvm::demangle(Text.str());
  for (StringRef Hidden : {"(anonymous namespace)::", "<unnamed>::"})
    for (size_t At; (At = Whole.find(Hidden.str())) != std::string::npos;)
      Whole.erase(At, Hidden.size());
  StringRef Name = StringRef(Whole).take_front(parametersAt(Whole));
  std::string Plain;
  int Depth = 0;
  for (char C : Name) {
    Depth += C == '<';
    if (!Depth)
      Plain += C;
    Depth -= C == '>';
  }
  StringRef Last = StringRef(Plain).rtrim();
  return Last.substr(Last.rfind(' ') + 1).str();
}

// ---- the table -------------------------------------------------------------

class Reader {
public:
  explicit Reader(StringRef Where) : Where(Where) {}
  Error line(StringRef Text);
  Expected<Profile> finish();

private:
  Error row(const Row &Fields);
  Expected<double> number(StringRef Text) const;
  Expected<double> timeOf(const Row &Fields) const;
  void add(StringRef Name, double Ns, unsigned Calls);

  StringRef Where;
  unsigned Number = 0;
  std::optional<Columns> Table;
  size_t Width = 0;
  std::map<std::string, ProfileEntry> Sums;
};

Expected<double> Reader::number(StringRef Text) const {
  std::string Plain;
  for (char C : Text)
    if (C != ',') // Thousands.
      Plain += C;
  double Value = 0;
  if (StringRef(Plain).getAsDouble(Value) || !(Value >= 0))
    return makeError(Failure::Input, "'" + Text.str() + "' is no time",
                     (Where + ":" + llvm::Twine(Number)).str());
  return Value;
}

Expected<double> Reader::timeOf(const Row &Fields) const {
  if (!Table->Begin) {
    size_t At = Table->Metric ? *Table->MetricValue : *Table->Time;
    double Unit = Table->Unit;
    if (Table->Metric && Table->MetricUnit)
      Unit = nanoseconds(Fields[*Table->MetricUnit]);
    auto Value = number(Fields[At]);
    if (!Value)
      return Value;
    return *Value * Unit;
  }
  auto Begin = number(Fields[*Table->Begin]), End = number(Fields[*Table->End]);
  if (!Begin || !End)
    return llvm::joinErrors(Begin.takeError(), End.takeError());
  return *End - *Begin;
}

void Reader::add(StringRef Name, double Ns, unsigned Calls) {
  ProfileEntry &E = Sums[bareName(Name)];
  E.TotalNs += Ns;
  E.Calls += Calls;
}

Error Reader::row(const Row &Fields) {
  if (std::exchange(Table->UnitsFollow, false)) {
    Table->Unit = nanoseconds(Fields[*Table->Time]);
    return Error::success();
  }
  StringRef Name = Fields[Table->Name];
  // Traces list copies beside kernels.
  if (Name.starts_with("[CUDA mem") ||
      (Table->Metric &&
       !llvm::is_contained(DurationMetrics, Fields[*Table->Metric])))
    return Error::success();
  auto Ns = timeOf(Fields);
  if (!Ns)
    return Ns.takeError();
  double Calls = 1;
  if (Table->Calls) {
    auto Given = number(Fields[*Table->Calls]);
    if (!Given)
      return Given.takeError();
    Calls = *Given;
  }
  add(Name, *Ns, unsigned(Calls));
  return Error::success();
}

Error Reader::line(StringRef Text) {
  ++Number;
  Row Fields = fieldsOf(Text);
  // A file may hold several reports, each with a header of its own.
  if (auto Header = columnsOf(Fields)) {
    Table = Header;
    Width = Fields.size();
    return Error::success();
  }
  if (!Table || Fields.size() < Width)
    return Error::success();
  return row(Fields);
}

Expected<Profile> Reader::finish() {
  if (!Table)
    return makeError(Failure::Input, "has no table of kernels with their times",
                     Where.str(),
                     "made by: nsys stats -r cuda_gpu_kern_sum -f csv, "
                     "ncu --csv, rocprof --stats or rocprofv3 --kernel-trace");
  Profile Result;
  for (auto &[Name, Entry] : Sums) {
    Entry.Name = Name;
    Result.Entries.push_back(Entry);
  }
  llvm::sort(Result.Entries, [](const ProfileEntry &A, const ProfileEntry &B) {
    return std::tie(B.TotalNs, A.Name) < std::tie(A.TotalNs, B.Name);
  });
  return Result;
}

} // namespace

Expected<Profile> mep::parseProfile(StringRef Text, StringRef Where) {
  Reader R(Where);
  while (!Text.empty()) {
    auto [Line, Rest] = Text.split('\n');
    if (Error E = R.line(Line.rtrim('\r')))
      return E;
    Text = Rest;
  }
  return R.finish();
}

Expected<Profile> mep::readProfile(StringRef Path) {
  auto Text = readFile(Path);
  if (!Text)
    return Text.takeError();
  return parseProfile(*Text, Path);
}

std::vector<ProfileEntry> mep::rankByProfile(const Profile &Measured,
                                             std::vector<KernelSite> &Sites) {
  std::vector<bool> Used(Measured.Entries.size());
  double Total = Measured.totalNs();
  for (KernelSite &Site : Sites) {
    std::string Name = bareName(Site.QualifiedName);
    auto It = llvm::find_if(Measured.Entries, [&](const ProfileEntry &E) {
      // `nsys stats -r cuda_gpu_kern_sum:base` leaves the namespaces out.
      return E.Name == Name || E.Name == Site.Name;
    });
    if (It == Measured.Entries.end()) {
      Site.Rank = 0;
      Site.RankReason = "not in the profile";
      continue;
    }
    Used[It - Measured.Entries.begin()] = true;
    Site.Rank = It->TotalNs;
    Site.RankReason =
        llvm::formatv("{0:F1} % of the kernels' time, {1} calls of {2:F1} us",
                      Total ? 100 * It->TotalNs / Total : 0.0, It->Calls,
                      It->Calls ? It->TotalNs / It->Calls / 1e3 : 0.0);
  }
  std::vector<ProfileEntry> Foreign;
  for (size_t I = 0; I < Used.size(); ++I)
    if (!Used[I])
      Foreign.push_back(Measured.Entries[I]);
  return Foreign;
}
