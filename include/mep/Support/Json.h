/// \file
/// The one door to JSON: parse, print, and read with checks. Everything that
/// comes from outside (a user's workload, a worker's answer, a journal) is read
/// through \c JsonReader, so that a wrong file gives one error that names the
/// path of the wrong member. Only sources include nlohmann/json.hpp itself.

#ifndef MEP_SUPPORT_JSON_H
#define MEP_SUPPORT_JSON_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace mep {

/// Members keep the order they were written in.
using Json = nlohmann::ordered_json;

/// Parses \p Text. \p Where names its origin in errors (`FILE` becomes
/// `FILE:line:column`). \p Kind is the class of the error.
llvm::Expected<Json> parseJson(llvm::StringRef Text, llvm::StringRef Where);

/// One line without blanks, or two-space indented and ended by a newline.
/// Invalid UTF-8 is replaced, never an error.
std::string printJson(const Json &Value, bool Pretty = false);

/// Reads members of one JSON object. The first problem is kept and everything
/// after it is a no-op, so a caller reads all members and then checks once with
/// \c takeError (failure class Workload, place = origin + JSON path).
class JsonReader {
public:
  /// \p Where: origin and path so far, e.g. `workload.json: buffers[2]`.
  JsonReader(const Json &Object, std::string Where);
  JsonReader(const JsonReader &) = delete;
  ~JsonReader();

  bool has(llvm::StringRef Key) const;

  /// Required members: absent or of the wrong type is an error.
  void read(llvm::StringRef Key, std::string &Out);
  void read(llvm::StringRef Key, bool &Out);
  void read(llvm::StringRef Key, int64_t &Out);
  void read(llvm::StringRef Key, uint64_t &Out);
  void read(llvm::StringRef Key, unsigned &Out);
  void read(llvm::StringRef Key, double &Out);
  void read(llvm::StringRef Key, std::vector<std::string> &Out);
  void read(llvm::StringRef Key, std::vector<int64_t> &Out);
  void read(llvm::StringRef Key, std::vector<double> &Out);

  /// Absent leaves \p Out as it is; the wrong type is an error.
  template <typename T> void readIf(llvm::StringRef Key, T &Out) {
    if (has(Key))
      read(Key, Out);
  }

  /// Calls \p Visit for the object member \p Key (nothing when absent).
  void object(llvm::StringRef Key,
              llvm::function_ref<void(JsonReader &)> Visit);
  /// Calls \p Visit for each object of the array member \p Key (nothing when
  /// absent), in order.
  void objects(llvm::StringRef Key,
               llvm::function_ref<void(JsonReader &)> Visit);
  /// Calls \p Visit with the name and value of each member of this object.
  void members(llvm::function_ref<void(llvm::StringRef, const Json &)> Visit);

  /// A string, or a number or boolean as its JSON text: what a hand-written
  /// expression member may be.
  void readExpression(llvm::StringRef Key, std::string &Out);

  /// Any member that is not in \p Known is an error that lists them.
  void rejectUnknown(llvm::ArrayRef<llvm::StringRef> Known);

  /// Records a problem with member \p Key found by the caller.
  void fail(llvm::StringRef Key, const llvm::Twine &Message);

  const Json &value() const { return Object; }
  const std::string &where() const { return Where; }
  bool failed() const { return !Problem.empty(); }
  llvm::Error takeError();

private:
  const Json *find(llvm::StringRef Key, const char *Wanted);
  const Json &Object;
  std::string Where;
  std::string Problem, ProblemWhere;
  JsonReader *Parent = nullptr;
};

} // namespace mep

#endif // MEP_SUPPORT_JSON_H
