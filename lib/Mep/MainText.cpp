#include "MainText.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mep;
using llvm::raw_ostream;
using llvm::StringRef;

namespace {

const char *kindName(ScalarKind Kind) {
  switch (Kind) {
  case ScalarKind::F16:
    return "F16";
  case ScalarKind::BF16:
    return "Bf16";
  case ScalarKind::F32:
    return "F32";
  case ScalarKind::F64:
    return "F64";
  case ScalarKind::I8:
    return "I8";
  case ScalarKind::I16:
    return "I16";
  case ScalarKind::I32:
    return "I32";
  case ScalarKind::I64:
    return "I64";
  case ScalarKind::U8:
    return "U8";
  case ScalarKind::U16:
    return "U16";
  case ScalarKind::U32:
    return "U32";
  case ScalarKind::U64:
    return "U64";
  case ScalarKind::Bool:
    return "Bool";
  }
  return "";
}

std::string quoted(StringRef Text) {
  std::string Out = "\"";
  llvm::raw_string_ostream OS(Out);
  llvm::printEscapedString(Text, OS);
  return Out + "\"";
}

/// Shortest text that reads back as the same double.
std::string number(double Value) {
  char Text[40];
  snprintf(Text, sizeof Text, "%.17g", Value);
  return Text;
}

/// Text that may stand in a comment on one line.
std::string comment(StringRef Text) {
  std::string Out = Text.str();
  for (char &C : Out)
    if (C == '\n' || C == '\r' || C == '\\')
      C = ' ';
  return Out;
}

void writeBuffer(const ResolvedBuffer &B, const Buffer *Symbolic,
                 raw_ostream &OS) {
  OS << "    {" << quoted(B.Name) << ", " << B.Element.Bytes << ", {";
  llvm::interleaveComma(B.Element.Components, OS, [&](const Component &C) {
    OS << "{mep_fill::Kind::" << kindName(C.Kind) << ", " << C.Offset << ", "
       << C.Count << "}";
  });
  OS << "}, " << B.Count << ", \"" << name(B.Use) << "\", " << quoted(B.Rule)
     << ", " << number(B.Low) << ", " << number(B.High) << ", "
     << (B.Symbol.empty() ? "false" : "true") << "},";
  OS << " // " << comment(B.Element.Name);
  if (Symbolic)
    OS << "[" << comment(Symbolic->Extent) << "]";
  OS << '\n';
}

void writeArgument(const ResolvedArgument &A, const Argument *Symbolic,
                   raw_ostream &OS) {
  OS << "    {" << quoted(A.Name) << ", {";
  llvm::interleaveComma(A.Bytes, OS,
                        [&](uint8_t Byte) { OS << unsigned(Byte); });
  OS << "}, {";
  llvm::interleaveComma(A.Pointers, OS, [&](const PointerPatch &P) {
    OS << "{" << P.Offset << ", " << quoted(P.Buffer) << ", " << P.ByteOffset
       << "}";
  });
  OS << "}},";
  if (Symbolic) {
    OS << " //";
    for (const ArgumentPart &P : Symbolic->Parts)
      OS << " " << comment(P.Name) << " = "
         << comment(P.Buffer.empty() ? P.Value : P.Buffer);
  }
  OS << '\n';
}

/// A shape whose macros differ from the build's says which flags it needs.
void writeMissing(const ResolvedShape &S, size_t Index, raw_ostream &OS) {
  std::vector<std::string> Conditions, Flags;
  for (const std::string &Define : S.Defines) {
    auto [Name, Value] = StringRef(Define).split('=');
    Conditions.push_back(("(" + Name + ") == " + Value).str());
    Flags.push_back("-D" + Define);
  }
  OS << "#if " << (Conditions.empty() ? "1" : llvm::join(Conditions, " && "))
     << "\n#define MEP_MISSING_" << Index
     << " \"\"\n#else\n#define MEP_MISSING_" << Index << " "
     << quoted(llvm::join(Flags, " ")) << "\n#endif\n";
}

void writeExtent(const std::array<uint64_t, 3> &Sides, raw_ostream &OS) {
  OS << "dim3(" << Sides[0] << ", " << Sides[1] << ", " << Sides[2] << ")";
}

void writeShape(const ResolvedShape &S, const Workload &W, size_t Index,
                raw_ostream &OS) {
  OS << "  S.push_back({" << quoted(S.Name) << ", MEP_MISSING_" << Index
     << ", {\n";
  for (size_t I = 0; I < S.Buffers.size(); ++I)
    writeBuffer(S.Buffers[I], I < W.Buffers.size() ? &W.Buffers[I] : nullptr,
                OS);
  OS << "  }, {\n";
  for (size_t I = 0; I < S.Arguments.size(); ++I)
    writeArgument(S.Arguments[I],
                  I < W.Arguments.size() ? &W.Arguments[I] : nullptr, OS);
  OS << "  }, ";
  writeExtent(S.Launch.Grid, OS);
  OS << ", ";
  writeExtent(S.Launch.Block, OS);
  OS << ", " << S.Launch.SharedBytes << "});\n";
}

/// Where each device variable lies.
void writeGlobals(const Closure &C, const Workload &W, raw_ostream &OS) {
  OS << "static void *globalAddress(const std::string &Name) {\n"
        "  void *Address = nullptr;\n";
  for (const Buffer &B : W.Buffers) {
    auto It = llvm::find_if(
        C.Globals, [&](const DeviceGlobal &G) { return G.Symbol == B.Symbol; });
    if (B.Symbol.empty() || It == C.Globals.end())
      continue;
    OS << "  if (Name == " << quoted(B.Name)
       << ")\n    mep_main::must(cudaGetSymbolAddress(&Address, " << It->Name
       << "), " << quoted(B.Name) << ");\n";
  }
  OS << "  (void)Name;\n  return Address;\n}\n\n";
}

} // namespace

