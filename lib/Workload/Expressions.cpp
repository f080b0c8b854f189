/// \file
/// Names of expressions, and their evaluation in one batch. A step inside
/// "symbolic to numbers" (Resolve.h).

#include "Expressions.h"
#include "mep/Support/Error.h"
#include "llvm/ADT/StringExtras.h"

using namespace mep;
using llvm::StringRef;

static bool isNameStart(char C) { return llvm::isAlpha(C) || C == '_'; }
static bool isNamePart(char C) { return llvm::isAlnum(C) || C == '_'; }

/// End of the number that starts at \p I: digits, suffixes, exponent signs.
static size_t numberEnd(StringRef Text, size_t I) {
  while (I < Text.size()) {
    char C = Text[I];
    bool Sign = (C == '+' || C == '-') && I > 0 &&
                StringRef("eEpP").contains(Text[I - 1]) &&
                !Text.substr(0, I).contains_insensitive("0x");
    if (!isNamePart(C) && C != '.' && C != '\'' && !Sign)
      break;
    ++I;
  }
  return I;
}

static size_t nameEnd(StringRef Text, size_t I) {
  while (I < Text.size() && isNamePart(Text[I]))
    ++I;
  return I;
}

std::string
mep::replaceNames(StringRef Text,
                  llvm::function_ref<std::string(StringRef)> Replace) {
  std::string Out;
  size_t I = 0;
  while (I < Text.size()) {
    if (llvm::isDigit(Text[I])) {
      size_t End = numberEnd(Text, I);
      Out += Text.slice(I, End);
      I = End;
      continue;
    }
    if (!isNameStart(Text[I])) {
      Out += Text[I++];
      continue;
    }
    std::vector<size_t> Ends = {nameEnd(Text, I)};
    while (Ends.back() + 1 < Text.size() && Text[Ends.back()] == '.' &&
           isNameStart(Text[Ends.back() + 1]))
      Ends.push_back(nameEnd(Text, Ends.back() + 1));
    bool Qualified = StringRef(Out).ends_with("::") ||
                     Text.substr(Ends.front()).ltrim().starts_with("::");
    std::string New;
    size_t End = Ends.back();
    for (size_t K = Ends.size(); K-- && New.empty() && !Qualified;)
      New = Replace(Text.slice(I, End = Ends[K]));
    Out += New.empty() ? Text.slice(I, End = Ends.back()).str() : New;
    I = End;
  }
  return Out;
}

bool mep::usesName(StringRef Text, StringRef Name) {
  bool Found = false;
  replaceNames(Text, [&](StringRef N) {
    Found |= N == Name;
    return std::string();
  });
  return Found;
}

void Expressions::beginScope() {
  Scope.clear();
  ScopeBegin = Unique.size();
}

std::string Expressions::rewritten(StringRef Text) const {
  return replaceNames(Text, [&](StringRef Name) {
    auto Found = Scope.find(Name);
    return Found == Scope.end() ? std::string() : Found->second;
  });
}

void Expressions::define(StringRef Name, StringRef Type, StringRef Value,
                         const llvm::Twine &Where) {
  std::string New = "mep_" + std::to_string(Unique.size());
  Unique.push_back({New, Type.str(), rewritten(Value)});
  Original.push_back({Name.str(), Type.str(), Value.str()});
  ConstantWhere.push_back(Where.str());
  Scope[Name] = New;
}

size_t Expressions::ask(StringRef Text, const llvm::Twine &Where) {
  Asked.push_back({Text.str(), Where.str(), ScopeBegin, Unique.size()});
  AskedUnique.push_back(rewritten(Text));
  return Asked.size() - 1;
}

llvm::Error Expressions::evaluate() {
  for (const Question &Q : Asked)
    if (StringRef(Q.Text).trim().empty())
      return makeError(Failure::Workload, "the expression is empty", Q.Where);
  auto Result = evaluateConstants(Unique, AskedUnique, "workload");
  if (!Result)
    return explain(Result.takeError());
  Values = std::move(*Result);
  return llvm::Error::success();
}

/// The batch failed under names of our own: evaluate one expression after
/// another under the user's names, so that the message speaks of those.
llvm::Error Expressions::explain(llvm::Error Batch) const {
  llvm::ArrayRef<NamedConstant> All(Original);
  auto Try = [&](size_t Begin, size_t End, const std::string &Text,
                 const std::string &Where) -> llvm::Error {
    auto Value =
        evaluateConstants(All.slice(Begin, End - Begin), {Text}, Where);
    return Value ? llvm::Error::success() : Value.takeError();
  };
  for (const Question &Q : Asked) {
    for (size_t I = Q.ScopeBegin; I < Q.ScopeEnd; ++I)
      if (llvm::Error E =
              Try(Q.ScopeBegin, I + 1, Original[I].Name, ConstantWhere[I])) {
        llvm::consumeError(std::move(Batch));
        return E;
      }
    if (llvm::Error E = Try(Q.ScopeBegin, Q.ScopeEnd, Q.Text, Q.Where)) {
      llvm::consumeError(std::move(Batch));
      return E;
    }
  }
  return Batch;
}
