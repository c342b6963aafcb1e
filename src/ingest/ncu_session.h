// What the header of a `.ncu-rep` block says of the run: its strings, its
// session with the devices, the process of its results.
//
// The Decode functions throw protozero::exception on malformed input, and keep
// what came before it.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ingest/ncu_message.h"
#include "profile/profile.h"

namespace rangefinder::ncu {

// Adds the strings of a table to those of the file.
void DecodeStrings(std::string_view message, StringPool& pool,
                   std::vector<StringId>& strings);
// To the last artifact and the devices of `profile`.
void DecodeSession(std::string_view message, Profile& profile,
                   const Place& place);
// The process, added to those of `profile` when it is a new one.
ProcessId DecodeProcess(std::string_view message, Profile& profile,
                        const Place& place);

// What --replay-mode says on the profiler's command line, or nothing.
std::string ReplayModeOn(std::string_view command_line);

}  // namespace rangefinder::ncu
