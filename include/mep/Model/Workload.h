/// \file
/// The data a kernel runs on. \c Workload is symbolic and is what a user edits
/// (workload.json); \c ResolvedShape is one shape of it in numbers and is what
/// a worker gets.

#ifndef MEP_MODEL_WORKLOAD_H
#define MEP_MODEL_WORKLOAD_H

#include "mep/Model/ElementType.h"
#include <array>
#include <map>
#include <string>
#include <vector>

namespace mep {

/// A size the workload may vary: a macro of the closure (shapes pass `-DN=…`)
/// or a named host value.
struct Dimension {
  std::string Name;
  int64_t Value = 0;    ///< In the base shape.
  bool IsMacro = false; ///< Defined in the closure's text.
  bool Fixed = false;   ///< Shapes and scaling leave it alone (block sizes,
                        ///< tile sizes, loop positions).
  std::string Source;   ///< Where the value was found; `file:line`.
};

/// How a buffer gets its values. All rules draw from Philox4x32-10 by element
/// index, so every platform makes the same bytes.
struct FillRule {
  /// `uniform` (floats in [Low, High), integers in [Low, High]), `zero`,
  /// `constant` (Low), `index` (integers in [Low, High) as valid subscripts),
  /// `iota` (element i is (Low + Step * ((i / Each) % Period)) % Modulus),
  /// `permutation` (of Low, Low + 1, …), `offsets` (non-decreasing, Low … High,
  /// for CSR), `table` (Table by scalar, then zero), `initializer` (a global
  /// that keeps the value its source gives it).
  std::string Rule = "uniform";
  std::string Low = "-1", High = "1"; ///< Expressions over the dimensions.
  bool Given = false; ///< By the user or by the host code: no other is tried.
  /// Of `iota`, expressions; a Period or Modulus of 0 is none.
  std::string Step = "1", Each = "1", Period = "0", Modulus = "0";
  std::vector<double> Table = {};

