/// \file
/// Sections of ELF files, and whether two hold the same code.

#include "Elf.h"
#include "mep_fill.h"

using namespace mepworker;

std::string mepworker::elfText(const std::string &Data, uint64_t Offset) {
  if (Offset >= Data.size())
    return "";
  size_t End = Data.find('\0', Offset);
  return End == Data.npos ? "" : Data.substr(Offset, End - Offset);
}

std::vector<Elf64_Shdr> mepworker::elfSections(const std::string &Data) {
  std::vector<Elf64_Shdr> All;
  auto Header = elfAt<Elf64_Ehdr>(Data, 0);
  if (!Header || std::memcmp(Header->e_ident, ELFMAG, SELFMAG) != 0 ||
      Header->e_ident[EI_CLASS] != ELFCLASS64)
    return All;
  for (unsigned I = 0; I < Header->e_shnum; ++I) {
    auto Section =
        elfAt<Elf64_Shdr>(Data, Header->e_shoff + I * sizeof(Elf64_Shdr));
    if (!Section)
      return {};
    All.push_back(*Section);
  }
  return All;
}

namespace {

/// What only tells where code came from: names of files and tools, checksums
/// of the file itself, debug information.
bool isAboutTheFile(const Elf64_Shdr &Section, const std::string &Name) {
  if (Section.sh_type == SHT_SYMTAB || Section.sh_type == SHT_STRTAB ||
      Section.sh_type == SHT_NOTE)
    return true;
  for (const char *Start : {".comment", ".debug", ".nv_debug", ".note"})
    if (Name.rfind(Start, 0) == 0)
      return true;
  return false;
}

} // namespace

uint64_t mepworker::codeDigest(const std::string &Data) {
  const std::vector<Elf64_Shdr> Sections = elfSections(Data);
  auto Header = elfAt<Elf64_Ehdr>(Data, 0);
  if (Sections.empty() || Header->e_shstrndx >= Sections.size())
    return 0;
  uint64_t Sum = mep_fill::ChecksumStart;
  for (const Elf64_Shdr &Section : Sections) {
    std::string Name =
        elfText(Data, Sections[Header->e_shstrndx].sh_offset + Section.sh_name);
    if (isAboutTheFile(Section, Name))
      continue;
    Sum = mep_fill::checksum(Sum, Name.data(), Name.size());
    if (Section.sh_type == SHT_NOBITS) {
      Sum = mep_fill::checksumLength(Sum, Section.sh_size);
      continue;
    }
    if (Section.sh_offset > Data.size() ||
        Data.size() - Section.sh_offset < Section.sh_size)
      return 0;
    Sum = mep_fill::checksum(Sum, Data.data() + Section.sh_offset,
                             Section.sh_size);
  }
  return Sum ? Sum : 1;
}
