/// \file
/// Names for sizes: which macro or variable a number of the workload came from.

#include "DimensionTable.h"
#include "Expressions.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mep;
using llvm::StringRef;

/// Names that launch expressions give a meaning of their own.
static bool isReserved(StringRef Name) {
  static constexpr StringRef Names[] = {"grid_x",      "grid_y",  "grid_z",
                                        "block_x",     "block_y", "block_z",
                                        "shared_bytes"};
  return llvm::is_contained(Names, Name);
}

NamedDimension *DimensionTable::find(StringRef Name) {
  for (NamedDimension &D : Known)
    if (D.Data.Name == Name)
      return &D;
  return nullptr;
}

std::string DimensionTable::unused(StringRef Name) const {
  auto Taken = [&](StringRef N) {
    return isReserved(N) || llvm::any_of(Known, [&](const NamedDimension &D) {
             return D.Data.Name == N;
           });
  };
  std::string New = Name.str();
  for (unsigned I = 2; Taken(New); ++I)
    New = Name.str() + "_" + std::to_string(I);
  return New;
}

TermRef DimensionTable::add(const void *Owner, StringRef Name,
                            NamedDimension D) {
  if (!D.Missing)
    D.HostValue = D.Data.Value;
  for (const NamedDimension &K : Known)
    if (K.Owner == Owner &&
        (Owner ? K.HostValue == D.HostValue : K.Data.Name == Name))
      return nameTerm(K.Data.Name);
  D.Owner = Owner;
  D.Data.Name = D.FirstName = unused(Name);
  if (auto G = Given.find(D.Data.Name); G != Given.end()) {
    D.Data.Value = G->second;
    D.Data.Source = GivenSource;
    D.Missing = false;
  } else if (auto A = Assumed.find(D.Data.Name);
             D.Missing && A != Assumed.end()) {
    D.Data.Value = A->second;
    D.Missing = false;
    D.IsAssumed = true;
  }
  Known.push_back(std::move(D));
  return nameTerm(Known.back().Data.Name);
}

TermRef DimensionTable::macro(StringRef Name, int64_t Value,
                              std::string Where) {
  NamedDimension D;
  D.Data.Value = Value;
  D.Data.Source = std::move(Where);
  for (const DimensionMacro &M : Source.Dimensions)
    if (Name == M.Name) {
      // Defined differently where the host uses it: not the closure's.
      if (M.Value != Value)
        return integerTerm(Value);
      D.Data.IsMacro = true;
    }
  // The closure's text fixes a value that no -D can change.
  D.Data.Fixed = !D.Data.IsMacro && usesName(Source.Text, Name);
  return add(nullptr, Name, std::move(D));
}

TermRef DimensionTable::variable(const void *Owner, StringRef Name,
                                 int64_t Value, bool DeviceVisible,
                                 std::string Where) {
  NamedDimension D;
  D.Data.Value = Value;
  D.Data.Source = std::move(Where);
  if (DeviceVisible) {
    for (const DimensionMacro &M : Source.Dimensions)
      if (Name == M.Name && M.Value == Value) {
        D.Data.IsMacro = true;
        return add(nullptr, Name, std::move(D));
      }
    D.Data.Fixed = usesName(Source.Text, Name);
  }
  return add(Owner, Name, std::move(D));
}

TermRef DimensionTable::nothing(const void *Owner, StringRef Name,
                                int64_t Value, std::string Where) {
  if (Nothing.Doubted.count(Owner))
    return missing(Owner, Name,
                   "the host code says " + std::to_string(Value) +
                       ", which is no size",
                   std::move(Where));
  if (!Nothing.Named) {
    MetNothing = true;
    return integerTerm(Value);
  }
  NamedDimension D;
  D.Data.Value = Value;
  D.Data.Source = std::move(Where);
  D.IsNothing = true;
  return add(Owner, Name, std::move(D));
}

TermRef DimensionTable::position(const void *Owner, StringRef Name,
                                 int64_t Value, std::string Where) {
  // Of one launch, and yet on two trips: one before may have set what is used.
  for (const NamedDimension &K : Known)
    if (K.Owner == Owner && K.Data.Value != Value)
      return integerTerm(Value);
  NamedDimension D;
  D.Data.Value = Value;
  D.Data.Fixed = true;
  D.Data.Source = std::move(Where);
  return add(Owner, Name, std::move(D));
}

TermRef DimensionTable::missing(const void *Owner, StringRef Name,
                                std::string Why, std::string Where) {
  NamedDimension D;
  D.Data.Source = std::move(Where);
  D.Missing = true;
  D.Why = std::move(Why);
  return add(Owner, Name, std::move(D));
}

std::string DimensionTable::unknownExtent(StringRef Buffer, std::string Where) {
  std::string Name = Buffer.str() + "_extent";
  for (char &C : Name)
    if (!llvm::isAlnum(C))
      C = '_';
  NamedDimension D;
  D.Data.Fixed = true;
  D.Data.Source = std::move(Where);
  D.Missing = true;
  D.ExtentOf = Buffer.str();
  add(nullptr, unused(Name), std::move(D));
  return Known.back().Data.Name;
}

TermValues DimensionTable::values() const {
  TermValues Values;
  for (const NamedDimension &D : Known)
    if (!D.Missing)
      Values[D.Data.Name] = D.Data.Value;
  return Values;
}

std::string DimensionTable::rename(StringRef Name) {
  NamedDimension *D = find(Name);
  std::string New = unused(Name.str() + "_host");
  if (D)
    D->Data.Name = New;
  return New;
}
