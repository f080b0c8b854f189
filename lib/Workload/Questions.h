/// \file
/// The expressions of a workload and of a plan, asked in one batch, and their
/// answers within the limits of a launch.

#ifndef MEP_LIB_WORKLOAD_QUESTIONS_H
#define MEP_LIB_WORKLOAD_QUESTIONS_H

#include "Expressions.h"
#include "mep/Model/Workload.h"
#include "llvm/ADT/Twine.h"

namespace mep::questions {

constexpr uint64_t MaxBufferBytes = uint64_t(1) << 46;
constexpr const char *Axis[3] = {"x", "y", "z"};

/// Error (Workload).
llvm::Error wrong(const llvm::Twine &Message, const llvm::Twine &Where);

/// A count as C++ would convert it: floating results are cut. False if it does
/// not fit.
bool asInteger(const ConstantValue &V, int64_t &Out);

/// Value of question \p Index in [\p Low, \p High].
llvm::Expected<int64_t> integerIn(const Expressions &Batch, size_t Index,
                                  int64_t Low, int64_t High);

struct GeometryQuestions {
  size_t Grid[3], Block[3], Shared;
};

struct PointerQuestions {
  size_t Offset, Stride;
};

struct ShapeQuestions {
  std::map<std::string, int64_t> Dimensions;
  std::vector<std::vector<size_t>> Values; ///< Per argument, per part.
  std::vector<size_t> Extents, Lows, Highs;
  /// Per buffer, of the rule `iota`: step, each, period, modulus; else none.
  std::vector<std::vector<size_t>> Counts;
  /// Per buffer, per pointer in its elements.
  std::vector<std::vector<PointerQuestions>> Pointers;
  std::vector<std::vector<size_t>> Known; ///< Per buffer, per known member.
  GeometryQuestions Launch;
};

GeometryQuestions askGeometry(Expressions &Batch,
                              const std::array<std::string, 3> &Grid,
                              const std::array<std::string, 3> &Block,
                              llvm::StringRef Shared, const llvm::Twine &Where);

/// Error (Workload): beyond what CUDA and HIP launch.
llvm::Expected<ResolvedGeometry> geometry(const Expressions &Batch,
                                          const GeometryQuestions &Q);

/// Opens a scope with the dimensions and scalars of \p S and, named after the
/// launch, `block_x` … `shared_bytes`.
llvm::Expected<ShapeQuestions> openShape(Expressions &Batch, const Workload &W,
                                         const Shape &S);

/// Says which shape an error is about.
llvm::Error inShape(llvm::Error E, const std::string &Name);

/// The shapes of \p W; `base` alone if it names none.
std::vector<Shape> shapesOf(const Workload &W);

} // namespace mep::questions

#endif // MEP_LIB_WORKLOAD_QUESTIONS_H
