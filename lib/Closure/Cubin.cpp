#include "Cubin.h"
#include "ChunkTable.h"
#include "mep/Support/Error.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mep;
using llvm::Expected;
using llvm::StringRef;

/// Replaces each length-prefixed name in \p Symbol that contains \p Marker.
static std::string replaceNames(StringRef Symbol, StringRef Marker,
                                StringRef With) {
  std::string Result;
  for (size_t At = 0; At < Symbol.size();) {
    if (!llvm::isDigit(Symbol[At])) {
      Result += Symbol[At++];
      continue;
    }
    size_t Digits = Symbol.find_first_not_of("0123456789", At);
    size_t Length = 0;
    StringRef Number = Symbol.slice(At, Digits);
    // A literal such as Li16E is no length.
    bool IsName = Digits != StringRef::npos && !Number.getAsInteger(10, Length) &&
                  Digits + Length <= Symbol.size() &&
                  Symbol.substr(Digits, Length).contains(Marker);
    if (IsName) {
      Result += With;
      At = Digits + Length;
    } else {
      Result += Number;
      At += Number.size();
    }
  }
  return Result;
}

std::string mep::comparableSymbol(StringRef Symbol) {
  std::string Once = replaceNames(Symbol, "_INTERNAL_", "");
  Once = replaceNames(Once, "_GLOBAL__N_", "@");
  return replaceNames(Once, LocalNamespace, "@");
}

const KernelCode *Cubin::find(StringRef Symbol) const {
  std::string Wanted = comparableSymbol(Symbol);
  for (const KernelCode &K : Kernels)
    if (K.Symbol == Symbol)
      return &K;
  for (const KernelCode &K : Kernels)
    if (comparableSymbol(K.Symbol) == Wanted)
      return &K;
  return nullptr;
}

static llvm::Error readRelocations(const llvm::object::ELFObjectFileBase &Elf,
                                   const llvm::object::SectionRef &Section,
                                   std::vector<CodeRelocation> &Out) {
  (void)Elf;
  for (const llvm::object::RelocationRef &R : Section.relocations()) {
    CodeRelocation Relocation{R.getOffset(), R.getType(), {}};
    auto Symbol = R.getSymbol();
    auto Name = Symbol->getName();
    if (!Name)
      return Name.takeError();
    Relocation.Symbol = comparableSymbol(*Name);
    Out.push_back(std::move(Relocation));
  }
  return llvm::Error::success();
}

Expected<Cubin> mep::readCubin(StringRef Path) {
  auto Broken = [&](llvm::Error E) {
    return makeError(Failure::Toolchain,
                     "not a cubin: " + llvm::toString(std::move(E)),
                     Path.str());
  };
  auto Buffer = llvm::MemoryBuffer::getFile(Path);
  if (!Buffer)
    return Broken(llvm::errorCodeToError(Buffer.getError()));
  auto Object =
      llvm::object::ObjectFile::createELFObjectFile((*Buffer)->getMemBufferRef());
  if (!Object)
    return Broken(Object.takeError());
  const auto &Elf = llvm::cast<llvm::object::ELFObjectFileBase>(**Object);
  Cubin Result;
  std::map<uint64_t, size_t> ByIndex;
  for (const llvm::object::SectionRef &Section : Elf.sections()) {
    auto Name = Section.getName();
    if (!Name || !Name->starts_with(".text."))
      continue;
    auto Bytes = Section.getContents();
    if (!Bytes)
      return Broken(Bytes.takeError());
    ByIndex[Section.getIndex()] = Result.Kernels.size();
    Result.Kernels.push_back({Name->substr(6).str(), Bytes->str(), {}});
  }
  for (const llvm::object::SectionRef &Section : Elf.sections()) {
    auto Target = Section.getRelocatedSection();
    if (!Target)
      return Broken(Target.takeError());
    if (*Target == Elf.section_end())
      continue;
    auto It = ByIndex.find((*Target)->getIndex());
    if (It == ByIndex.end())
      continue;
    if (llvm::Error E =
            readRelocations(Elf, Section, Result.Kernels[It->second].Relocations))
      return Broken(std::move(E));
  }
  return Result;
}

std::string mep::difference(const KernelCode &A, const KernelCode &B) {
  if (A.Bytes.size() != B.Bytes.size())
    return "the application's kernel has " + std::to_string(A.Bytes.size()) +
           " bytes of machine code, the closure's " +
           std::to_string(B.Bytes.size());
  size_t Differing = 0, First = 0;
  for (size_t I = A.Bytes.size(); I-- > 0;)
    if (A.Bytes[I] != B.Bytes[I]) {
      ++Differing;
      First = I;
    }
  if (Differing)
    return std::to_string(Differing) + " of " +
           std::to_string(A.Bytes.size()) +
           " bytes of machine code differ, the first at " +
           std::to_string(First);
  if (A.Relocations != B.Relocations)
    return "the machine code is the same but refers to other symbols";
  return {};
}
