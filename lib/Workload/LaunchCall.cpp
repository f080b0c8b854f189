/// \file
/// From the place of a launch to its expressions.

#include "LaunchCall.h"
#include "mep/Discovery/Discovery.h"
#include "mep/Support/Error.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"

using namespace mep;
using namespace clang;
using llvm::dyn_cast;
using llvm::isa;

/// `void *args[] = {&a, &b}` to `a`, `b`.
static bool pointedArguments(const Expr *Array,
                             std::vector<const Expr *> &Arguments) {
  auto *R = dyn_cast<DeclRefExpr>(bare(Array));
  auto *V = R ? dyn_cast<VarDecl>(R->getDecl()) : nullptr;
  auto *List =
      V && V->getInit() ? dyn_cast<InitListExpr>(bare(V->getInit())) : nullptr;
  if (!List)
    return false;
  for (const Expr *E : List->inits()) {
    auto *U = dyn_cast<UnaryOperator>(bare(E));
    if (!U || U->getOpcode() != UO_AddrOf)
      return false;
    Arguments.push_back(U->getSubExpr());
  }
  return true;
}

static bool decompose(const CallPlace &Place, LaunchCall &Out) {
  Out.Place = &Place;
  if (auto *K = dyn_cast<CUDAKernelCallExpr>(Place.Call)) {
    const CallExpr *Config = K->getConfig();
    Out.Kernel = namedKernel(K->getCallee());
    Out.Arguments.assign(K->arg_begin(), K->arg_end());
    Out.Grid = Config->getArg(0);
    Out.Block = Config->getArg(1);
    Out.Shared = Config->getNumArgs() > 2 ? Config->getArg(2) : nullptr;
    return Out.Kernel != nullptr;
  }
  auto *C = llvm::cast<CallExpr>(Place.Call);
  if (C->getNumArgs() < 5)
    return false;
  Out.Kernel = namedKernel(C->getArg(0));
  Out.Grid = C->getArg(1);
  Out.Block = C->getArg(2);
  Out.Shared = C->getArg(4);
  return Out.Kernel && pointedArguments(C->getArg(3), Out.Arguments) &&
         Out.Arguments.size() == Out.Kernel->getNumParams();
}

llvm::Expected<LaunchCall> mep::findLaunch(const ParsedUnit &Host,
                                           const HostIndex &Index,
                                           const KernelSite &Site,
                                           unsigned Launch) {
  const LaunchSite &L = Site.Launches[Launch];
  // Of a launch inside a template all instantiations stand at one place.
  std::string Wanted;
  if (L.Instantiation < Site.Instantiations.size())
    Wanted = Site.Instantiations[L.Instantiation].MangledName;
  const CallPlace *Found = nullptr;
  LaunchCall Out;
  for (const CallPlace &P : Index.launches()) {
    SourceSpan Span = Host.span(P.Call->getSourceRange());
    if (Span.File != L.Call.File ||
        (Span.Begin != L.Call.Begin && Span.Line != L.Call.Line))
      continue;
    LaunchCall Try;
    if (!decompose(P, Try)) {
      Found = Found ? Found : &P;
      continue;
    }
    if (Try.Kernel->getName() != Site.Name)
      continue;
    bool Same = deviceSymbol(Host, *Try.Kernel) == Wanted;
    if (!Out.Kernel || Same)
      Out = Try;
    if (Same)
      break;
  }
  if (Out.Kernel)
    return Out;
  if (Found)
    return makeError(Failure::Unsupported,
                     "the arguments of this launch of '" + Site.Name +
                         "' cannot be followed",
                     L.Call.str());
  return makeError(Failure::Workload,
                   "this launch of '" + Site.Name +
                       "' is never compiled: its function is a template that "
                       "the unit does not use",
                   L.Call.str());
}
