/// \file
/// Shapes are assignments of dimensions, so that any of them can be the one
/// that the others are told from.

#include "mep/Workload/Rebase.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

using namespace mep;
using llvm::StringRef;

using Assignment = std::map<std::string, int64_t>;

/// Of all dimensions, as a shape that assigns \p Own has them.
static Assignment valuesOf(const Workload &W, const Assignment &Own) {
  Assignment All = Own;
  for (const Dimension &D : W.Dimensions)
    All.try_emplace(D.Name, D.Value);
  return All;
}

/// "shape base is …" and "shape launch2 is …" speak of each other's launch now.
static void renameInNotes(Workload &W, const std::string &Other) {
  const std::string Base = "shape base is ", Its = "shape " + Other + " is ";
  for (std::string &Note : W.Notes)
    for (auto [From, To] : {std::pair(&Base, &Its), std::pair(&Its, &Base)})
      if (StringRef(Note).starts_with(*From)) {
        Note = *To + Note.substr(From->size());
        break;
      }
}

Workload mep::rebasedWorkload(const Workload &W, size_t Number) {
  Workload New = W;
  std::vector<Assignment> Values;
  for (const Shape &S : W.Shapes)
    Values.push_back(valuesOf(W, S.Dimensions));
  for (Dimension &D : New.Dimensions)
    D.Value = Values[Number][D.Name];
  for (size_t I = 0; I < W.Shapes.size(); ++I) {
    Assignment &Own = New.Shapes[I].Dimensions;
    Own.clear();
    for (const Dimension &D : New.Dimensions)
      if (int64_t Value = Values[I][D.Name]; Value != D.Value)
        Own[D.Name] = Value;
  }
  const std::string Base = W.Shapes[0].Name, Other = W.Shapes[Number].Name;
  std::swap(New.Shapes[0], New.Shapes[Number]);
  New.Shapes[0].Name = Base;
  New.Shapes[Number].Name = Other;
  auto Named = [&](const std::string &Name) {
    return llvm::find_if(New.Shapes,
                         [&](const Shape &S) { return S.Name == Name; });
  };
  auto Odd = Named("odd"), OtherOdd = Named(Other + "_odd");
  if (Odd != New.Shapes.end())
    Odd->Name = Other + "_odd";
  if (OtherOdd != New.Shapes.end())
    OtherOdd->Name = "odd";
  renameInNotes(New, Other);
  return New;
}
