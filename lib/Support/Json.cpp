#include "mep/Support/Json.h"
#include "mep/Support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"
#include <limits>
#include <nlohmann/json.hpp>

using namespace mep;
using llvm::StringRef;

namespace {

/// nlohmann reports syntax errors through exceptions or, with exceptions off,
/// through a SAX handler; this one only remembers where the text broke.
struct SyntaxProbe : nlohmann::json_sax<Json> {
  size_t Position = 0;
  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t &) override { return true; }
  bool string(string_t &) override { return true; }
  bool binary(binary_t &) override { return true; }
  bool start_object(size_t) override { return true; }
  bool key(string_t &) override { return true; }
  bool end_object() override { return true; }
  bool start_array(size_t) override { return true; }
  bool end_array() override { return true; }
  bool parse_error(size_t At, const std::string &,
                   const nlohmann::detail::exception &) override {
    Position = At;
    return false;
  }
};

/// Deeper nesting than any real file; guards the recursive parser's stack.
constexpr unsigned MaxDepth = 256;

bool nestsTooDeep(StringRef Text) {
  unsigned Depth = 0;
  bool InString = false;
  for (size_t I = 0; I < Text.size(); ++I) {
    char C = Text[I];
    if (InString) {
      if (C == '\\')
        ++I;
      else if (C == '"')
        InString = false;
    } else if (C == '"') {
      InString = true;
    } else if (C == '{' || C == '[') {
      if (++Depth > MaxDepth)
        return true;
    } else if ((C == '}' || C == ']') && Depth) {
      --Depth;
    }
  }
  return false;
}

std::string position(StringRef Text, size_t Offset, StringRef Where) {
  StringRef Before = Text.take_front(Offset ? Offset - 1 : 0);
  size_t Line = Before.count('\n') + 1;
  size_t Column = Before.size() - (Before.rfind('\n') + 1) + 1;
  return (Where + ":" + llvm::Twine(Line) + ":" + llvm::Twine(Column)).str();
}

} // namespace

llvm::Expected<Json> mep::parseJson(StringRef Text, StringRef Where) {
  if (nestsTooDeep(Text))
    return makeError(Failure::Workload, "JSON nested too deeply", Where.str());
  Json Value = Json::parse(Text.begin(), Text.end(), nullptr,
                           /*allow_exceptions=*/false,
                           /*ignore_comments=*/true);
  if (!Value.is_discarded())
    return Value;
  SyntaxProbe Probe;
  Json::sax_parse(Text.begin(), Text.end(), &Probe,
                  nlohmann::detail::input_format_t::json, /*strict=*/true,
                  /*ignore_comments=*/true);
  return makeError(Failure::Workload, "not valid JSON",
                   position(Text, Probe.Position, Where));
}

std::string mep::printJson(const Json &Value, bool Pretty) {
  std::string Text =
      Value.dump(Pretty ? 2 : -1, ' ', false, Json::error_handler_t::replace);
  if (Pretty)
    Text += '\n';
  return Text;
}

JsonReader::JsonReader(const Json &Object, std::string Where)
    : Object(Object), Where(std::move(Where)) {
  if (!Object.is_object())
    fail("", "expected an object");
}

JsonReader::~JsonReader() {
  if (Parent && Parent->Problem.empty() && !Problem.empty()) {
    Parent->Problem = std::move(Problem);
    Parent->ProblemWhere = std::move(ProblemWhere);
  }
}

bool JsonReader::has(StringRef Key) const {
  return Object.is_object() && Object.contains(Key.str());
}

void JsonReader::fail(StringRef Key, const llvm::Twine &Message) {
  if (!Problem.empty())
    return;
  Problem = Message.str();
  ProblemWhere = Where;
  if (!Key.empty())
    ProblemWhere += (StringRef(Where).ends_with(":") ? " " : ".") + Key.str();
}

const Json *JsonReader::find(StringRef Key, const char *Wanted) {
  if (failed())
    return nullptr;
  auto It = Object.find(Key.str());
  if (It == Object.end()) {
    fail(Key, llvm::Twine("missing; expected ") + Wanted);
    return nullptr;
  }
  return &*It;
}

void JsonReader::read(StringRef Key, std::string &Out) {
  const Json *V = find(Key, "a string");
  if (V && !V->is_string())
    return fail(Key, "expected a string");
  if (V)
    Out = V->get<std::string>();
}

void JsonReader::read(StringRef Key, bool &Out) {
  const Json *V = find(Key, "true or false");
  if (V && !V->is_boolean())
    return fail(Key, "expected true or false");
  if (V)
    Out = V->get<bool>();
}

