/// \file
/// The command line of a program around one kernel.

#ifndef MEP_OPTIONS_H
#define MEP_OPTIONS_H

#include "mep_device.h"

#include <cerrno>
#include <cstdint>
#include <map>
#include <string>

namespace mep_program {

struct Options {
  unsigned Repeat = 20, Warmup = 3, TrimPercent = 20;
  uint64_t Seed = 1;
  double Tolerance = -1; ///< Negative: by the kind of value.
  std::string Shape, Reference, Save;
  std::map<std::string, long long> Set; ///< Sizes given on the command line.
};

[[noreturn]] inline void usageError(const std::string &Message) {
  std::fprintf(stderr, "error: %s (see --help)\n", Message.c_str());
  std::exit(Usage);
}

inline long long parseInteger(const std::string &Flag, const std::string &Text,
                              long long Least) {
  char *End = nullptr;
  errno = 0;
  long long Value = std::strtoll(Text.c_str(), &End, 0);
  if (Text.empty() || *End || errno || Value < Least)
    usageError(Flag + " wants an integer of at least " +
               std::to_string(Least) + ", not '" + Text + "'");
  return Value;
}

inline void printHelp(const char *Program) {
  std::printf(
      "Usage: %s [options]\n"
      "Runs one kernel alone and prints one JSON object.\n\n"
      "  --repeat N         timed launches (each after the inputs are restored)\n"
      "  --warmup N         launches before them\n"
      "  --trim P           percent cut from each end before the mean\n"
      "  --seed S           of the inputs\n"
      "  --shape NAME       a shape of workload.json\n"
      "  --set NAME=VALUE   a size that is no macro\n"
      "  --save FILE        write the outputs\n"
      "  --reference FILE   compare the outputs with a saved file\n"
      "  --tolerance R      relative error that counts as equal\n\n"
      "Exit codes: 0 ok, 1 mismatch or failed check, 2 usage, 3 device error\n",
      Program);
}

inline void setSize(Options &Result, const std::string &Text) {
  size_t Equals = Text.find('=');
  if (Equals == std::string::npos || Equals == 0)
    usageError("--set wants NAME=VALUE, not '" + Text + "'");
  Result.Set[Text.substr(0, Equals)] =
      parseInteger("--set", Text.substr(Equals + 1), 1);
}

/// One flag and its value.
inline void setOption(Options &Result, const std::string &Flag,
                      const std::string &Text) {
  if (Flag == "--repeat")
    Result.Repeat = unsigned(parseInteger(Flag, Text, 1));
  else if (Flag == "--warmup")
    Result.Warmup = unsigned(parseInteger(Flag, Text, 0));
  else if (Flag == "--trim")
    Result.TrimPercent = unsigned(parseInteger(Flag, Text, 0));
  else if (Flag == "--seed")
    Result.Seed = uint64_t(parseInteger(Flag, Text, 0));
  else if (Flag == "--tolerance")
    Result.Tolerance = std::atof(Text.c_str());
  else if (Flag == "--shape")
    Result.Shape = Text;
  else if (Flag == "--reference")
    Result.Reference = Text;
  else if (Flag == "--save")
    Result.Save = Text;
  else if (Flag == "--set")
    setSize(Result, Text);
  else
    usageError("unknown option '" + Flag + "'");
  if (Result.TrimPercent >= 50)
    usageError("--trim must be below 50");
}

/// `--flag value` and `--flag=value`.
inline void parseOptions(int Count, char **Arguments, Options &Result) {
  for (int Index = 1; Index < Count; ++Index) {
    std::string Flag = Arguments[Index];
    if (Flag == "--help" || Flag == "-h") {
      printHelp(Arguments[0]);
      std::exit(Ok);
    }
    size_t Equals = Flag.find('=');
    if (Equals != std::string::npos)
      setOption(Result, Flag.substr(0, Equals), Flag.substr(Equals + 1));
    else if (Flag.compare(0, 2, "--") != 0)
      usageError("unexpected argument '" + Flag + "'");
    else if (Index + 1 == Count)
      usageError(Flag + " wants a value");
    else
      setOption(Result, Flag, Arguments[++Index]);
  }
}

} // namespace mep_program

#endif // MEP_OPTIONS_H
