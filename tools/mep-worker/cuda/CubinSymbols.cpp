#include "CubinSymbols.h"
#include "../Elf.h"
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <cxxabi.h>

using namespace mepworker;
using namespace mepworker::cuda;

// ---- symbols ---------------------------------------------------------------

namespace {

void readTable(const std::string &Data, const Elf64_Shdr &Table,
               uint64_t Strings, CubinSymbols &Out) {
  for (uint64_t Offset = 0; Offset + sizeof(Elf64_Sym) <= Table.sh_size;
       Offset += sizeof(Elf64_Sym)) {
    auto Symbol = elfAt<Elf64_Sym>(Data, Table.sh_offset + Offset);
    if (!Symbol)
      return;
    std::string Name = elfText(Data, Strings + Symbol->st_name);
    if (Symbol->st_shndx == SHN_UNDEF || Name.empty())
      continue;
    if (ELF64_ST_TYPE(Symbol->st_info) == STT_FUNC)
      Out.Functions.push_back(Name);
    else if (ELF64_ST_TYPE(Symbol->st_info) == STT_OBJECT)
      Out.Objects.push_back(Name);
  }
}

} // namespace

CubinSymbols mepworker::cuda::readSymbols(const std::string &Cubin) {
  CubinSymbols Result;
  const std::vector<Elf64_Shdr> Sections = elfSections(Cubin);
  for (const Elf64_Shdr &Table : Sections)
    if (Table.sh_type == SHT_SYMTAB && Table.sh_link < Sections.size())
      readTable(Cubin, Table, Sections[Table.sh_link].sh_offset, Result);
  return Result;
}

// ---- C++ names -------------------------------------------------------------

namespace {

constexpr const char *TagName = "mep_name_tag";

bool isSpecialisation(const std::string &Name) {
  return Name.find('<') != Name.npos;
}

std::string demangle(const std::string &Name) {
  int Status = 0;
  char *Text = abi::__cxa_demangle(Name.c_str(), nullptr, nullptr, &Status);
  std::string Result = Status == 0 && Text ? Text : Name;
  free(Text);
  return Result;
}

/// Position of the `(` that opens the parameter list which ends \p Function.
size_t parameterList(const std::string &Function) {
  if (Function.empty() || Function.back() != ')')
    return Function.size();
  unsigned Depth = 0;
  for (size_t I = Function.size(); I-- > 0;) {
    Depth += Function[I] == ')';
    Depth -= Function[I] == '(';
    if (Depth == 0)
      return I;
  }
  return Function.size();
}

/// `ns::k` of `ns::k(float*, int)`, with nothing that a compiler adds.
std::string plainName(const std::string &Mangled) {
  std::string Text = demangle(Mangled);
  return Text.substr(0, parameterList(Text));
}

/// nvcc puts internal names into a namespace of its own and anonymous ones into
/// `(anonymous namespace)`; a C++ name mentions neither.
std::string withoutInternal(std::string Name) {
  if (Name.rfind("_INTERNAL_", 0) == 0)
    if (size_t Colon = Name.find("::"); Colon != Name.npos)
      Name.erase(0, Colon + 2);
  for (size_t At; (At = Name.find("(anonymous namespace)::")) != Name.npos;)
    Name.erase(At, strlen("(anonymous namespace)::"));
  return Name;
}

std::string globalName(const std::string &Expression) {
  return Expression.rfind("::", 0) == 0 ? Expression.substr(2) : Expression;
}

/// The function that tag \p Index points at, demangled: the tag reads
/// `mep_name_tag<0, void (*)(float*), &(void k<float>(float*))>`.
std::string taggedFunction(const CubinSymbols &Symbols, size_t Index) {
  std::string Start = std::string(TagName) + "<" + std::to_string(Index) + ",";
  for (const std::string &Object : Symbols.Objects) {
    std::string Text = demangle(Object);
    if (Text.find(Start) == Text.npos)
      continue;
    size_t Address = Text.find("&(");
    if (Address == Text.npos || Text.size() < Address + 4)
      continue;
    return Text.substr(Address + 2, Text.size() - Address - 4);
  }
  return "";
}

} // namespace

std::string mepworker::cuda::nameTags(const std::vector<std::string> &Kernels) {
  std::string Text;
  for (size_t I = 0; I < Kernels.size(); ++I)
    if (isSpecialisation(Kernels[I]))
      Text += std::string("template __device__ int ") + TagName + "<" +
              std::to_string(I) + ", decltype(&" + Kernels[I] + "), &" +
              Kernels[I] + ">;\n";
  if (Text.empty())
    return Text;
  return std::string("\ntemplate <int I, typename T, T V> __device__ int ") +
         TagName + " = 0;\n" + Text;
}

std::string mepworker::cuda::findKernel(const CubinSymbols &Symbols,
                                        const std::vector<std::string> &Kernels,
                                        size_t Index) {
  std::string Wanted = globalName(Kernels[Index]), Tagged;
  if (isSpecialisation(Wanted))
    Tagged = taggedFunction(Symbols, Index);
  for (const std::string &Function : Symbols.Functions) {
    bool Same = isSpecialisation(Wanted)
                    ? !Tagged.empty() && demangle(Function) == Tagged
                    : withoutInternal(plainName(Function)) == Wanted;
    if (Same)
      return Function;
  }
  return "";
}

std::string mepworker::cuda::findObject(const CubinSymbols &Symbols,
                                        const std::string &Name) {
  for (const std::string &Object : Symbols.Objects)
    if (withoutInternal(demangle(Object)) == globalName(Name))
      return Object;
  return "";
}
