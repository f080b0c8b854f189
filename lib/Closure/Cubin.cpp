#include "Cubin.h"
#include "ChunkTable.h"
#include "mep/Support/Error.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/Endian.h"
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
    bool IsName = Digits != StringRef::npos &&
                  !Number.getAsInteger(10, Length) &&
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

// ---- reading ---------------------------------------------------------------

namespace {

class Reader {
public:
  explicit Reader(const llvm::object::ELFObjectFileBase &Elf) : Elf(Elf) {}
  llvm::Error read();
  Cubin Result;

private:
  llvm::Error readCode();
  llvm::Error readConstants();
  llvm::Error readRelocations(const llvm::object::SectionRef &Section);
  llvm::Error readAddresses(const llvm::object::SectionRef &Section);
  std::string pointee(const llvm::object::RelocationRef &Relocation);

  const llvm::object::ELFObjectFileBase &Elf;
  std::map<uint64_t, size_t> KernelOf; ///< By section index.
};

} // namespace

llvm::Error Reader::readCode() {
  for (const llvm::object::SectionRef &Section : Elf.sections()) {
    auto Name = Section.getName();
    if (!Name)
      return Name.takeError();
    if (!Name->starts_with(".text."))
      continue;
    auto Bytes = Section.getContents();
    if (!Bytes)
      return Bytes.takeError();
    KernelOf[Section.getIndex()] = Result.Kernels.size();
    Result.Kernels.push_back({Name->substr(6).str(), Bytes->str(), {}});
  }
  return llvm::Error::success();
}

llvm::Error Reader::readConstants() {
  for (const llvm::object::ELFSymbolRef Symbol : Elf.symbols()) {
    auto Section = Symbol.getSection();
    auto Name = Symbol.getName();
    if (!Section || !Name)
      return llvm::joinErrors(Section ? llvm::Error::success()
                                      : Section.takeError(),
                              Name ? llvm::Error::success() : Name.takeError());
    if (*Section == Elf.section_end() || Symbol.getSize() == 0)
      continue;
    auto Home = (*Section)->getName();
    auto Value = Symbol.getValue();
    if (!Home || !Value)
      return llvm::joinErrors(Home ? llvm::Error::success() : Home.takeError(),
                              Value ? llvm::Error::success()
                                    : Value.takeError());
    if (*Home == ".nv.constant3")
      Result.Constants.push_back(
          {*Value, *Value + Symbol.getSize(), comparableSymbol(*Name)});
  }
  return llvm::Error::success();
}

/// What a slot of addresses points to. The compiler numbers its strings, so
/// they are named by their bytes.
std::string Reader::pointee(const llvm::object::RelocationRef &Relocation) {
  llvm::object::ELFSymbolRef Symbol(*Relocation.getSymbol());
  auto Name = Symbol.getName();
  if (!Name) {
    llvm::consumeError(Name.takeError());
    return {};
  }
  // A function of the same module that is not inlined is reached under its name
  // and a number.
  auto [Plain, Number] = Name->rsplit('$');
  if (Symbol.getELFType() == llvm::ELF::STT_FUNC && !Plain.empty() &&
      !Number.empty() && llvm::all_of(Number, llvm::isDigit))
    return comparableSymbol(Plain);
  if (!Name->starts_with("$str"))
    return comparableSymbol(*Name);
  auto Section = Symbol.getSection();
  auto Value = Symbol.getValue();
  if (!Section || !Value || *Section == Elf.section_end()) {
    llvm::consumeError(Section.takeError());
    llvm::consumeError(Value.takeError());
    return {};
  }
  auto Bytes = (*Section)->getContents();
  if (!Bytes) {
    llvm::consumeError(Bytes.takeError());
    return {};
  }
  return "\"" + Bytes->substr(*Value, Symbol.getSize()).str();
}

llvm::Error Reader::readAddresses(const llvm::object::SectionRef &Section) {
  for (const llvm::object::RelocationRef &R : Section.relocations()) {
    auto Addend = llvm::object::ELFRelocationRef(R).getAddend();
    int64_t Offset = Addend ? *Addend : 0;
    if (!Addend)
      llvm::consumeError(Addend.takeError());
    Result.Addresses[R.getOffset()] =
        pointee(R) + (Offset ? "+" + std::to_string(Offset) : std::string());
  }
  return llvm::Error::success();
}

llvm::Error Reader::readRelocations(const llvm::object::SectionRef &Section) {
  auto Target = Section.getRelocatedSection();
  if (!Target)
    return Target.takeError();
  if (*Target == Elf.section_end())
    return llvm::Error::success();
  auto Name = (*Target)->getName();
  if (!Name)
    return Name.takeError();
  if (*Name == ".nv.constant4")
    return readAddresses(Section);
  auto It = KernelOf.find((*Target)->getIndex());
  if (It == KernelOf.end())
    return llvm::Error::success();
  for (const llvm::object::RelocationRef &R : Section.relocations())
    Result.Kernels[It->second].Relocations.push_back(
        {R.getOffset(), R.getType(), pointee(R)});
  return llvm::Error::success();
}

