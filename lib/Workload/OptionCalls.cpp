/// \file
/// Calls in the code that reads the command line: of the C and C++ libraries,
/// of getopt, and of the application's own functions.

#include "OptionRunner.h"
#include "mep/Frontend/ParsedUnit.h"
#include "clang/AST/DeclCXX.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/SaveAndRestore.h"
#include <algorithm>
#include <cstdlib>
#include <utility>

using namespace mep;
using namespace clang;
using llvm::dyn_cast;
using llvm::isa;
using llvm::StringRef;

// ---- the libraries ---------------------------------------------------------

static bool isText(const OptionValue &V) { return V.What == OptionValue::Text; }

/// strcmp and its kin.
OptionValue OptionRunner::compared(StringRef Name,
                                   const std::vector<OptionValue> &Given) {
  if (Given.size() < 2 || !isText(Given[0]) || !isText(Given[1]))
    return {};
  StringRef A = Given[0].Str.c_str(), B = Given[1].Str.c_str();
  if (Name.starts_with("strn")) {
    auto Most = Given.size() > 2 ? Given[2].asInteger() : std::nullopt;
    if (!Most || *Most < 0)
      return {};
    A = A.take_front(size_t(*Most));
    B = B.take_front(size_t(*Most));
  }
  int Order = Name.contains("case") ? A.compare_insensitive(B) : A.compare(B);
  if (Order == 0) {
    see(Given[0]);
    see(Given[1]);
  }
  return OptionValue::integer(Order);
}

/// atoi and its kin.
OptionValue OptionRunner::converted(StringRef Name,
                                    const std::vector<OptionValue> &Given) {
  if (Given.empty() || !isText(Given[0]))
    return {};
  const char *Text = Given[0].Str.c_str();
  char *End = nullptr;
  OptionValue V;
  if (Name == "atof" || Name.ends_with("d") || Name.ends_with("tof")) {
    V = OptionValue::number(floatTerm(std::strtod(Text, &End)));
  } else {
    int Base = 10;
    if (Name.starts_with("strto")) {
      auto Told = Given.size() > 2 ? Given[2].asInteger() : std::nullopt;
      if (!Told || (*Told != 0 && (*Told < 2 || *Told > 36)))
        return {};
      Base = int(*Told);
    }
    V = OptionValue::integer(std::strtoll(Text, &End, Base));
  }
  // `stoi` of what is no number ends the application.
  if (End == Text && Name.starts_with("sto"))
    return {};
  see(Given[0]);
  return V;
}

OptionValue OptionRunner::library(StringRef Name,
                                  const std::vector<OptionValue> &Given) {
  enum {
    None,
    Compare,
    Convert,
    Length,
    Find
  } Kind =
      llvm::StringSwitch<decltype(Kind)>(Name)
          .Cases({"strcmp", "strncmp", "strcasecmp", "strncasecmp"}, Compare)
          .Cases({"atoi", "atol", "atoll", "atof", "strtol", "strtoul",
                  "strtoll", "strtoull"},
                 Convert)
          .Cases({"strtod", "strtof", "stoi", "stol", "stoul", "stoll",
                  "stoull", "stof", "stod"},
                 Convert)
          .Case("strlen", Length)
          .Cases({"strchr", "strrchr", "strstr"}, Find)
          .Default(None);
  if (Kind == Compare)
    return compared(Name, Given);
  if (Kind == Convert)
    return converted(Name, Given);
  if (Kind == None || Given.empty() || !isText(Given[0]))
    return {};
  const std::string &Text = Given[0].Str;
  if (Kind == Length)
    return OptionValue::integer(int64_t(Text.size()));
  size_t At = StringRef::npos;
  if (Given.size() > 1 && isText(Given[1]) && Name == "strstr")
    At = Text.find(Given[1].Str);
  else if (auto Char = Given.size() > 1 ? Given[1].asInteger() : std::nullopt)
    At = Name == "strchr" ? Text.find(char(*Char)) : Text.rfind(char(*Char));
  else
    return {};
  return At == StringRef::npos ? OptionValue::integer(0)
                               : shifted(Given[0], int64_t(At));
}

