#include "capture/ncu_messages.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/embedded.h"

namespace rangefinder {

std::span<const EmbeddedFile> EmbeddedNcuMessages();

namespace {

// Throws if a file does not follow ncu_messages.h; a test reads it.
std::vector<NcuMessage> ReadMessages() {
  std::vector<NcuMessage> table;
  for (const auto& row :
       nlohmann::json::parse(EmbeddedNcuMessages()[0].content())) {
    const std::string code = row.value("code", "profiler");
    const std::string remedy = row.value("remedy", "none");
    table.push_back({.text = row.at("text"),
                     .code = code == "usage"    ? ErrorCode::kUsage
                             : code == "system" ? ErrorCode::kSystem
                                                : ErrorCode::kProfiler,
                     .remedy = remedy == "other_mode"    ? Remedy::kOtherMode
                               : remedy == "free_clocks" ? Remedy::kFreeClocks
                                                         : Remedy::kNone,
                     .general = row.value("general", false),
                     .what = row.at("what"),
                     .why = row.at("why"),
                     .next = row.at("next")});
  }
  return table;
}

}  // namespace

std::span<const NcuMessage> NcuMessages() {
  static const std::vector<NcuMessage> table = ReadMessages();
  return table;
}

const NcuMessage* FindNcuMessage(std::string_view line) {
  for (const NcuMessage& message : NcuMessages()) {
    if (line.find(message.text) != std::string_view::npos) return &message;
  }
  return nullptr;
}

std::string Explained(std::string_view what, std::string_view why,
                      std::string_view next) {
  return fmt::format("{}\n  why:  {}\n  next: {}", what, why, next);
}

}  // namespace rangefinder