  /// `iota` does more than count from Low in steps of one.
  bool counts() const {
    return Step != "1" || Each != "1" || Period != "0" || Modulus != "0";
  }
  /// The same values, whoever gives them.
  bool operator==(const FillRule &F) const {
    return Rule == F.Rule && Low == F.Low && High == F.High && Step == F.Step &&
           Each == F.Each && Period == F.Period && Modulus == F.Modulus &&
           Table == F.Table;
  }
  std::array<std::string *, 6> expressions() {
    return {&Low, &High, &Step, &Each, &Period, &Modulus};
  }
};

enum class Role { In, Out, InOut };
const char *name(Role R);

/// Pointers that the elements of a buffer hold: \c Count of them, one after
/// another, at byte \c Offset of each element. Pointer k of the whole buffer
/// (element k / Count) points at element BufferOffset + k * Stride of \c
/// Buffer, whatever address that has where the kernel runs. Bytes of pointers
/// that are named nowhere are zero.
struct ElementPointer {
  std::string Name; ///< `p->a` for `struct { float *a; } *p`, `*q` for
                    ///< `float **q`.
  uint64_t Offset = 0, Count = 1;
  std::string Buffer;
  std::string BufferOffset = "0"; ///< Elements, as an expression.
  std::string Stride = "0";       ///< Elements, as an expression.
  std::string Source;             ///< Where it was found.
};

/// A member that has one known value in every element of a buffer, whatever
/// its fill rule says.
struct ElementValue {
  std::string Name; ///< `p->n`
  uint64_t Offset = 0;
  ScalarKind Kind = ScalarKind::I32;
  std::string Value; ///< An expression.
};

struct Buffer {
  std::string Name;
  ElementType Element;
  std::string Extent; ///< Elements; expression over dimensions and scalars.
  Role Use = Role::InOut;
  FillRule Fill;
  std::string Symbol; ///< Device symbol when it is a global, else empty.
  std::string Source; ///< Where the extent was found.
  /// Byte that the host code sets it to somewhere before or after a launch; -1:
  /// none is seen.
  int SetTo = -1;
  std::vector<ElementPointer> Pointers;
  std::vector<ElementValue> Values;
  /// What the host code puts there element by element; no rule: none is seen.
  FillRule HostFill{"", "", ""};
  /// The kernel subscripts with its elements: these are valid then, as the rule
  /// `index` or, of row starts, `offsets`. No rule: it does not, or which are
  /// valid is not known.
  FillRule Subscripts{"", "", ""};
};

/// One scalar or pointer inside a kernel argument. A plain argument has one
/// part at offset 0 named like the parameter; a by-value structure has one per
/// member, named `p.n`.
struct ArgumentPart {
  std::string Name;
  uint64_t Offset = 0;
  std::string Type;                  ///< C++ spelling of the scalar.
  ScalarKind Kind = ScalarKind::I32; ///< Of a scalar.
  std::string Value;                 ///< Expression; empty for a pointer.
  std::string Buffer;                ///< Buffer name; empty for a scalar.
  std::string BufferOffset = "0";    ///< Elements.
  std::string Source;                ///< Where the value was found.
};

struct Argument {
  std::string Name;
  std::string Type; ///< As the closure spells it.
  uint64_t Bytes = 0;
  std::vector<ArgumentPart> Parts;
};

/// Grid and block in x, y, z order and dynamic shared memory in bytes, as
/// expressions over dimensions and scalar parts; grid and shared memory may
/// also use `block_x`, `block_y`, `block_z`.
struct Geometry {
  std::array<std::string, 3> Grid{"1", "1", "1"}, Block{"1", "1", "1"};
  std::string SharedBytes = "0";
};

/// A named assignment of dimensions; those not named keep their base value.
///
/// Shapes with a weight are timed, and what counts is the sum of their times,
/// each times its weight. Of an application that launches the kernel from
/// several places with different numbers, each such launch is a shape, and its
/// weight is how often it runs beside the others. All shapes share the
/// workload's expressions: what differs between launches is a dimension (see
/// lib/Workload/Launches.h), so that one more launch is one more line here.
struct Shape {
  std::string Name;
  std::map<std::string, int64_t> Dimensions;
  double Weight = 0; ///< 0: verified, not timed.
};

/// A value that neither the host code nor the user gives: ours, and the first
/// to doubt when the kernel does not run on it.
struct Assumption {
  enum Kind { Dimension, Scalar, Block, Grid } What = Dimension;
  std::string Name; ///< Of the dimension or argument part; else empty.
  std::string Text; ///< `'n' is 1024 (why, file:line:column)`
};

struct Workload {
  static constexpr const char *Schema = "mep-workload/1";
  std::string Kernel;
  std::vector<Dimension> Dimensions;
  std::vector<Buffer> Buffers;
  std::vector<Argument> Arguments;
  Geometry Launch;
  std::vector<Shape> Shapes;    ///< The first is `base`, which is always timed.
  double RelativeTolerance = 0; ///< 0: measured by the worker.
  double AbsoluteTolerance = 0;
  std::vector<Assumption> Assumptions;
  std::vector<std::string> Notes; ///< How values were found, for the reader.
};

/// How many times each of \p Shapes counts, in their order: at least the first
/// one does. A single one that counts counts once.
std::vector<double> weightsOf(const std::vector<Shape> &Shapes);
/// Takes away all shapes but `base`, with a note if others were timed: \p Why
/// their numbers do not hold any more.
void keepBaseShape(Workload &W, llvm::StringRef Why);

Json toJson(const Workload &W);
/// Reads a whole workload. Errors name \p Where and the member.
llvm::Expected<Workload> workloadFromJson(const Json &Value,
                                          llvm::StringRef Where);

// ---- resolved: numbers only ------------------------------------------------

/// Of the buffer's pointers, number k is at ByteOffset + k * ByteStride.
struct ResolvedPointer {
  uint64_t Offset = 0, Count = 1; ///< As in \c ElementPointer.
  std::string Buffer;
  uint64_t ByteOffset = 0, ByteStride = 0;
};

struct ResolvedValue {
  uint64_t Offset = 0;
  std::vector<uint8_t> Bytes;
};

struct ResolvedBuffer {
  std::string Name, Symbol;
  ElementType Element;
  uint64_t Count = 0; ///< Elements.
  Role Use = Role::InOut;
  std::string Rule;
  double Low = 0, High = 0;
  /// Of `iota`, as in \c FillRule.
  int64_t Step = 1, Each = 1, Period = 0, Modulus = 0;
  std::vector<double> Table;
  std::vector<ResolvedPointer> Pointers;
  std::vector<ResolvedValue> Values;
};

struct PointerPatch {
  uint64_t Offset = 0; ///< In the argument's bytes.
  std::string Buffer;
  uint64_t ByteOffset = 0;
};

struct ResolvedArgument {
  std::string Name;
  std::vector<uint8_t> Bytes; ///< Pointers are zero until patched.
  std::vector<PointerPatch> Pointers;
};

struct ResolvedGeometry {
  std::array<uint64_t, 3> Grid{1, 1, 1}, Block{1, 1, 1};
  uint64_t SharedBytes = 0;
};

struct ResolvedShape {
  std::string Name;
  double Weight = 0; ///< As in \c Shape; of the first one more than 0.
  std::map<std::string, int64_t> Dimensions; ///< All of them.
  std::vector<std::string> Defines;          ///< `N=1024` for macro dimensions.
  std::vector<ResolvedBuffer> Buffers;
  std::vector<ResolvedArgument> Arguments;
  ResolvedGeometry Launch;
  uint64_t totalBytes() const;
};

Json toJson(const ResolvedGeometry &G);
Json toJson(const ResolvedShape &S);

} // namespace mep

#endif // MEP_MODEL_WORKLOAD_H
