/// \file
/// The words of README.md: one JSON object a line in, one a line out.

#ifndef MEP_WORKER_PROTOCOL_H
#define MEP_WORKER_PROTOCOL_H

#include "Answer.h"
#include "Request.h"
#include <string>
#include <variant>

namespace mepworker {

struct HelloRequest {};
struct QuitRequest {};

struct Request {
  std::string Id = "null"; ///< As JSON, to be echoed.
  std::variant<HelloRequest, PrepareRequest, EvaluateRequest, AnnounceRequest,
               CompileCheck, ProbeRequest, QuitRequest>
      Op;
};

/// Throws RequestError naming the member. \p Id is set as soon as it is known.
Request parseRequest(const std::string &Line, std::string &Id);

/// \p Sandbox: Protections::names().
std::string helloAnswer(const std::string &Id, const DeviceFacts &Facts,
                        double Bandwidth,
                        const std::vector<std::string> &Sandbox);
/// Done, and nothing to tell.
std::string plainAnswer(const std::string &Id);
/// \p Compiler took the source.
std::string compileAnswer(const std::string &Id, const std::string &Compiler);
std::string baselineAnswer(const std::string &Id, const BaselineAnswer &Found);
std::string evaluationAnswer(const std::string &Id,
                             const EvaluationAnswer &Found);
std::string probeAnswer(const std::string &Id, const ProbeAnswer &Found);
/// \p Kind: `toolchain`, `request`, `baseline`, `device`.
std::string errorAnswer(const std::string &Id, const std::string &Kind,
                        const std::string &Message, bool Fatal);
/// Of kind `baseline`. \p Status: as in an evaluation. \p Shape: the one that
/// was being prepared, may be empty.
std::string refusedAnswer(const std::string &Id, const std::string &Status,
                          const std::string &Message, bool Fatal,
                          const std::string &Shape = "");

} // namespace mepworker

#endif // MEP_WORKER_PROTOCOL_H
