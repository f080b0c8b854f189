/// \file
/// Everything around the kernel of a Minimal Executable Program that is the
/// same for all of them: buffers and their fills, launches and their times, the
/// checks, and the JSON object at the end. `main.cu` says what to run.

#ifndef MEP_PROGRAM_H
#define MEP_PROGRAM_H

#include "mep_device.h"

#include "mep_fill.h"
#include "mep_options.h"
#include "mep_outputs.h"

#include <algorithm>
#include <cstdarg>
#include <functional>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace mep_program {

/// An address that becomes whatever pointer the kernel's parameter is.
struct Address {
  unsigned char *Bytes;
  template <typename Target> operator Target *() const {
    return reinterpret_cast<Target *>(Bytes);
  }
};

/// Type of a kernel's parameter without const and reference, for those that
/// cannot be named in main.cu.
template <typename Function> struct Parameters;
template <typename... Types> struct Parameters<void (*)(Types...)> {
  template <size_t Index>
  using At = std::remove_cv_t<
      std::remove_reference_t<std::tuple_element_t<Index, std::tuple<Types...>>>>;
};

using Sizes = std::vector<std::pair<std::string, long long>>;
using CopyIn = std::function<cudaError_t(const void *From, size_t Bytes)>;
using CopyOut = std::function<cudaError_t(void *To, size_t Bytes)>;

/// A device buffer or a global of the kernel.
struct Buffer {
  std::string Name;
  Element Type;
  uint64_t Count = 0;
  bool IsInput = true, IsOutput = true, KeepsInitializer = false;
  unsigned char *Device = nullptr, *Backup = nullptr;
  std::vector<unsigned char> Host; ///< The inputs as they were filled.
  CopyIn In;                       ///< Of a global.
  CopyOut Out;
  uint64_t bytes() const { return Count * Type.Bytes; }
};

class Program {
public:
  Program(std::string Kernel, Options Defaults, int Count, char **Arguments)
      : Kernel(std::move(Kernel)), Settings(std::move(Defaults)) {
    parseOptions(Count, Arguments, Settings);
  }

  /// Names the sizes of a shape; the first is the one taken when none is asked
  /// for. Those with a \p Weight are timed one after another then.
  void shape(const std::string &Name, const Sizes &Values, double Weight = 0) {
    Shapes.push_back({Name, Values});
    Weights.push_back(Weight);
  }

  /// Tells what a macro was compiled as.
  void macro(const std::string &Name, long long Value) {
    Macros.push_back({Name, Value});
  }

  /// Picks the shape: the one asked for, else the one that was compiled.
  void choose(unsigned Compiled) {
    Chosen = Compiled < Shapes.size() ? Compiled : 0;
    if (!Settings.Shape.empty()) {
      for (Chosen = 0; Chosen < Shapes.size(); ++Chosen)
        if (Shapes[Chosen].first == Settings.Shape)
          break;
      if (Chosen == Shapes.size())
        usageError("no shape is named '" + Settings.Shape + "'");
    }
    IsAlone = Chosen > 0 || !Settings.Shape.empty() || !Settings.Set.empty();
    for (const auto &Macro : Macros) {
      const long long *Wanted = find(Shapes[Chosen].second, Macro.first);
      if (!Wanted || *Wanted == Macro.second)
        continue;
      if (!Settings.Shape.empty())
        usageError("shape '" + Settings.Shape + "' needs a build with " +
                   "-DMEP_SHAPE=" + std::to_string(Chosen));
      IsCustom = true;
    }
    for (const auto &Given : Settings.Set)
      if (!find(Shapes[Chosen].second, Given.first) ||
          find(Macros, Given.first))
        usageError("'" + Given.first + "' is no size that --set can change" +
                   (find(Macros, Given.first) ? "; build with -D" : ""));
  }

  /// A size that is no macro: from the command line, else of the shape.
  long long size(const std::string &Name) const {
    auto Given = Settings.Set.find(Name);
    if (Given != Settings.Set.end())
      return Given->second;
    const long long *Value = find(Shapes[Chosen].second, Name);
    return Value ? *Value : 0;
  }

  /// Makes a device buffer of \p Count elements. \p Role: `in out inout`;
  /// \p Rule, \p Low and \p High as in workload.json.
  void buffer(const std::string &Name, const std::string &Type, uint64_t Count,
              const std::string &Role, const std::string &Rule, double Low,
              double High, const mep_fill::Details &More = {}) {
    Buffer New = filled(Name, Type, Count, Role, Rule, Low, High, More);
    must(cudaMalloc(&New.Device, New.bytes()), Name.c_str());
    if (New.IsInput && New.IsOutput)
      must(cudaMalloc(&New.Backup, New.bytes()), Name.c_str());
    Buffers.push_back(std::move(New));
  }

