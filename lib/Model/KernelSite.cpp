#include "mep/Model/KernelSite.h"
#include <nlohmann/json.hpp>

using namespace mep;

const char *mep::name(LaunchKind Kind) {
  switch (Kind) {
  case LaunchKind::Triple:
    return "triple";
  case LaunchKind::Api:
    return "api";
  case LaunchKind::Macro:
    return "macro";
  case LaunchKind::Templated:
    return "templated";
  }
  return "";
}

Json mep::toJson(const SourceSpan &Span) {
  return {{"file", Span.File},
          {"begin", Span.Begin},
          {"end", Span.End},
          {"line", Span.Line},
          {"column", Span.Column}};
}

Json mep::toJson(const LaunchSite &Site) {
  Json Value = {
      {"kind", name(Site.Kind)},     {"unit", Site.Unit},
      {"place", toJson(Site.Call)},  {"function", Site.Function},
      {"grid", Site.GridText},       {"block", Site.BlockText},
      {"arguments", Site.Arguments}, {"instantiation", Site.Instantiation},
      {"in_loop", Site.InLoop}};
  if (!Site.SharedText.empty())
    Value["shared"] = Site.SharedText;
  if (!Site.StreamText.empty())
    Value["stream"] = Site.StreamText;
  return Value;
}

Json mep::toJson(const KernelSite &Site) {
  Json Parameters = Json::array(), Instantiations = Json::array(),
       Launches = Json::array();
  for (const KernelParameter &P : Site.Parameters)
    Parameters.push_back({{"name", P.Name}, {"type", P.Type}});
  for (const Instantiation &I : Site.Instantiations)
    Instantiations.push_back(
        {{"arguments", I.Arguments}, {"symbol", I.MangledName}});
  for (const LaunchSite &L : Site.Launches)
    Launches.push_back(toJson(L));
  return {{"name", Site.Name},
          {"qualified_name", Site.QualifiedName},
          {"symbol", Site.MangledName},
          {"unit", Site.Unit},
          {"place", toJson(Site.Definition)},
          {"template", Site.IsTemplate},
          {"parameters", Parameters},
          {"instantiations", Instantiations},
          {"launches", Launches},
          {"rank", Site.Rank},
          {"rank_reason", Site.RankReason}};
}
