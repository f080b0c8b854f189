#include "UnitCache.h"
#include "mep/Frontend/ParsedUnit.h"
#include "mep/Support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include <algorithm>

using namespace mep;
using llvm::Expected;
using llvm::StringRef;

UnitCache::UnitCache(std::vector<UnitCommand> Commands, CommandOptions Options)
    : Commands(std::move(Commands)), Options(std::move(Options)) {}

const UnitCommand *UnitCache::command(StringRef File) const {
  auto It = llvm::find_if(Commands,
                          [&](const UnitCommand &C) { return C.File == File; });
  return It == Commands.end() ? nullptr : &*It;
}

void UnitCache::keepHost(std::unique_ptr<ParsedUnit> Unit) {
  std::string File = Unit->command().File;
  Hosts[File] = std::move(Unit);
}

/// Reads each main file once, however many names are asked for.
void UnitCache::indexWords() {
  auto IsPart = [](char C) { return llvm::isAlnum(C) || C == '_'; };
  Surroundings = loadSurroundings(Options);
  for (unsigned I = 0; I < Surroundings->size(); ++I) {
    auto File = llvm::MemoryBuffer::getFile((*Surroundings)[I].File);
    if (!File)
      continue;
    StringRef Text = (*File)->getBuffer();
    while (!(Text = Text.drop_until(IsPart)).empty()) {
      StringRef Word = Text.take_while(IsPart);
      Text = Text.drop_front(Word.size());
      std::vector<unsigned> &Units = Words[Word];
      if (Units.empty() || Units.back() != I)
        Units.push_back(I);
    }
  }
}

std::vector<const ParsedUnit *> UnitCache::naming(StringRef Name,
                                                  StringRef Except) {
  constexpr size_t MostUnits = 8;
  if (!Surroundings)
    indexWords();
  std::vector<const ParsedUnit *> Units;
  for (unsigned I : Words.lookup(Name)) {
    const UnitCommand &C = (*Surroundings)[I];
    if (C.File == Except || Units.size() == MostUnits)
      continue;
    if (auto Unit = host(C.File))
      Units.push_back(*Unit);
    else
      llvm::consumeError(Unit.takeError());
  }
  return Units;
}

std::vector<std::string> UnitCache::allNaming(StringRef Name,
                                              StringRef Except) {
  if (!Surroundings)
    indexWords();
  std::vector<std::string> Files;
  for (unsigned I : Words.lookup(Name))
    if ((*Surroundings)[I].File != Except)
      Files.push_back((*Surroundings)[I].File);
  return Files;
}

size_t UnitCache::notRead(StringRef Name, StringRef Except) {
  size_t Read = naming(Name, Except).size();
  return llvm::count_if(
             Words.lookup(Name),
             [&](unsigned I) { return (*Surroundings)[I].File != Except; }) -
         Read;
}

const UnitCommand *UnitCache::surrounding(StringRef File) {
  if (!Surroundings)
    return nullptr;
  auto It = llvm::find_if(*Surroundings,
                          [&](const UnitCommand &C) { return C.File == File; });
  return It == Surroundings->end() ? nullptr : &*It;
}

void UnitCache::trim(size_t Most) {
  while (Hosts.size() > Most) {
    auto Oldest = std::min_element(Hosts.begin(), Hosts.end(),
                                   [&](const auto &A, const auto &B) {
                                     return LastUse[A.first] < LastUse[B.first];
                                   });
    Hosts.erase(Oldest);
  }
}

Expected<const ParsedUnit *> UnitCache::host(StringRef File) {
  LastUse[File.str()] = ++Uses;
  auto &Slot = Hosts[File.str()];
  if (!Slot) {
    const UnitCommand *Command = command(File);
    if (!Command)
      Command = surrounding(File);
    if (!Command)
      return makeError(Failure::Input, "no command for this file", File.str());
    auto Unit = parseUnit(*Command, View::Host);
    if (!Unit)
      return Unit.takeError();
    Slot = std::move(*Unit);
  }
  return Slot.get();
}

Expected<const ParsedUnit *> UnitCache::device(StringRef File) {
  if (!Device || Device->command().File != File) {
    Device.reset();
    const UnitCommand *Command = command(File);
    if (!Command)
      return makeError(Failure::Input, "no command for this file", File.str());
    auto Unit = parseDevice(*Command);
    if (!Unit)
      return Unit.takeError();
    Device = std::move(*Unit);
  }
  return Device.get();
}

Expected<std::unique_ptr<ParsedUnit>>
UnitCache::parseDevice(const UnitCommand &Command) const {
  auto Others = Joined.find(Command.File);
  if (Others == Joined.end() || Others->second.empty())
    return parseUnit(Command, View::Device);
  auto Own = llvm::MemoryBuffer::getFile(Command.File);
  if (!Own)
    return makeError(Failure::Input, "cannot be read", Command.File);
  // At the end, so that every place in the file stays what it is.
  std::string Text = (*Own)->getBuffer().str() + "\n";
  for (const std::string &Other : Others->second)
    Text += "#include \"" + Other + "\"\n";
  UnitCommand Linked = Command;
  Linked.Joined = Others->second;
  return parseUnit(Linked, View::Device, {{Command.File, Text}});
}

void UnitCache::join(StringRef File, std::vector<std::string> Others) {
  Joined[File.str()] = std::move(Others);
  Device.reset();
}

std::vector<std::string> UnitCache::filesNaming(StringRef Name,
                                                StringRef Except) {
  constexpr size_t MostFiles = 8;
  if (!Surroundings)
    indexWords();
  std::vector<std::string> Files;
  for (unsigned I : Words.lookup(Name)) {
    const UnitCommand &C = (*Surroundings)[I];
    if (C.File != Except && (C.IsCuda || C.IsHip) && Files.size() < MostFiles)
      Files.push_back(C.File);
  }
  return Files;
}

Expected<Worker *> WorkerSlot::get() {
  if (!Held) {
    auto Started = Worker::start(Options);
    if (!Started)
      return Started.takeError();
    Held = std::move(*Started);
  }
  return Held.get();
}
