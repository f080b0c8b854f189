/// \file
/// What main.cu says: sizes, arguments, buffers and the launch, from the
/// workload's own expressions, so that a reader finds them again.

#include "MepText.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace mep;
using llvm::StringRef;
using llvm::Twine;
namespace json = llvm::json;

namespace {

/// \p Text for the templates, which take UTF-8 alone: places name files, and
/// a file's name is whatever bytes its folder holds.
std::string readable(StringRef Text) {
  return json::isUTF8(Text) ? Text.str() : json::fixUTF8(Text);
}

/// Above this many elements, products of the sizes may not fit an int.
constexpr uint64_t WideCount = uint64_t(1) << 28;

std::string quoted(StringRef Text) {
  std::string Result = "\"";
  for (char C : Text) {
    if (C == '"' || C == '\\')
      Result += '\\';
    Result += C;
  }
  return Result + "\"";
}

bool isIdentifier(StringRef Text) {
  return !Text.empty() && !llvm::isDigit(Text.front()) &&
         llvm::all_of(Text,
                      [](char C) { return llvm::isAlnum(C) || C == '_'; });
}

/// As mep_program's Element::fromText reads it.
std::string elementText(const ElementType &Type) {
  uint64_t Packed = 0;
  bool InOrder = true;
  for (const Component &Part : Type.Components) {
    InOrder &= Part.Offset == Packed;
    Packed += Part.Count * byteSize(Part.Kind);
  }
  std::string Text;
  if (Type.Components.size() != 1 || !InOrder || Packed != Type.Bytes)
    Text = std::to_string(Type.Bytes) + ":";
  for (const Component &Part : Type.Components) {
    if (!Text.empty())
      Text += ' ';
    Text += name(Part.Kind);
    if (Part.Count != 1)
      Text += "x" + std::to_string(Part.Count);
    if (Part.Offset != 0)
      Text += "@" + std::to_string(Part.Offset);
  }
  return Text;
}

/// A C++ type of that size and, where C++ has one, of that kind.
const char *cppName(ScalarKind Kind) {
  switch (Kind) {
  case ScalarKind::F16:
  case ScalarKind::BF16:
    return "uint16_t"; // Never asked for: inference leaves halves alone.
  case ScalarKind::F32:
    return "float";
  case ScalarKind::F64:
    return "double";
  case ScalarKind::I8:
    return "int8_t";
  case ScalarKind::I16:
    return "int16_t";
  case ScalarKind::I32:
    return "int32_t";
  case ScalarKind::I64:
    return "int64_t";
  case ScalarKind::U8:
    return "uint8_t";
  case ScalarKind::U16:
    return "uint16_t";
  case ScalarKind::U32:
    return "uint32_t";
  case ScalarKind::U64:
    return "uint64_t";
  case ScalarKind::Bool:
    return "bool";
  }
  return "";
}

std::string weightText(double Weight) {
  std::string Text;
  llvm::raw_string_ostream(Text) << llvm::format("%.15g", Weight);
  return Text;
}

bool areSeveralTimed(const std::vector<ResolvedShape> &Shapes) {
  return llvm::count_if(
             Shapes, [](const ResolvedShape &S) { return S.Weight > 0; }) > 1;
}

class MainWriter {
public:
  MainWriter(const Closure &C, const Workload &W,
             const std::vector<ResolvedShape> &Shapes)
      : C(C), W(W), Shapes(Shapes) {
    for (const ResolvedShape &S : Shapes)
      for (const ResolvedBuffer &B : S.Buffers)
        Wide |= B.Count > WideCount;
    for (const ClosurePiece &P : C.Pieces)
      if (P.Kind == PieceKind::Macro)
        Macros.insert(P.Name);
    for (const DimensionMacro &D : C.Dimensions)
      Macros.insert(D.Name);
  }

  /// What is said once, whatever the shape.
  json::Array shapeStatements() {
    shapes();
    return std::move(Lines);
  }

