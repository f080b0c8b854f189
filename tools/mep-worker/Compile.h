/// \file
/// From a request's source to a loaded program, with the limits kept.

#ifndef MEP_WORKER_COMPILE_H
#define MEP_WORKER_COMPILE_H

#include "Program.h"
#include "Watchdog.h"

namespace mepworker {

/// Compiles and loads; \p Ms grows by the time it took. Throws Failure
/// (compile-error with the first diagnostics, compile-limit).
std::unique_ptr<Program> compileProgram(Platform &P, Watchdog &Dog,
                                        CompileRequest Request, double &Ms);

/// Keeps the values of the device globals that \p Shapes want kept, and notes
/// which there are: before the first launch of \p Of.
void keepInitializers(Platform &P, const std::vector<ShapeSpec> &Shapes,
                      Program &Of);

void addOnce(std::vector<std::string> &Names, const std::string &Name);

/// The kernels that \p Plans launch, each once, as name expressions.
std::vector<std::string> kernelsOf(const std::vector<Plan> &Plans,
                                   const std::string &Prepared);
/// The device globals among the buffers of \p Shapes, each once.
std::vector<std::string> symbolsOf(const std::vector<ShapeSpec> &Shapes);

} // namespace mepworker

#endif // MEP_WORKER_COMPILE_H