llvm::Error Reader::read() {
  if (llvm::Error E = readCode())
    return E;
  if (llvm::Error E = readConstants())
    return E;
  for (const llvm::object::SectionRef &Section : Elf.sections())
    if (llvm::Error E = readRelocations(Section))
      return E;
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
  auto Object = llvm::object::ObjectFile::createELFObjectFile(
      (*Buffer)->getMemBufferRef());
  if (!Object)
    return Broken(Object.takeError());
  Reader R(llvm::cast<llvm::object::ELFObjectFileBase>(**Object));
  if (llvm::Error E = R.read())
    return Broken(std::move(E));
  return std::move(R.Result);
}

// ---- comparing -------------------------------------------------------------

namespace {

/// The operand `c[bank][offset]` of a 16-byte instruction (compute capability
/// 7.0 and later keep it in these bits of the first word).
constexpr unsigned OffsetShift = 38, BankShift = 54;
constexpr uint64_t OffsetMask = uint64_t(0xffff) << OffsetShift;
constexpr size_t InstructionBytes = 16;

uint64_t wordAt(StringRef Bytes, size_t At) {
  return llvm::support::endian::read64le(Bytes.data() + At);
}

/// The variable that an operand reaches; empty if it is not known.
std::string reached(const Cubin &C, uint64_t Word) {
  uint64_t Offset = (Word & OffsetMask) >> OffsetShift;
  unsigned Bank = (Word >> BankShift) & 31;
  if (Bank == 4) {
    // The upper half of an address is a slot of its own.
    auto It = C.Addresses.find(Offset & ~uint64_t(7));
    return It == C.Addresses.end()
               ? std::string()
               : It->second + ":" + std::to_string(Offset & 7);
  }
  if (Bank == 3)
    for (const ConstantSymbol &S : C.Constants)
      if (Offset >= S.Begin && Offset < S.End)
        return S.Name + "+" + std::to_string(Offset - S.Begin);
  return {};
}

/// True if a later `LDC c[4][Rd]` takes its slot from the register that the
/// `MOV Rd, immediate` at \p At sets: how calls to the device library are made.
bool feedsAddressLoad(StringRef Code, size_t At) {
  constexpr unsigned LoadConstant = 0xb82, Window = 16;
  unsigned Register = (wordAt(Code, At) >> 16) & 0xff;
  for (unsigned I = 1; I <= Window; ++I) {
    size_t Next = At + I * InstructionBytes;
    if (Next + InstructionBytes > Code.size())
      return false;
    uint64_t Word = wordAt(Code, Next);
    if ((Word & 0xfff) == LoadConstant && ((Word >> BankShift) & 31) == 4 &&
        ((Word >> 24) & 0xff) == Register)
      return true;
  }
  return false;
}

/// The same for `MOV Rd, slot` before such a load.
bool moveSameSlot(const Cubin &A, StringRef InA, const Cubin &B, StringRef InB,
                  size_t At) {
  constexpr unsigned MoveImmediate = 0x802;
  uint64_t WordA = wordAt(InA, At), WordB = wordAt(InB, At);
  if (wordAt(InA, At + 8) != wordAt(InB, At + 8) ||
      (WordA & 0xffffffff) != (WordB & 0xffffffff) ||
      (WordA & 0xfff) != MoveImmediate || !feedsAddressLoad(InA, At) ||
      !feedsAddressLoad(InB, At))
    return false;
  auto SlotA = A.Addresses.find(WordA >> 32);
  auto SlotB = B.Addresses.find(WordB >> 32);
  return SlotA != A.Addresses.end() && SlotB != B.Addresses.end() &&
         SlotA->second == SlotB->second;
}

/// True if the instructions at \p At differ only in where the variable they
/// both reach lies.
bool reachSame(const Cubin &A, StringRef InA, const Cubin &B, StringRef InB,
               size_t At) {
  uint64_t WordA = wordAt(InA, At), WordB = wordAt(InB, At);
  if (wordAt(InA, At + 8) != wordAt(InB, At + 8) ||
      (WordA & ~OffsetMask) != (WordB & ~OffsetMask))
    return false;
  std::string Name = reached(A, WordA);
  return !Name.empty() && Name == reached(B, WordB);
}

} // namespace

std::string mep::difference(const Cubin &A, const KernelCode &InA,
                            const Cubin &B, const KernelCode &InB,
                            unsigned &Moved) {
  Moved = 0;
  if (InA.Bytes.size() != InB.Bytes.size())
    return "the application's kernel has " + std::to_string(InA.Bytes.size()) +
           " bytes of machine code, the closure's " +
           std::to_string(InB.Bytes.size());
  size_t Differing = 0, First = 0, Size = InA.Bytes.size();
  for (size_t At = 0; At + InstructionBytes <= Size; At += InstructionBytes) {
    StringRef Left(InA.Bytes), Right(InB.Bytes);
    if (Left.substr(At, InstructionBytes) == Right.substr(At, InstructionBytes))
      continue;
    if (reachSame(A, Left, B, Right, At) || moveSameSlot(A, Left, B, Right, At))
      ++Moved;
    else if (Differing++ == 0)
      First = At;
  }
  if (Differing)
    return std::to_string(Differing) + " of " +
           std::to_string(Size / InstructionBytes) +
           " instructions differ, the first at byte " + std::to_string(First);
  if (InA.Relocations != InB.Relocations)
    return "the machine code is the same but refers to other symbols";
  return {};
}