  /// The same for a variable of the device code.
  void global(const std::string &Name, const std::string &Type, uint64_t Count,
              const std::string &Role, const std::string &Rule, double Low,
              double High, CopyIn In, CopyOut Out,
              const mep_fill::Details &More = {}) {
    Buffer New = filled(Name, Type, Count, Role, Rule, Low, High, More);
    New.In = std::move(In);
    New.Out = std::move(Out);
    if (New.KeepsInitializer)
      must(New.Out(New.Host.data(), New.bytes()), Name.c_str());
    Buffers.push_back(std::move(New));
  }

  /// The device address of element \p Index of a buffer.
  Address pointer(const std::string &Name, uint64_t Index = 0) const {
    for (const Buffer &Each : Buffers)
      if (Each.Name == Name && Each.Device)
        return {Each.Device + Index * Each.Type.Bytes};
    return {nullptr};
  }

  /// Pointers in the elements of buffer \p Holder: \p PerElement of them from
  /// byte \p Offset of each element. Number k of the whole buffer points at
  /// element \p First + k * \p Stride of \p Target.
  void pointers(const std::string &Holder, uint64_t Offset, uint64_t PerElement,
                const std::string &Target, uint64_t First = 0,
                uint64_t Stride = 0) {
    for (Buffer &Each : Buffers) {
      if (Each.Name != Holder)
        continue;
      for (uint64_t Number = 0; Number < Each.Count * PerElement; ++Number) {
        unsigned char *To = pointer(Target, First + Number * Stride).Bytes;
        std::memcpy(Each.Host.data() +
                        Number / PerElement * Each.Type.Bytes + Offset +
                        Number % PerElement * sizeof(To),
                    &To, sizeof(To));
      }
    }
  }

  /// Sets the member at byte \p Offset of each element of buffer \p Holder.
  template <typename Type>
  void value(const std::string &Holder, uint64_t Offset, Type Value) {
    for (Buffer &Each : Buffers)
      if (Each.Name == Holder && Each.IsInput)
        for (uint64_t Number = 0; Number < Each.Count; ++Number)
          std::memcpy(Each.Host.data() + Number * Each.Type.Bytes + Offset,
                      &Value, sizeof(Value));
  }

  /// Goes on to the next shape with a weight, with no buffers yet. False if
  /// there is none, or only one shape was asked for.
  bool next() {
    if (IsAlone || IsCustom)
      return false;
    for (Buffer &Each : Buffers) {
      if (Each.KeepsInitializer)
        must(Each.In(Each.Host.data(), Each.bytes()), Each.Name.c_str());
      cudaFree(Each.Device);
      cudaFree(Each.Backup);
    }
    Buffers.clear();
    for (++Chosen; Chosen < Shapes.size(); ++Chosen)
      if (Weights[Chosen] > 0)
        return true;
    return false;
  }

  /// Prints what the runs found; the program's exit code.
  int finish() {
    std::printf("%s", Answers.front().c_str());
    if (Answers.size() > 1) {
      std::printf(",\n \"launches\": [");
      for (size_t Index = 0; Index < Launches.size(); ++Index)
        std::printf("%s\n  %s", Index ? "," : "", Launches[Index].c_str());
      std::printf("],\n \"weighted_total_ns\": %.1f", WeightedNs);
    }
    std::printf("}\n");
    return IsRight ? Ok : Wrong;
  }

  /// Runs \p Launch once for the checks and then for the times.
  void run(const std::function<void()> &Launch, dim3 Grid, dim3 Block,
           size_t SharedBytes) {
    std::vector<Output> First = runOnce(Launch);
    bool InputsKept = inputsUnchanged();
    std::vector<Output> Second = runOnce(Launch);
    Comparison Found;
    std::string Verdict = compareWithReference(First, Found);
    if (!Settings.Save.empty() &&
        !saveOutputs(fileOf(Settings.Save), title(), First)) {
      std::fprintf(stderr, "error: %s: cannot be written\n",
                   fileOf(Settings.Save).c_str());
      std::exit(DeviceError);
    }
    bool IsDeterministic = checksumOf(First) == checksumOf(Second);
    std::vector<double> TimesNs = timeLaunches(Launch);
    Answers.push_back(answer(Grid, Block, SharedBytes, TimesNs, InputsKept,
                             IsDeterministic, Verdict, Found,
                             checksumOf(First)));
    Launches.push_back(launch(trimmedMean(TimesNs), Verdict,
                              checksumOf(First)));
    WeightedNs += Weights[Chosen] * trimmedMean(TimesNs);
    IsRight &= InputsKept && Verdict != "mismatch";
  }

private:
  static const long long *find(const Sizes &In, const std::string &Name) {
    for (const auto &Each : In)
      if (Each.first == Name)
        return &Each.second;
    return nullptr;
  }