  json::Array statements() {
    Lines = json::Array();
    sizes();
    scalars();
    buffers();
    pointers();
    geometry();
    return std::move(Lines);
  }

  std::string launchArguments() const {
    std::vector<std::string> Names;
    for (const Argument &A : W.Arguments)
      Names.push_back(isSizeName(A) ? "static_cast<" + A.Type + ">(" +
                                          expression(A.Parts[0].Value) + ")"
                                    : A.Name);
    return llvm::join(Names, ", ");
  }

private:
  void line(const Twine &Text) {
    Lines.push_back(json::Object{{"line", readable(Text.str())}});
  }

  /// Macro dimensions are ints in C++ but long long in the workload; where that
  /// can matter they are written as such.
  std::string expression(StringRef Text) const {
    if (!Wide)
      return Text.str();
    std::string Result;
    while (!Text.empty()) {
      size_t Length = 0;
      while (Length < Text.size() &&
             (llvm::isAlnum(Text[Length]) || Text[Length] == '_'))
        ++Length;
      if (Length == 0) {
        Result += Text.front();
        Text = Text.drop_front();
        continue;
      }
      StringRef Word = Text.take_front(Length);
      Result += isMacroSize(Word) ? ("(long long)" + Word).str() : Word.str();
      Text = Text.drop_front(Length);
    }
    return Result;
  }

  bool isMacroSize(StringRef Name) const {
    return llvm::any_of(W.Dimensions, [&](const Dimension &D) {
      return D.IsMacro && D.Name == Name;
    });
  }

  /// A size that main.cu has to give a name: no macro, and usable in C++.
  bool isNamedSize(const Dimension &D) const {
    return !D.IsMacro && isIdentifier(D.Name) && !Macros.contains(D.Name);
  }

  /// The argument is a scalar named like a size, whose name is taken.
  bool isSizeName(const Argument &A) const {
    return A.Parts.size() == 1 && A.Parts[0].Buffer.empty() &&
           A.Parts[0].Name == A.Name &&
           llvm::any_of(W.Dimensions, [&](const Dimension &D) {
             return isNamedSize(D) && D.Name == A.Name;
           });
  }

  /// How often a launch that is timed counts; nothing where only one is.
  std::string weightArgument(double Weight) const {
    return areSeveralTimed(Shapes) && Weight > 0 ? ", " + weightText(Weight)
                                                 : "";
  }

  void shapes() {
    for (const ResolvedShape &S : Shapes) {
      std::vector<std::string> Values;
      for (const Dimension &D : W.Dimensions)
        if (auto Value = S.Dimensions.find(D.Name); Value != S.Dimensions.end())
          Values.push_back("{" + quoted(D.Name) + ", " +
                           std::to_string(Value->second) + "}");
      line("  mep.shape(" + quoted(S.Name) + ",\n            {" +
           llvm::join(Values, ", ") + "}" + weightArgument(S.Weight) + ");");
    }
    for (const Dimension &D : W.Dimensions)
      if (D.IsMacro)
        line("  mep.macro(" + quoted(D.Name) + ", " + D.Name + ");");
    line("  mep.choose(MEP_SHAPE);");
  }

  void sizes() {
    bool First = true;
    for (const Dimension &D : W.Dimensions) {
      if (!isNamedSize(D))
        continue;
      if (First)
        line("\n  // Sizes that are no macros: --set NAME=VALUE.");
      First = false;
      line("  [[maybe_unused]] const long long " + D.Name +
           " =\n      mep.size(" + quoted(D.Name) + ");");
    }
  }

  /// A type that can be written in front of a variable at global scope.
  static bool isPlainType(StringRef Type) {
    return Type.find_first_of("([&") == StringRef::npos &&
           !Type.contains("anonymous") && !Type.contains("lambda");
  }

