// `rangefinder diff BASE NEW`: what changed between two sides, each one run or
// several.

#pragma once

#include <span>
#include <string>
#include <vector>

#include "app/console.h"
#include "app/settings.h"
#include "base/error.h"

namespace rangefinder {

struct DiffRequest {
  std::string format = "table";  // table, md, html, json, junit, github
  std::string output{};          // a file to write instead of standard output
  bool gate = false;
  bool calibrate = false;
  bool strict = false;
  std::string match{};
  std::string sort = "time";
  std::string only{};  // "changed", or all
};

inline constexpr std::string_view kDiffFormats[] = {"table", "md",    "html",
                                                    "json",  "junit", "github"};

// The sides that `words` name: two of them, each a path or several with commas
// between them, as they are or behind BASE= and NEW=; a file with a comma in
// its name is one. Of a calibration one side, of all words.
Result<std::vector<std::vector<std::string>>> SidesOf(
    const std::vector<std::string>& words, bool calibrate);

// Whether a word is BASE=… or NEW=….
bool IsSide(const std::string& word);

// kUsage under --gate where the runs cannot be compared; kGate where something
// got worse. The document is written before either.
Status RunDiff(const std::vector<std::vector<std::string>>& sides,
               const DiffRequest& request, SettingsRequest settings,
               const Console& console);

}  // namespace rangefinder