/// Of std::string and std::string_view.
OptionValue OptionRunner::method(const CXXMemberCallExpr *C) {
  OptionValue Object = value(C->getImplicitObjectArgument());
  std::vector<OptionValue> Given;
  for (const Expr *A : C->arguments())
    Given.push_back(isa<CXXDefaultArgExpr>(A) ? OptionValue() : value(A));
  if (!isText(Object))
    return {};
  auto Number = [&](size_t I) {
    return I < Given.size() ? Given[I].asInteger() : std::nullopt;
  };
  StringRef Name = calledName(C);
  if (Name == "c_str" || Name == "data")
    return Object;
  if (Name == "size" || Name == "length")
    return OptionValue::integer(int64_t(Object.Str.size()));
  if (Name == "empty")
    return OptionValue::integer(Object.Str.empty());
  if (Name == "at" && !Given.empty())
    return subscript(Object, Given[0]);
  if (Name == "compare" && Given.size() == 1)
    return compared("strcmp", {Object, Given[0]});
  if (Name == "compare" && Given.size() == 3 && Number(0) == 0 &&
      Number(1).value_or(-1) >= 0) {
    Object.Str.resize(std::min(Object.Str.size(), size_t(*Number(1))));
    return compared("strcmp", {Object, Given[2]});
  }
  if (Name == "starts_with" && Given.size() == 1 && isText(Given[0])) {
    bool Starts = StringRef(Object.Str).starts_with(Given[0].Str);
    if (Starts)
      see(Object);
    return OptionValue::integer(Starts);
  }
  if (Name == "substr" && Number(0)) {
    OptionValue Part = shifted(Object, *Number(0));
    if (isText(Part) && Number(1) && *Number(1) >= 0)
      Part.Str.resize(std::min(Part.Str.size(), size_t(*Number(1))));
    return Part;
  }
  return {};
}

OptionValue OptionRunner::overloaded(const CXXOperatorCallExpr *C) {
  std::vector<OptionValue> Given;
  // A value for the whole of a text.
  if (C->getOperator() == OO_Equal && C->getNumArgs() == 2) {
    OptionValue V = value(C->getArg(1));
    assign(C->getArg(0), V);
    return V;
  }
  for (const Expr *A : C->arguments())
    Given.push_back(value(A));
  if (Given.size() == 2 && C->getOperator() == OO_Subscript && isText(Given[0]))
    return subscript(Given[0], Given[1]);
  bool Equal = C->getOperator() == OO_EqualEqual;
  if (Given.size() != 2 || (!Equal && C->getOperator() != OO_ExclaimEqual)) {
    forgetPassed(C);
    return {};
  }
  auto Order = compared("strcmp", Given).asInteger();
  return Order ? OptionValue::integer((*Order == 0) == Equal) : OptionValue();
}

/// `sscanf(word, "%d", &n)`. False: not of that form.
bool OptionRunner::scan(const CallExpr *C,
                        const std::vector<OptionValue> &Given) {
  if (calledName(C) != "sscanf" || Given.size() != 3 || !isText(Given[0]) ||
      !isText(Given[1]))
    return false;
  auto *U = dyn_cast<UnaryOperator>(bare(C->getArg(2)));
  bool IsWhole =
      llvm::StringSwitch<bool>(Given[1].Str)
          .Cases({"%d", "%i", "%u", "%ld", "%lu", "%zu", "%lld"}, true)
          .Default(false);
  bool IsReal = Given[1].Str == "%f" || Given[1].Str == "%lf";
  if (!U || U->getOpcode() != UO_AddrOf || (!IsWhole && !IsReal))
    return false;
  assign(U->getSubExpr(), converted(IsReal ? "atof" : "atoi", Given));
  return true;
}

// ---- functions -------------------------------------------------------------

OptionValue OptionRunner::function(const FunctionDecl *F,
                                   const std::vector<OptionValue> &Given) {
  if (Calls >= MostCalls) {
    Failed = true;
    return {};
  }
  for (unsigned I = 0; I < F->getNumParams() && I < Given.size(); ++I)
    State[{F->getParamDecl(I)->getCanonicalDecl(), nullptr}] = Given[I];
  llvm::SaveAndRestore Deeper(Calls, Calls + 1);
  Returned = {};
  statement(F->getBody());
  return std::exchange(Returned, {});
}

OptionValue OptionRunner::call(const CallExpr *C) {
  if (auto *O = dyn_cast<CXXOperatorCallExpr>(C))
    return overloaded(O);
  const FunctionDecl *F = calledFunction(C);
  StringRef Name = calledName(C);
  bool IsSystem = F && Runs.Unit.isSystem(F->getLocation());
  if (auto *M = dyn_cast<CXXMemberCallExpr>(C); M && (!F || IsSystem))
    return method(M);
  std::vector<OptionValue> Given;
  for (const Expr *A : C->arguments())
    Given.push_back(value(A));
  if (F && F->isNoReturn()) {
    Failed = true;
    return {};
  }
  if (Name == "getopt" || Name == "getopt_long" || Name == "getopt_long_only")
    return getopt(C, Name == "getopt_long", Given);
  if (scan(C, Given))
    return OptionValue::integer(1);
  OptionValue V = library(Name, Given);
  if (V.What == OptionValue::Unknown && F && F->hasBody() && !IsSystem)
    V = function(F, Given);
  forgetPassed(C);
  return V;
}

