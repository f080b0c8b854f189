/// \file
/// One prepared kernel: its shapes with their data and what is known of their
/// outputs. `prepare` makes it, `evaluate` judges candidates by it.

#ifndef MEP_WORKER_SESSION_H
#define MEP_WORKER_SESSION_H

#include "Answer.h"
#include "Compile.h"
#include "Timing.h"
#include <chrono>

namespace mepworker {

/// A shape that the baseline runs cleanly. Members are in the order of their
/// making; the binding must go before what it points into.
struct PreparedShape {
  unsigned Index = 0; ///< In the request.
  std::shared_ptr<Program> Code;
  std::unique_ptr<ShapeData> Data;
  std::unique_ptr<Binding> Bound;
  Expectation Known;
  double Weight = 0; ///< More than 0: it is timed.
  unsigned Batch = 1;
  double BaselineNs = 0;  ///< Of one launch.
  uint64_t ReadBytes = 0; ///< Of its inputs.

  const std::string &name() const { return Data->spec().Name; }
};

class Session {
public:
  /// \p Bandwidth: measured, bytes per second, read plus written.
  Session(Runner &Run, double Bandwidth) : Run(Run), Bandwidth(Bandwidth) {}

  /// Throws BaselineError, RequestError, DeviceError.
  BaselineAnswer prepare(const PrepareRequest &Request);
  /// Throws RequestError and DeviceError; all else is in the answer.
  EvaluationAnswer evaluate(const EvaluateRequest &Request);
  /// Lets the platform compile beside the measurements. Throws RequestError.
  void announce(const AnnounceRequest &Request);

  /// The shape that is being prepared, for a last answer; else empty.
  const std::string &currentShape() const { return CurrentShape; }

private:
  void prepareShapes();
  void prepareShape(unsigned Index);
  void drop(const PreparedShape &Shape, const std::string &Why);
  void prepareTiming(PreparedShape &Shape);
  void settleWeights();
  BaselineAnswer measureBaseline();
  void followBase();
  std::vector<PreparedShape *> timed() const;
  CompileRequest baselineRequest(const ShapeSpec &Shape) const;
  std::shared_ptr<Program> baselineProgram(const ShapeSpec &Shape);
  BaselineAnswer describe(const Samples &Taken);
  void describeShapes(BaselineAnswer &Answer) const;
  CompileRequest compileRequest(const EvaluateRequest &Request,
                                const PreparedShape &Shape) const;
  void judge(const EvaluateRequest &Request, EvaluationAnswer &Answer);
  void announceOthers(const EvaluateRequest &Request);
  bool isOriginalOn(const PreparedShape &On, const Program &Code,
                    const Plan &Asked) const;
  void concludeUnchanged(EvaluationAnswer &Answer) const;
  void verify(PreparedShape &Shape, Binding &Candidate, WorstError &Worst);
  double roughTime(const TimedPairs &Sides);
  bool screen(const TimedPairs &Sides, double Beat, Samples &Taken,
              WorstError &Worst);
  void giveUp(const Samples &Taken, double Beat,
              EvaluationAnswer &Answer) const;
  void decide(const TimedPairs &Sides, Samples &Taken, WorstError &Worst,
              EvaluationAnswer &Answer);
  void conclude(const Samples &Taken, EvaluationAnswer &Answer) const;
  void concludeShapes(const Samples &Taken, EvaluationAnswer &Answer) const;
  void checkFloors(const Samples &Taken) const;
  PreparedShape &base() { return *Shapes.front(); }

  Runner &Run;
  double Bandwidth;
  PrepareRequest Prepared;
  std::map<std::vector<std::string>, std::shared_ptr<Program>> Programs;
  std::vector<std::unique_ptr<PreparedShape>> Shapes; ///< Base first.
  std::vector<std::string> Dropped;
  double CompileMs = 0;
  double BaselineNs = 0;  ///< As in Samples.
  double TotalWeight = 1; ///< Of the shapes that are timed.
  /// A ratio nearer to 1 is not believed: what the unchanged kernel was off by
  /// in the self-test, at least one percent.
  double LeastEffect = 0.01;
  std::string CurrentShape;
  std::chrono::steady_clock::time_point Start; ///< Of the preparation.
  std::mt19937_64 Random;
};

} // namespace mepworker

#endif // MEP_WORKER_SESSION_H
