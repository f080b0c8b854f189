/// \file
/// Merging is done on JSON, so that the one reader of workloads checks the
/// result.

#include "UserFile.h"
#include "Expressions.h"
#include "mep/Support/Error.h"
#include <nlohmann/json.hpp>
#include <set>

using namespace mep;
using llvm::StringRef;

llvm::Expected<std::map<std::string, int64_t>>
mep::givenDimensions(const Json &File, StringRef Path) {
  std::map<std::string, int64_t> Given;
  JsonReader R(File, Path.str());
  R.objects("dimensions", [&](JsonReader &D) {
    std::string Name;
    int64_t Value = 0;
    D.read("name", Name);
    if (!D.has("value"))
      return;
    D.read("value", Value);
    Given[Name] = Value;
  });
  if (llvm::Error E = R.takeError())
    return E;
  return Given;
}

namespace {

std::string knownNames(const Json &List) {
  std::string Names;
  for (const Json &E : List)
    Names += (Names.empty() ? "" : ", ") + E["name"].get<std::string>();
  return Names.empty() ? "none" : Names;
}

Json *entry(Json &List, const std::string &Name) {
  for (Json &E : List)
    if (E["name"] == Name)
      return &E;
  return nullptr;
}

/// Overwrites the members of \p To that \p From has.
void overwrite(Json &To, const Json &From) {
  for (auto I = From.begin(); I != From.end(); ++I) {
    if (I->is_object() && To.contains(I.key()) && To[I.key()].is_object())
      overwrite(To[I.key()], *I);
    else
      To[I.key()] = *I;
  }
}

/// A part's `value` makes it a scalar, `buffer` a pointer.
void overwritePart(Json &Part, const Json &From) {
  overwrite(Part, From);
  if (From.contains("value"))
    Part.erase("buffer");
}

/// A person wrote \p Fill: it is not the tool's own, which says whether it is
/// given, or is another than \p Inferred.
bool isOwnFill(const Json &Fill, const Json &Inferred) {
  if (!Fill.contains("given"))
    return true;
  for (auto I = Fill.begin(); I != Fill.end(); ++I)
    if (I.key() != "given" && Inferred.value(I.key(), Json()) != *I)
      return true;
  return false;
}

/// Members of the inferred \p Fill mean nothing for another rule, which counts
/// from 0 unless it says otherwise.
void changeRule(Json &Given, Json &Fill) {
  if (!Given.contains("rule") || Given["rule"] == Fill["rule"])
    return;
  for (const char *Member : {"step", "each", "period", "modulus", "table"})
    Fill.erase(Member);
  for (const char *Rule : {"iota", "permutation", "offsets"})
    if (Given["rule"] == Rule && !Given.contains("low"))
      Given["low"] = "0";
}

class Merge {
public:
  Merge(const Workload &W, StringRef Path) : All(toJson(W)), Path(Path) {}
  llvm::Expected<Workload> run(const Json &File);

private:
  std::string nameIn(JsonReader &R, std::set<std::string> &Taken) const;
  void entries(JsonReader &File, StringRef List,
               llvm::ArrayRef<StringRef> Members);
  void arguments(JsonReader &File);
  void argument(JsonReader &R, const std::string &Name);
  void shapes(JsonReader &File);
  void newDimension(JsonReader &R, const std::string &Name);
  llvm::Error checkNewDimensions() const;