  std::string shapeName() const {
    return IsCustom || !Settings.Set.empty() ? "custom" : Shapes[Chosen].first;
  }

  std::string title() const {
    return Kernel + " shape " + shapeName() + " seed " +
           std::to_string(Settings.Seed);
  }

  Buffer filled(const std::string &Name, const std::string &Type,
                uint64_t Count, const std::string &Role,
                const std::string &Rule, double Low, double High,
                const mep_fill::Details &More) const {
    Buffer New;
    New.Name = Name;
    New.Type = Element::fromText(Type);
    New.Count = Count;
    New.IsInput = Role != "out";
    New.IsOutput = Role != "in";
    New.KeepsInitializer = Rule == "initializer";
    if (!New.IsInput)
      return New;
    New.Host.resize(New.bytes());
    mep_fill::Rule How = mep_fill::Rule::Uniform;
    mep_fill::ruleFromName(Rule, How);
    if (!New.KeepsInitializer)
      mep_fill::fill(New.Host.data(), New.Type.Bytes,
                     New.Type.Components.data(), New.Type.Components.size(),
                     Count, How, Low, High, Settings.Seed,
                     mep_fill::nameHash(Name), More);
    return New;
  }

  /// All bits of an output that is no input are set, so that what a kernel
  /// leaves out is seen.
  void reset() {
    for (Buffer &Each : Buffers) {
      const char *What = Each.Name.c_str();
      if (Each.In) {
        std::vector<unsigned char> Poison;
        if (!Each.IsInput)
          Poison.assign(Each.bytes(), 0xff);
        must(Each.In(Each.IsInput ? Each.Host.data() : Poison.data(),
                     Each.bytes()),
             What);
      } else if (!Each.IsInput) {
        must(cudaMemset(Each.Device, 0xff, Each.bytes()), What);
      } else {
        must(cudaMemcpy(Each.Device, Each.Host.data(), Each.bytes(),
                        cudaMemcpyHostToDevice),
             What);
        if (Each.Backup)
          must(cudaMemcpy(Each.Backup, Each.Device, Each.bytes(),
                          cudaMemcpyDeviceToDevice),
               What);
      }
    }
  }

  /// Gives the buffers that a launch changes their values before it back.
  void restore() {
    for (Buffer &Each : Buffers)
      if (Each.Backup)
        must(cudaMemcpy(Each.Device, Each.Backup, Each.bytes(),
                        cudaMemcpyDeviceToDevice),
             Each.Name.c_str());
      else if (Each.In && Each.IsInput && Each.IsOutput)
        must(Each.In(Each.Host.data(), Each.bytes()), Each.Name.c_str());
  }

  std::vector<unsigned char> download(const Buffer &From) const {
    std::vector<unsigned char> Bytes(From.bytes());
    must(From.Out ? From.Out(Bytes.data(), Bytes.size())
                  : cudaMemcpy(Bytes.data(), From.Device, Bytes.size(),
                               cudaMemcpyDeviceToHost),
         From.Name.c_str());
    return Bytes;
  }

  std::vector<Output> runOnce(const std::function<void()> &Launch) {
    reset();
    Launch();
    must(cudaGetLastError(), "launch");
    must(cudaDeviceSynchronize(), "kernel");
    std::vector<Output> Outputs;
    for (const Buffer &Each : Buffers)
      if (Each.IsOutput)
        Outputs.push_back({Each.Name, Each.Type, Each.Count, download(Each)});
    return Outputs;
  }

  bool inputsUnchanged() const {
    bool Kept = true;
    for (const Buffer &Each : Buffers)
      if (!Each.IsOutput && download(Each) != Each.Host) {
        std::fprintf(stderr, "error: the kernel changed its input %s\n",
                     Each.Name.c_str());
        Kept = false;
      }
    return Kept;
  }

  /// `match`, `mismatch`, or `none` without a reference.
  std::string compareWithReference(const std::vector<Output> &Mine,
                                   Comparison &Found) const {
    std::vector<Output> Reference = Mine;
    std::string Problem;
    if (!Settings.Reference.empty() &&
        !loadOutputs(fileOf(Settings.Reference), title(), Reference, Problem))
      usageError(fileOf(Settings.Reference) + " " + Problem);
    for (size_t Index = 0; Index < Mine.size(); ++Index)
      compare(Mine[Index], Reference[Index], Settings.Tolerance, Found);
    if (!Found.FirstWrong.empty())
      std::fprintf(stderr, "error: %s\n", Found.FirstWrong.c_str());
    return Settings.Reference.empty()   ? "none"
           : Found.FirstWrong.empty() ? "match"
                                      : "mismatch";
  }