std::string mep::mainText(const Closure &C, const Workload &W,
                          const std::vector<ResolvedShape> &Shapes,
                          const MepOptions &Options) {
  std::string Text;
  llvm::raw_string_ostream OS(Text);
  OS << "// Runs kernel " << comment(C.NameExpression)
     << " alone on generated data: see README.md. Numbers are those of\n"
        "// workload.json, written out for each shape.\n"
        "#if defined(__CUDACC__)\n#include <cuda_runtime.h>\n#else\n"
     << (C.UsesBarrier ? "" : "#define MEP_NO_FIBERS\n")
     << "#include \"mep_cpu.h\"\n#endif\n"
        "#include \"kernel.cu\"\n#include \"mep_main.h\"\n\n";
  for (size_t I = 0; I < Shapes.size(); ++I)
    writeMissing(Shapes[I], I, OS);
  OS << "\nstatic std::vector<mep_main::Shape> shapes() {\n"
        "  std::vector<mep_main::Shape> S;\n";
  for (size_t I = 0; I < Shapes.size(); ++I)
    writeShape(Shapes[I], W, I, OS);
  OS << "  return S;\n}\n\n";
  writeGlobals(C, W, OS);
  OS << "// Grid: " << comment(llvm::join(W.Launch.Grid, ", "))
     << "; block: " << comment(llvm::join(W.Launch.Block, ", ")) << ".\n"
     << "static void launch(const mep_main::Shape &S, void **Arguments) {\n"
        "#if defined(__CUDACC__)\n"
        "  auto *Kernel = &"
     << C.NameExpression
     << ";\n"
        "  if (S.SharedBytes > 48 * 1024)\n"
        "    mep_main::must(cudaFuncSetAttribute(Kernel, "
        "cudaFuncAttributeMaxDynamicSharedMemorySize, int(S.SharedBytes)), "
        "\"shared memory\");\n"
        "  cudaLaunchKernel((const void *)Kernel, S.Grid, S.Block, Arguments, "
        "S.SharedBytes, 0);\n"
        "#else\n"
        "  unsigned Grid[] = {S.Grid.x, S.Grid.y, S.Grid.z};\n"
        "  unsigned Block[] = {S.Block.x, S.Block.y, S.Block.z};\n"
        "  mep_cpu::invoke<&"
     << C.NameExpression
     << ">(Grid, Block, S.SharedBytes, Arguments);\n"
        "#endif\n}\n\n"
        "int main(int Argc, char **Argv) {\n"
        "  return mep_main::run({"
     << quoted(C.NameExpression)
     << ", shapes(), globalAddress, launch}, Argc, Argv,\n"
        "                       {"
     << Options.Repeat << ", " << Options.TrimPercent << ", " << Options.Seed
     << ", \"base\", \"\"});\n}\n";
  return Text;
}
