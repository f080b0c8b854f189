/// \file
/// Evaluate, message level: requests as JSON and answers read from it. The
/// protocol is tools/mep-worker/README.md.

#ifndef MEP_LIB_EVALUATE_PROTOCOL_H
#define MEP_LIB_EVALUATE_PROTOCOL_H

#include "mep/Evaluate/Worker.h"

namespace mep {

constexpr int64_t ProtocolVersion = 1;

/// Requests; an id is added by \c withId.
Json helloRequest();
Json prepareRequest(const Closure &C, const std::vector<ResolvedShape> &Shapes,
                    const EvaluateOptions &Options);
Json evaluateRequest(const Candidate &C, const std::string &Source,
                     const std::vector<ResolvedPlan> &Plans,
                     const std::map<std::string, int64_t> &Tune, double Beat);
Json announceRequest(const std::vector<Announced> &Variants);
Json probeRequest(const Closure &C, const ResolvedShape &Shape,
                  const ProbeLimits &Limits);
/// Adds to a probe's request what is looked for, and \p Variant if not null.
void askForHazards(Json &Probe, const ProbedVariant *Variant);
std::string withId(Json Request, int64_t Id);

/// Takes the shape \p Name out of a prepare request.
void removeShape(Json &Prepare, llvm::StringRef Name);

/// What every answer says.
struct Answer {
  bool Ok = false;
  bool Fatal = false;               ///< The worker is going to end.
  std::string Error, Kind;          ///< Of a refusal.
  std::optional<Status> Why;        ///< Of a refused baseline.
  std::string Shape;                ///< Where a baseline failed.
  std::shared_ptr<const Json> Body; ///< The whole answer.
};

/// Error when \p Line is no answer to request \p Id.
llvm::Expected<Answer> parseAnswer(llvm::StringRef Line, int64_t Id);

/// Error (Toolchain) when the worker speaks another protocol.
llvm::Expected<Device> readHello(const Answer &A);
llvm::Expected<Baseline> readBaseline(const Answer &A);
llvm::Expected<Evaluation> readEvaluation(const Answer &A);
llvm::Expected<ProbeReport> readProbe(const Answer &A);

/// Text of an error that becomes part of another message.
std::string textOf(llvm::Error E);

} // namespace mep

#endif // MEP_LIB_EVALUATE_PROTOCOL_H