  Json All;
  StringRef Path;
  std::vector<std::pair<std::string, std::string>> New; ///< Name, place.
};

/// Some expression in \p In uses \p Name.
bool isUsed(const Json &In, StringRef Name) {
  static constexpr StringRef Members[] = {
      "value", "buffer_offset", "extent",      "low",     "high",
      "step",  "each",          "period",      "modulus", "stride",
      "grid",  "block",         "shared_bytes"};
  if (In.is_array())
    return llvm::any_of(In, [&](const Json &Each) {
      return isUsed(Each, Name) ||
             (Each.is_string() && usesName(Each.get<std::string>(), Name));
    });
  if (!In.is_object())
    return false;
  for (auto I = In.begin(); I != In.end(); ++I)
    if (isUsed(*I, Name) ||
        (I->is_string() && llvm::is_contained(Members, I.key()) &&
         usesName(I->get<std::string>(), Name)))
      return true;
  return false;
}

/// A dimension that the workload does not have: good if it has a value, and
/// expressions of the file use it.
void Merge::newDimension(JsonReader &R, const std::string &Name) {
  Json Given = R.value();
  int64_t Value = 0;
  R.read("value", Value);
  if (R.failed())
    return;
  New.emplace_back(Name, R.where());
  All["dimensions"].push_back(std::move(Given));
}

llvm::Error Merge::checkNewDimensions() const {
  for (const auto &[Name, Where] : New) {
    bool Used = false;
    for (const char *List : {"arguments", "buffers", "launch"})
      Used |= isUsed(All[List], Name);
    if (!Used)
      return makeError(Failure::Workload,
                       "the kernel's workload has no '" + Name +
                           "' here, and no expression uses it; it has " +
                           knownNames(All["dimensions"]),
                       Where + ".name");
  }
  return llvm::Error::success();
}

/// The name of an entry; a problem if it is empty, or another entry's of the
/// list: of two that say different things none is the right one.
std::string Merge::nameIn(JsonReader &R, std::set<std::string> &Taken) const {
  std::string Name;
  R.read("name", Name);
  if (R.failed())
    return Name;
  if (Name.empty())
    R.fail("name", "a name is missing here");
  else if (!Taken.insert(Name).second)
    R.fail("name", "'" + Name +
                       "' is here twice; leave one of them out, or "
                       "give it another name");
  return Name;
}

void Merge::entries(JsonReader &File, StringRef List,
                    llvm::ArrayRef<StringRef> Members) {
  Json &Known = All[List.str()];
  std::set<std::string> Taken;
  File.objects(List, [&](JsonReader &R) {
    std::string Name = nameIn(R, Taken);
    R.rejectUnknown(Members);
    if (R.failed())
      return;
    Json *Entry = entry(Known, Name);
    // A dimension that had to make way for a parameter of its name.
    if (!Entry && List == "dimensions")
      Entry = entry(Known, Name + "_host");
    if (!Entry && List == "dimensions" && R.has("value"))
      return newDimension(R, Name);
    if (!Entry)
      return R.fail("name", "the kernel's workload has no '" + Name +
                                "' here; it has " + knownNames(Known));
    Json Given = R.value();
    Given["name"] = (*Entry)["name"];
    if (Given.contains("fill") && Given["fill"].is_object() &&
        isOwnFill(Given["fill"], (*Entry)["fill"])) {
      Given["fill"]["given"] = true;
      changeRule(Given["fill"], (*Entry)["fill"]);
    }
    overwrite(*Entry, Given);
  });
}

void Merge::argument(JsonReader &R, const std::string &Name) {
  if (Json *Whole = entry(All["arguments"], Name)) {
    Json &Parts = (*Whole)["parts"];
    Json Given = R.value();
    for (const char *Member : {"value", "buffer", "buffer_offset"}) {
      if (!Given.contains(Member))
        continue;
      if (Parts.size() != 1)
        return R.fail(Member, "'" + Name +
                                  "' is a structure; name its members: " +
                                  knownNames(Parts));
      overwritePart(Parts[0], Json{{Member, Given[Member]}});
      Given.erase(Member);
    }
    return overwrite(*Whole, Given);
  }
  for (Json &A : All["arguments"])
    if (Json *Part = entry(A["parts"], Name))
      return overwritePart(*Part, R.value());
  R.fail("name", "the kernel has no parameter '" + Name + "'; it has " +
                     knownNames(All["arguments"]));
}

void Merge::arguments(JsonReader &File) {
  std::set<std::string> Taken;
  File.objects("arguments", [&](JsonReader &R) {
    std::string Name = nameIn(R, Taken);
    R.rejectUnknown({"name", "type", "bytes", "parts", "value", "buffer",
                     "buffer_offset", "kind", "offset", "source"});
    if (!R.failed())
      argument(R, Name);
  });
}

void Merge::shapes(JsonReader &File) {
  Json List = Json::array();
  bool Base = false;
  std::set<std::string> Taken;
  File.objects("shapes", [&](JsonReader &R) {
    std::string Name = nameIn(R, Taken);
    Base |= Name == "base";
    List.push_back(R.value());
  });
  if (!Base)
    List.insert(List.begin(),
                Json{{"name", "base"}, {"dimensions", Json::object()}});
  All["shapes"] = List;
}

llvm::Expected<Workload> Merge::run(const Json &File) {
  JsonReader R(File, Path.str());
  R.rejectUnknown({"schema", "kernel", "dimensions", "arguments", "buffers",
                   "launch", "shapes", "tolerance", "assumptions", "notes"});
  std::string Kernel = All["kernel"].get<std::string>(), Given = Kernel;
  R.readIf("kernel", Given);
  if (Given != Kernel)
    R.fail("kernel",
           "the file is for '" + Given + "', the kernel is '" + Kernel + "'");
  entries(R, "dimensions", {"name", "value", "macro", "fixed", "source"});
  entries(R, "buffers",
          {"name", "element", "extent", "role", "fill", "symbol", "source",
           "set_to", "host_fill", "subscripts", "pointers", "values"});
  arguments(R);
  if (R.has("shapes"))
    shapes(R);
  for (const char *Object : {"launch", "tolerance"})
    R.object(Object, [&](JsonReader &O) { overwrite(All[Object], O.value()); });
  for (const char *Plain : {"schema", "notes"})
    if (R.has(Plain))
      All[Plain] = File[Plain];
  if (llvm::Error E = R.takeError())
    return E;
  if (llvm::Error E = checkNewDimensions())
    return E;
  return workloadFromJson(All, Path);
}

} // namespace

llvm::Expected<Workload> mep::mergeUserFile(const Workload &W, const Json &File,
                                            StringRef Path) {
  if (!File.is_object())
    return makeError(Failure::Workload, "expected an object", Path.str());
  return Merge(W, Path).run(File);
}