// ---- getopt ----------------------------------------------------------------

/// An option of \p Letter, with what is attached to it (`-n5`, `--size=5`).
OptionValue OptionRunner::optionFound(int64_t Letter, bool TakesArgument,
                                      bool IsOptional, StringRef Attached,
                                      bool HasAttached) {
  Argument = {};
  see(OptionValue::text("", Words[OptionIndex].Number));
  if (TakesArgument && HasAttached) {
    Argument = OptionValue::text(Attached.str(), Words[OptionIndex].Number);
  } else if (TakesArgument && !IsOptional) {
    if (++OptionIndex >= Words.size())
      return OptionValue::integer('?');
    Argument =
        OptionValue::text(Words[OptionIndex].Text, Words[OptionIndex].Number);
  }
  ++OptionIndex;
  this->Letter = 0;
  return OptionValue::integer(Letter);
}

/// Row of \p Table, an array of `struct option`, that \p Rest (`size=5`) names.
OptionValue OptionRunner::longOption(const Expr *Table, StringRef Rest) {
  auto *R = Table ? dyn_cast<DeclRefExpr>(bare(Table)) : nullptr;
  auto *V = R ? dyn_cast<VarDecl>(R->getDecl()) : nullptr;
  const Expr *Init = V ? V->getAnyInitializer() : nullptr;
  auto *Rows = Init ? dyn_cast<InitListExpr>(bare(Init)) : nullptr;
  auto [Name, Attached] = Rest.split('=');
  const InitListExpr *Found = nullptr;
  unsigned Matches = 0;
  for (const Expr *Each : Rows ? Rows->inits() : llvm::ArrayRef<Expr *>()) {
    auto *Row = dyn_cast<InitListExpr>(bare(Each));
    OptionValue Option =
        Row && Row->getNumInits() == 4 ? value(Row->getInit(0)) : OptionValue();
    if (!isText(Option) || !StringRef(Option.Str).starts_with(Name))
      continue;
    ++Matches;
    Found = Row;
    if (Option.Str == Name) {
      Matches = 1;
      break;
    }
  }
  auto Takes = Matches == 1 ? value(Found->getInit(1)).asInteger()
                            : std::optional<int64_t>();
  auto Value = Matches == 1 ? value(Found->getInit(3)).asInteger()
                            : std::optional<int64_t>();
  // With a flag to set, or not in the table that is seen.
  if (!Takes || !Value || value(Found->getInit(2)).asInteger() != 0) {
    Failed = true;
    return {};
  }
  return optionFound(*Value, *Takes != 0, *Takes == 2, Attached,
                     Rest.contains('='));
}

OptionValue OptionRunner::getopt(const CallExpr *C, bool Long,
                                 const std::vector<OptionValue> &Given) {
  bool IsMain = Given.size() >= 3 && Given[1].What == OptionValue::List &&
                Given[1].Offset == 0 && isText(Given[2]);
  if (!IsMain || calledName(C) == "getopt_long_only") {
    Failed = true;
    return {};
  }
  StringRef Options = Given[2].Str;
  // Words that are no options go behind those that are.
  if (Letter == 0) {
    size_t Next = OptionIndex;
    auto IsOption = [&](size_t I) {
      return Words[I].Text.size() > 1 && Words[I].Text[0] == '-';
    };
    while (Next < Words.size() && !IsOption(Next) && Options[0] != '+')
      ++Next;
    if (Next >= Words.size() || !IsOption(Next) || Words[Next].Text == "--")
      return OptionValue::integer(-1);
    std::rotate(Words.begin() + OptionIndex, Words.begin() + Next, Words.end());
  }
  StringRef Word = Words[OptionIndex].Text;
  if (Letter == 0 && Long && Word.starts_with("--"))
    return longOption(C->getArg(3), Word.drop_front(2));
  Letter = Letter ? Letter : 1;
  char Wanted = Word[Letter];
  StringRef Rest = Word.drop_front(Letter + 1);
  size_t At = Wanted == ':' ? StringRef::npos : Options.find(Wanted);
  bool Takes = At != StringRef::npos && Options.substr(At + 1, 1) == ":";
  bool IsOptional = Takes && Options.substr(At + 2, 1) == ":";
  if (!Takes && !Rest.empty()) {
    ++Letter;
    see(OptionValue::text("", Words[OptionIndex].Number));
    Argument = {};
    return OptionValue::integer(At == StringRef::npos ? '?' : Wanted);
  }
  return optionFound(At == StringRef::npos ? '?' : Wanted, Takes, IsOptional,
                     Rest, !Rest.empty());
}
