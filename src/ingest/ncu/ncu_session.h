// What the header of a `.ncu-rep` block says of the run: its strings, its
// session with the devices, the process of its results.
//
// The Decode functions throw protozero::exception on malformed input, and keep
// what came before it.

#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ingest/ncu/ncu_message.h"
#include "profile/profile.h"

namespace rangefinder::ncu {

// What the sessions and processes of a file's blocks said so far: each block
// says it again.
struct SessionSeen {
  std::set<std::pair<std::string, std::string>> versions{};
  std::unordered_map<std::int32_t, std::size_t> devices{};  // by index
  std::map<std::tuple<std::uint64_t, StringId, StringId>, ProcessId>
      processes{};  // by id, name and host
};

// Adds the strings of a table to those of the file.
void DecodeStrings(std::string_view message, StringPool& pool,
                   std::vector<StringId>& strings);
// To the last artifact and the devices of `profile`.
void DecodeSession(std::string_view message, Profile& profile,
                   SessionSeen& seen, const Place& place);
// The process, added to those of `profile` when it is a new one.
ProcessId DecodeProcess(std::string_view message, Profile& profile,
                        SessionSeen& seen, const Place& place);

// What --replay-mode says on the profiler's command line, or nothing.
std::string ReplayModeOn(std::string_view command_line);

}  // namespace rangefinder::ncu