void JsonReader::read(StringRef Key, int64_t &Out) {
  const Json *V = find(Key, "an integer");
  if (V &&
      (!V->is_number_integer() ||
       (V->is_number_unsigned() &&
        V->get<uint64_t>() > uint64_t(std::numeric_limits<int64_t>::max()))))
    return fail(Key, "expected an integer");
  if (V)
    Out = V->get<int64_t>();
}

void JsonReader::read(StringRef Key, uint64_t &Out) {
  const Json *V = find(Key, "a non-negative integer");
  if (V && !V->is_number_unsigned() &&
      !(V->is_number_integer() && V->get<int64_t>() >= 0))
    return fail(Key, "expected a non-negative integer");
  if (V)
    Out = V->get<uint64_t>();
}

void JsonReader::read(StringRef Key, unsigned &Out) {
  uint64_t Wide = 0;
  read(Key, Wide);
  if (failed())
    return;
  if (Wide > std::numeric_limits<unsigned>::max())
    return fail(Key, "too large");
  Out = unsigned(Wide);
}

void JsonReader::read(StringRef Key, double &Out) {
  const Json *V = find(Key, "a number");
  if (V && !V->is_number())
    return fail(Key, "expected a number");
  if (V)
    Out = V->get<double>();
}

void JsonReader::read(StringRef Key, std::vector<std::string> &Out) {
  const Json *V = find(Key, "an array of strings");
  if (!V)
    return;
  if (!V->is_array() ||
      !llvm::all_of(*V, [](const Json &E) { return E.is_string(); }))
    return fail(Key, "expected an array of strings");
  Out = V->get<std::vector<std::string>>();
}

void JsonReader::read(StringRef Key, std::vector<int64_t> &Out) {
  const Json *V = find(Key, "an array of integers");
  if (!V)
    return;
  if (!V->is_array() ||
      !llvm::all_of(*V, [](const Json &E) { return E.is_number_integer(); }))
    return fail(Key, "expected an array of integers");
  Out = V->get<std::vector<int64_t>>();
}

void JsonReader::read(StringRef Key, std::vector<double> &Out) {
  const Json *V = find(Key, "an array of numbers");
  if (!V)
    return;
  if (!V->is_array() ||
      !llvm::all_of(*V, [](const Json &E) { return E.is_number(); }))
    return fail(Key, "expected an array of numbers");
  Out = V->get<std::vector<double>>();
}

void JsonReader::readExpression(StringRef Key, std::string &Out) {
  const Json *V = find(Key, "an expression");
  if (!V)
    return;
  if (V->is_string())
    Out = V->get<std::string>();
  else if (V->is_number() || V->is_boolean())
    Out = V->dump();
  else
    fail(Key, "expected an expression (a string or a number)");
}

void JsonReader::object(StringRef Key,
                        llvm::function_ref<void(JsonReader &)> Visit) {
  if (failed() || !has(Key))
    return;
  JsonReader Inner(Object[Key.str()], Where + "." + Key.str());
  Inner.Parent = this;
  if (!Inner.failed())
    Visit(Inner);
}

void JsonReader::objects(StringRef Key,
                         llvm::function_ref<void(JsonReader &)> Visit) {
  if (failed() || !has(Key))
    return;
  const Json &Array = Object[Key.str()];
  if (!Array.is_array())
    return fail(Key, "expected an array of objects");
  for (size_t I = 0; I < Array.size() && !failed(); ++I) {
    JsonReader Inner(Array[I],
                     Where + "." + Key.str() + "[" + std::to_string(I) + "]");
    Inner.Parent = this;
    if (!Inner.failed())
      Visit(Inner);
  }
}

void JsonReader::members(
    llvm::function_ref<void(StringRef, const Json &)> Visit) {
  if (failed())
    return;
  for (const auto &[Key, Value] : Object.items())
    Visit(Key, Value);
}

void JsonReader::rejectUnknown(llvm::ArrayRef<StringRef> Known) {
  if (failed())
    return;
  for (const auto &[Key, Value] : Object.items())
    if (!llvm::is_contained(Known, StringRef(Key)))
      return fail(Key, "unknown member; known are " + llvm::join(Known, ", "));
}

llvm::Error JsonReader::takeError() {
  if (Problem.empty())
    return llvm::Error::success();
  std::string Message = std::move(Problem);
  Problem.clear();
  return makeError(Failure::Workload, std::move(Message),
                   std::move(ProblemWhere));
}