  std::string parameterType(size_t Index) const {
    const Argument &A = W.Arguments[Index];
    if (isPlainType(A.Type))
      return A.Type;
    return "mep_program::Parameters<decltype(&" + C.NameExpression + ")>::At<" +
           std::to_string(Index) + ">";
  }

  /// \p Type as it stands in front of a name.
  static std::string declared(StringRef Type) {
    if (Type.ends_with("*"))
      return (Type.rtrim("*").rtrim() + " " +
              Type.substr(Type.rtrim("*").size()))
          .str();
    return (Type + " ").str();
  }

  bool isStructure(const Argument &A) const {
    return A.Parts.size() != 1 || A.Parts[0].Name != A.Name;
  }

  void scalars() {
    line("\n  // Arguments.");
    for (size_t I = 0; I < W.Arguments.size(); ++I) {
      const Argument &A = W.Arguments[I];
      if (isStructure(A)) {
        line("  " + parameterType(I) + " " + A.Name + "{};");
        for (const ArgumentPart &P : A.Parts)
          if (P.Buffer.empty())
            line("  " + P.Name + " = " + scalarValue(P) + ";");
      } else if (A.Parts[0].Buffer.empty() && !isSizeName(A)) {
        if (StringRef(A.Type).ends_with("*"))
          line("  " + declared(parameterType(I)) + A.Name + " = nullptr;");
        else
          line("  const " + parameterType(I) + " " + A.Name + " = " +
               scalarValue(A.Parts[0]) + ";");
      }
    }
  }

  /// The value in the scalar's own type, as the worker stores it.
  std::string scalarValue(const ArgumentPart &P) const {
    std::string Value = expression(P.Value);
    return isPlainType(P.Type) && !StringRef(P.Type).ends_with("*")
               ? "static_cast<" + P.Type + ">(" + Value + ")"
               : Value;
  }

  std::string bufferArguments(const Buffer &B) const {
    bool Filled = B.Use != Role::Out && B.Fill.Rule != "initializer";
    // As in a worker: poison in place of an address would only crash.
    Role Use = B.Use == Role::Out && !B.Pointers.empty() ? Role::InOut : B.Use;
    return quoted(B.Name) + ", " + quoted(elementText(B.Element)) +
           ", static_cast<uint64_t>(" + expression(B.Extent) + "), " +
           quoted(name(Use)) + ", " + quoted(B.Fill.Rule) + ", " +
           (Filled ? expression(B.Fill.Low) : "0") + ", " +
           (Filled ? expression(B.Fill.High) : "0");
  }

  /// What a rule needs beside its bounds, as the last argument; empty without.
  std::string fillDetails(const Buffer &B) const {
    const FillRule &F = B.Fill;
    auto Whole = [&](const std::string &E) {
      return "static_cast<int64_t>(" + expression(E) + ")";
    };
    if (F.Rule == "iota" && F.counts())
      return ", {{" + Whole(F.Step) + ", " + Whole(F.Each) + ", " +
             Whole(F.Period) + ", " + Whole(F.Modulus) + "}}";
    if (F.Rule == "table" && !F.Table.empty())
      return ", {{}, " + tableName(B) + ", " + std::to_string(F.Table.size()) +
             "}";
    return "";
  }

  static std::string tableName(const Buffer &B) {
    std::string Name = "mep_table_";
    for (char C : B.Name)
      Name += llvm::isAlnum(C) ? C : '_';
    return Name;
  }

  void tables() {
    for (const Buffer &B : W.Buffers) {
      if (B.Fill.Rule != "table" || B.Fill.Table.empty())
        continue;
      std::string Text = "  static const double " + tableName(B) + "[] = {";
      for (size_t I = 0; I < B.Fill.Table.size(); ++I) {
        char Number[40];
        snprintf(Number, sizeof Number, "%.17g", B.Fill.Table[I]);
        Text += (I == 0 ? "" : I % 8 == 0 ? ",\n      " : ", ");
        Text += Number;
      }
      line(Text + "};");
    }
  }

