/// \file
/// Fences, code, plan: a reply taken apart.

#include "mep/Optimize/Reply.h"
#include "mep/Support/Error.h"
#include "mep/Support/Json.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Regex.h"
#include <nlohmann/json.hpp>
#include <set>

using namespace mep;
using llvm::StringRef;

namespace {

llvm::Error unclear(const llvm::Twine &What) {
  return makeError(Failure::Unsupported, What.str(), "reply");
}

// ---- text -------------------------------------------------------------------

/// Line feeds only, valid UTF-8, and no control character, as those move a
/// terminal's cursor.
std::string cleaned(StringRef Text) {
  Text.consume_front("\xef\xbb\xbf");
  const std::string Valid =
      llvm::json::isUTF8(Text) ? Text.str() : llvm::json::fixUTF8(Text);
  std::string Out;
  for (size_t I = 0; I < Valid.size(); ++I) {
    const unsigned char C = Valid[I];
    const StringRef Rest = StringRef(Valid).drop_front(I + 1);
    if (C == '\r')
      Out += Rest.starts_with("\n") ? "" : "\n";
    else if (C == 0xc2 && (unsigned char)Rest[0] < 0xa0)
      ++I; // U+0080 to U+009F.
    else if (C == '\n' || C == '\t' || (C >= ' ' && C != 0x7f))
      Out += char(C);
  }
  return Out;
}

/// JSON as people write it: without its comments and trailing commas.
std::string plainJson(StringRef Text) {
  std::string Out;
  auto dropComma = [&] {
    size_t Last = Out.find_last_not_of(" \t\n");
    if (Last != Out.npos && Out[Last] == ',')
      Out.erase(Last, 1);
  };
  while (!Text.empty()) {
    if (Text.starts_with("//")) {
      Text = Text.drop_until([](char C) { return C == '\n'; });
      continue;
    }
    if (Text.starts_with("/*")) {
      size_t End = Text.find("*/");
      Text = End == StringRef::npos ? "" : Text.substr(End + 2);
      continue;
    }
    size_t Length = 1;
    if (Text[0] == '"') {
      while (Length < Text.size() && Text[Length] != '"')
        Length += Text[Length] == '\\' ? 2 : 1;
      ++Length;
    } else if (Text[0] == '}' || Text[0] == ']') {
      dropComma();
    }
    Out += Text.take_front(Length);
    Text = Text.drop_front(std::min(Length, Text.size()));
  }
  return Out;
}

// ---- blocks -----------------------------------------------------------------

struct Block {
  std::string Label; ///< What follows the fence: `cuda`, `json`, ….
  std::string Text;

  bool isJson() const {
    return StringRef(Label).starts_with_insensitive("json") ||
           (Label.empty() && StringRef(Text).ltrim().starts_with("{"));
  }
};

/// Characters of the fence that \p Line is; 0: none.
size_t fenceLength(StringRef Line, char Mark) {
  StringRef Rest = Line.ltrim(' ').ltrim(Mark);
  size_t Length = Line.ltrim(' ').size() - Rest.size();
  return Length >= 3 ? Length : 0;
}

/// As CommonMark has fenced code blocks.
llvm::Expected<std::vector<Block>> readBlocks(StringRef Text) {
  std::vector<Block> Blocks;
  char Mark = 0;
  size_t Open = 0;
  while (!Text.empty()) {
    auto [Line, Rest] = Text.split('\n');
    Text = Rest;
    if (!Open) {
      for (char Each : {'`', '~'})
        if (size_t Length = fenceLength(Line, Each)) {
          Open = Length;
          Mark = Each;
          Blocks.push_back({Line.ltrim(' ').ltrim(Each).trim().lower(), ""});
        }
    } else if (fenceLength(Line, Mark) >= Open &&
               Line.trim().ltrim(Mark).empty()) {
      Open = 0;
    } else {
      Blocks.back().Text += (Line + "\n").str();
    }
  }
  if (Open)
    return unclear("its last code block is not closed: the reply is cut off");
  return Blocks;
}

/// The names after `__global__` that are followed by a parameter list.
std::vector<std::string> kernelNames(StringRef Code) {
  std::vector<std::string> Names;
  static const llvm::Regex Name("([A-Za-z_][A-Za-z_0-9]*)[ \t\n]*$");
  for (size_t At = 0; (At = Code.find("__global__", At)) != StringRef::npos;) {
    At += 10;
    StringRef Rest = Code.substr(At);
    // An attribute's parentheses come before the kernel's own.
    for (size_t Attribute;
         (Attribute = Rest.take_until([](char C) { return C == '{'; })
                          .find("__launch_bounds__")) != StringRef::npos;)
      Rest = Rest.substr(Rest.find(')', Attribute)).drop_front();
    llvm::SmallVector<StringRef, 2> Match;
    if (Name.match(Rest.take_until([](char C) { return C == '('; }), &Match))
      Names.push_back(Match[1].str());
  }
  return Names;
}

/// Joins the blocks that are code; kernels may be spread over several.
llvm::Expected<std::string> codeOf(const std::vector<Block> &Blocks,
                                   const std::string &Whole) {
  std::string Code;
  std::set<std::string> Known;
  for (const Block &Each : Blocks) {
    if (Each.isJson())
      continue;
    for (const std::string &Name : kernelNames(Each.Text))
      if (!Known.insert(Name).second)
        return unclear("kernel '" + Name +
                       "' is defined twice: give one version");
    Code += Each.Text;
  }
  if (Blocks.empty())
    Code = Whole;
  if (kernelNames(Code).empty())
    return unclear("holds no kernel: expected a fenced block of device code "
                   "with a __global__ function");
  return Code;
}

// ---- plan -------------------------------------------------------------------

llvm::Error readPlan(const Block &From, Candidate &Into) {
  auto Value = parseJson(plainJson(From.Text), "reply: plan");
  if (!Value)
    return unclear(llvm::toString(Value.takeError()));
  JsonReader R(*Value, "reply: plan");
  if (!R.has("plan")) {
    auto Plan = launchPlanFromJson(*Value, "reply: plan");
    if (!Plan)
      return unclear(llvm::toString(Plan.takeError()));
    Into.Plan = std::move(*Plan);
  } else {
    R.readIf("moves", Into.Moves);
    R.readIf("summary", Into.Summary);
    R.object("plan", [&](JsonReader &P) {
      auto Plan = launchPlanFromJson(P.value(), P.where());
      if (Plan)
        Into.Plan = std::move(*Plan);
      else
        R.fail("plan", llvm::toString(Plan.takeError()));
    });
  }
  if (llvm::Error E = R.takeError())
    return unclear(llvm::toString(std::move(E)));
  return llvm::Error::success();
}

} // namespace

llvm::Expected<Candidate> mep::parseReply(StringRef Text) {
  if (Text.size() > MostReplyBytes)
    return unclear("has " + llvm::Twine(Text.size()) + " bytes, more than " +
                   llvm::Twine(MostReplyBytes));
  const std::string Whole = cleaned(Text);
  auto Blocks = readBlocks(Whole);
  if (!Blocks)
    return Blocks.takeError();
  Candidate Result;
  auto Code = codeOf(*Blocks, Whole);
  if (!Code)
    return Code.takeError();
  Result.DeviceText = StringRef(*Code).trim().str();
  bool HasPlan = false;
  for (const Block &Each : *Blocks) {
    if (!Each.isJson())
      continue;
    if (std::exchange(HasPlan, true))
      return unclear("has two plans: give one");
    if (llvm::Error E = readPlan(Each, Result))
      return std::move(E);
  }
  return Result;
}
