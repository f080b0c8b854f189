/// \file
/// Reading the ELF files that compilers make: cubins and shared objects.

#ifndef MEP_WORKER_ELF_H
#define MEP_WORKER_ELF_H

#include <cstdint>
#include <cstring>
#include <elf.h>
#include <optional>
#include <string>
#include <vector>

namespace mepworker {

/// The object at byte \p Offset of \p Data; none when it reaches past the end.
template <typename T>
std::optional<T> elfAt(const std::string &Data, uint64_t Offset) {
  if (Offset > Data.size() || Data.size() - Offset < sizeof(T))
    return std::nullopt;
  T Value;
  std::memcpy(&Value, Data.data() + Offset, sizeof(T));
  return Value;
}

/// The text that begins at byte \p Offset; empty when that is past the end.
std::string elfText(const std::string &Data, uint64_t Offset);

/// All section headers of a 64-bit file; none when \p Data is no such file or
/// cut off.
std::vector<Elf64_Shdr> elfSections(const std::string &Data);

/// A hash of the names and contents of all sections that make up the code and
/// its data: equal for two builds of equal code, whatever the files that they
/// came from were called. 0: \p Data is no such file.
uint64_t codeDigest(const std::string &Data);

} // namespace mepworker

#endif // MEP_WORKER_ELF_H