  void buffers() {
    line("\n  // Buffers: element, count, role, fill.");
    tables();
    for (const Buffer &B : W.Buffers) {
      if (B.Symbol.empty()) {
        line("  mep.buffer(" + bufferArguments(B) + fillDetails(B) + ");");
        continue;
      }
      std::string Global = B.Name;
      for (const DeviceGlobal &G : C.Globals)
        if (G.Symbol == B.Symbol)
          Global = G.Name;
      line("  mep.global(\n      " + bufferArguments(B) +
           ",\n      [](const void *From, size_t Bytes) {\n        return "
           "cudaMemcpyToSymbol(" +
           Global +
           ", From, Bytes);\n      },\n      [](void *To, size_t Bytes) {\n"
           "        return cudaMemcpyFromSymbol(To, " +
           Global + ", Bytes);\n      }" + fillDetails(B) + ");");
    }
    elementPointers();
  }

  void elementPointers() {
    for (const Buffer &B : W.Buffers)
      for (const ElementValue &V : B.Values)
        line("  mep.value(" + quoted(B.Name) + ", " + std::to_string(V.Offset) +
             ", static_cast<" + cppName(V.Kind) + ">(" + expression(V.Value) +
             "));");
    for (const Buffer &B : W.Buffers)
      for (const ElementPointer &P : B.Pointers) {
        std::string Where;
        if (P.BufferOffset != "0" || P.Stride != "0")
          Where = ", static_cast<uint64_t>(" + expression(P.BufferOffset) +
                  "), static_cast<uint64_t>(" + expression(P.Stride) + ")";
        line("  mep.pointers(" + quoted(B.Name) + ", " +
             std::to_string(P.Offset) + ", " + std::to_string(P.Count) + ", " +
             quoted(P.Buffer) + Where + ");");
      }
  }

  std::string pointer(const ArgumentPart &P) const {
    std::string Offset =
        P.BufferOffset == "0" || P.BufferOffset.empty()
            ? ""
            : ", static_cast<uint64_t>(" + expression(P.BufferOffset) + ")";
    return "mep.pointer(" + quoted(P.Buffer) + Offset + ")";
  }

  void pointers() {
    for (size_t I = 0; I < W.Arguments.size(); ++I) {
      const Argument &A = W.Arguments[I];
      for (const ArgumentPart &P : A.Parts) {
        if (P.Buffer.empty())
          continue;
        line("  " + (isStructure(A) ? "" : declared(parameterType(I))) +
             P.Name + " = " + pointer(P) + ";");
      }
    }
  }

  void geometry() {
    line("\n  // Launch.");
    static const char *const Axes[] = {"x", "y", "z"};
    for (int I = 0; I < 3; ++I)
      line(Twine("  [[maybe_unused]] const long long block_") + Axes[I] +
           " = " + expression(W.Launch.Block[I]) + ";");
    line("  const dim3 mep_block(static_cast<unsigned>(block_x), "
         "static_cast<unsigned>(block_y),\n"
         "                       static_cast<unsigned>(block_z));");
    std::vector<std::string> Grid;
    for (const std::string &Each : W.Launch.Grid)
      Grid.push_back("static_cast<unsigned>(" + expression(Each) + ")");
    line("  const dim3 mep_grid(" +
         llvm::join(Grid, ",\n                      ") + ");");
    line("  const size_t mep_shared = static_cast<size_t>(" +
         expression(W.Launch.SharedBytes) + ");");
  }