  std::vector<double> timeLaunches(const std::function<void()> &Launch) {
    cudaEvent_t Begin, End;
    must(cudaEventCreate(&Begin), "event");
    must(cudaEventCreate(&End), "event");
    std::vector<double> TimesNs;
    for (unsigned Number = 0; Number < Settings.Warmup + Settings.Repeat;
         ++Number) {
      restore();
      must(cudaDeviceSynchronize(), "restoring the inputs");
      must(cudaEventRecord(Begin), "event");
      Launch();
      must(cudaGetLastError(), "launch");
      must(cudaEventRecord(End), "event");
      must(cudaEventSynchronize(End), "kernel");
      float Milliseconds = 0;
      must(cudaEventElapsedTime(&Milliseconds, Begin, End), "event");
      if (Number >= Settings.Warmup)
        TimesNs.push_back(double(Milliseconds) * 1e6);
    }
    return TimesNs;
  }

  double trimmedMean(std::vector<double> Values) const {
    std::sort(Values.begin(), Values.end());
    size_t Cut = Values.size() * Settings.TrimPercent / 100;
    double Sum = 0;
    for (size_t Index = Cut; Index < Values.size() - Cut; ++Index)
      Sum += Values[Index];
    return Sum / double(Values.size() - 2 * Cut);
  }

  static std::string quoted(const std::string &Text) {
    std::string Result = "\"";
    for (char Letter : Text) {
      if (Letter == '"' || Letter == '\\')
        Result += '\\';
      Result += Letter;
    }
    return Result + "\"";
  }

  /// Each shape but the first has a file of its own.
  std::string fileOf(const std::string &Given) const {
    return IsAlone || Chosen == 0 ? Given : Given + "." + shapeName();
  }

  static void add(std::string &To, const char *Format, ...)
      __attribute__((format(printf, 2, 3))) {
    char Text[512];
    va_list Values;
    va_start(Values, Format);
    std::vsnprintf(Text, sizeof(Text), Format, Values);
    va_end(Values);
    To += Text;
  }

  /// The JSON object of one shape, without its closing brace.
  std::string answer(dim3 Grid, dim3 Block, size_t SharedBytes,
                     const std::vector<double> &TimesNs, bool InputsKept,
                     bool IsDeterministic, const std::string &Verdict,
                     const Comparison &Found,
                     const std::string &Checksum) const {
    cudaDeviceProp Facts;
    must(cudaGetDeviceProperties(&Facts, 0), "device");
    std::string Text = "{\"kernel\": " + quoted(Kernel) +
                       ", \"shape\": " + quoted(shapeName());
    add(Text, ", \"seed\": %llu, \"platform\": \"%s\", \"device\": %s,\n",
        (unsigned long long)Settings.Seed, platform(),
        quoted(Facts.name).c_str());
    add(Text,
        " \"grid\": [%u, %u, %u], \"block\": [%u, %u, %u], "
        "\"shared_bytes\": %llu,\n \"times_ns\": [",
        Grid.x, Grid.y, Grid.z, Block.x, Block.y, Block.z,
        (unsigned long long)SharedBytes);
    for (size_t Index = 0; Index < TimesNs.size(); ++Index)
      add(Text, "%s%.0f", Index ? ", " : "", TimesNs[Index]);
    add(Text, "],\n \"trimmed_mean_ns\": %.1f,\n", trimmedMean(TimesNs));
    add(Text,
        " \"checks\": {\"inputs_unchanged\": %s, \"deterministic\": %s, "
        "\"nan\": %llu, \"reference\": \"%s\", \"worst_error\": %g},\n "
        "\"checksum\": \"%s\"",
        InputsKept ? "true" : "false", IsDeterministic ? "true" : "false",
        (unsigned long long)Found.NaNs, Verdict.c_str(),
        Found.WorstError <= 1e308 ? Found.WorstError : 1e308,
        Checksum.c_str());
    return Text;
  }

  /// What counts of one shape beside others.
  std::string launch(double MeanNs, const std::string &Verdict,
                     const std::string &Checksum) const {
    std::string Text = "{\"shape\": " + quoted(shapeName());
    add(Text,
        ", \"weight\": %.15g, \"trimmed_mean_ns\": %.1f, \"reference\": "
        "\"%s\", \"checksum\": \"%s\"}",
        Weights[Chosen], MeanNs, Verdict.c_str(), Checksum.c_str());
    return Text;
  }

  std::string Kernel;
  Options Settings;
  std::vector<std::pair<std::string, Sizes>> Shapes;
  Sizes Macros;
  std::vector<Buffer> Buffers;
  std::vector<double> Weights; ///< Of the shapes.
  size_t Chosen = 0;
  bool IsCustom = false;
  bool IsAlone = false; ///< One shape was asked for.
  /// Of the shapes that ran.
  std::vector<std::string> Answers, Launches;
  double WeightedNs = 0;
  bool IsRight = true;
};

} // namespace mep_program

#endif // MEP_PROGRAM_H