  const Closure &C;
  const Workload &W;
  const std::vector<ResolvedShape> &Shapes;
  llvm::StringSet<> Macros;
  bool Wide = false;
  json::Array Lines;
};

json::Array shapeData(const Workload &W,
                      const std::vector<ResolvedShape> &Shapes) {
  json::Array Result;
  for (size_t I = 0; I < Shapes.size(); ++I) {
    json::Array Macros;
    std::vector<std::string> Sizes;
    bool OtherMacros = false;
    for (const Dimension &D : W.Dimensions) {
      auto Value = Shapes[I].Dimensions.find(D.Name);
      if (Value == Shapes[I].Dimensions.end())
        continue;
      std::string Text = std::to_string(Value->second);
      Sizes.push_back(D.Name + " = " + Text);
      if (!D.IsMacro)
        continue;
      Macros.push_back(
          json::Object{{"name", readable(D.Name)}, {"value", Text}});
      auto Base = Shapes[0].Dimensions.find(D.Name);
      OtherMacros |=
          Base == Shapes[0].Dimensions.end() || Base->second != Value->second;
    }
    std::string How;
    if (OtherMacros)
      How = " (build with `-DMEP_SHAPE=" + std::to_string(I) + "`)";
    else if (I > 0)
      How = " (run with `--shape " + Shapes[I].Name + "`)";
    if (areSeveralTimed(Shapes) && Shapes[I].Weight > 0)
      How += "; a launch of weight " + weightText(Shapes[I].Weight);
    bool HasMacros = !Macros.empty();
    Result.push_back(json::Object{
        {"index", int64_t(I)},
        {"name", readable(Shapes[I].Name)},
        {"has_macros", HasMacros},
        {"macros", std::move(Macros)},
        {"sizes",
         Sizes.empty() ? "no sizes" : readable(llvm::join(Sizes, ", "))},
        {"how", readable(How)}});
  }
  return Result;
}

/// Standard for a host compiler: the runtime needs 17.
std::string hostStandard(const std::vector<std::string> &Flags) {
  for (StringRef Flag : Flags)
    if (Flag.starts_with("-std=") &&
        (Flag.ends_with("20") || Flag.ends_with("23")))
      return Flag.take_back(2).str();
  return "17";
}

/// The flags for nvcc; the surroundings of the kernel need C++17.
std::string nvccFlags(const std::vector<std::string> &Flags) {
  std::vector<std::string> Kept{"-std=c++" + hostStandard(Flags)};
  for (const std::string &Flag : Flags)
    if (!StringRef(Flag).starts_with("-std="))
      Kept.push_back(Flag);
  return llvm::join(Kept, " ");
}

} // namespace

json::Value mep::templateData(const Closure &C, const Workload &W,
                              const std::vector<ResolvedShape> &Shapes,
                              const MepOptions &Options) {
  MainWriter Writer(C, W, Shapes);
  json::Array ShapeStatements = Writer.shapeStatements();
  json::Array Notes;
  for (const Assumption &A : W.Assumptions)
    Notes.push_back(json::Object{{"note", readable("assumed: " + A.Text)}});
  for (const std::string &Note : W.Notes)
    Notes.push_back(json::Object{{"note", readable(Note)}});
  bool HasNotes = !Notes.empty();
  return json::Object{{"kernel", readable(C.NameExpression)},
                      {"quoted_kernel", readable(quoted(C.NameExpression))},
                      {"expression", readable(C.NameExpression)},
                      {"no_fibers", !C.UsesBarrier},
                      {"repeat", std::to_string(Options.Repeat)},
                      {"trim", std::to_string(Options.TrimPercent)},
                      {"seed", std::to_string(Options.Seed)},
                      {"shapes", shapeData(W, Shapes)},
                      {"shape_statements", std::move(ShapeStatements)},
                      {"several", areSeveralTimed(Shapes)},
                      {"statements", Writer.statements()},
                      {"arguments", readable(Writer.launchArguments())},
                      {"nvcc_flags", readable(nvccFlags(C.Flags))},
                      {"cxx", hostStandard(C.Flags)},
                      {"has_notes", HasNotes},
                      {"notes", std::move(Notes)}};
}
