#include "app/run_settings.h"

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include "app/report_command.h"

namespace rangefinder {
namespace {

// The override's key, without + ~ in front.
std::string_view KeyOf(std::string_view word) {
  word.remove_prefix(std::min(word.find_first_not_of("+~"), word.size()));
  return word.substr(0, word.find('='));
}

bool Mentions(const std::vector<std::string>& overrides,
              std::string_view prefix) {
  return std::ranges::any_of(overrides, [&](const std::string& word) {
    const std::string_view key = KeyOf(word);
    if (!key.starts_with(prefix)) return false;
    return key.size() == prefix.size() || key[prefix.size()] == '.';
  });
}

// Whether the primary file is the user's own.
bool HasOwnPrimary(const SettingsRequest& request) {
  std::error_code error;
  return request.config_name != "config" ||
         (!request.config_dir.empty() &&
          std::filesystem::exists(
              std::filesystem::path(request.surroundings.cwd) /
                  request.config_dir / "config.yaml",
              error));
}

bool ChoosesNcuPreset(const std::vector<std::string>& overrides) {
  return std::ranges::any_of(overrides, [](const std::string& word) {
    return KeyOf(word).starts_with("profiling/ncu");
  });
}

bool SetsNcuKeys(const std::vector<std::string>& overrides) {
  return std::ranges::any_of(overrides, [](const std::string& word) {
    return KeyOf(word).starts_with("pipeline.ncu.");
  });
}

// The configuration that a run directory was made with: "config", or that of
// its first rank; empty where it has none.
std::string KeptConfiguration(const std::filesystem::path& run_dir) {
  std::error_code error;
  if (std::filesystem::exists(run_dir / "config.yaml", error)) return "config";
  std::string first;
  for (std::filesystem::directory_iterator it(run_dir, error);
       !error && it != std::filesystem::directory_iterator();
       it.increment(error)) {
    const std::string stem = it->path().stem().string();
    if (!stem.starts_with("config.rank") || it->path().extension() != ".yaml")
      continue;
    if (first.empty() ||
        std::pair(stem.size(), stem) < std::pair(first.size(), first))
      first = stem;
  }
  return first;
}

}  // namespace

SettingsRequest RunRequest(const SettingsRequest& request,
                           const std::vector<std::string>& paths) {
  SettingsRequest own = request;
  const std::string kept = paths.size() == 1 && request.config_dir.empty() &&
                                   IsRunDirectory(paths[0])
                               ? KeptConfiguration(paths[0])
                               : "";
  if (kept.empty()) return own;
  own.config_dir = paths[0];
  own.config_name = kept;
  // A run directory may come from anywhere, and what is made of it may go back.
  own.surroundings.reach = Reach::kTyped;
  return own;
}

Result<RunSettings> LoadRunSettings(const SettingsRequest& request,
                                    const std::vector<std::string>& paths) {
  const SettingsRequest own = RunRequest(request, paths);
  RunSettings run;
  if (own.config_dir != request.config_dir) run.asked = Asked::kByTheseSettings;
  run.settings = TRY(LoadSettings(own));
  return run;
}

SettingsRequest ProfileRequest(SettingsRequest request) {
  std::vector<std::string>& words = request.overrides;
  if (Mentions(words, "pipeline.ncu.enable") ||
      Mentions(words, "pipeline.nsys.enable"))
    return request;
  // Who says what ncu is to collect, wants it to run; a primary file of one's
  // own decides that itself.
  if (ChoosesNcuPreset(words) ||
      (SetsNcuKeys(words) && !HasOwnPrimary(request)))
    words.emplace(words.begin(), "++pipeline.ncu.enable=true");
  return request;
}

Result<Settings> LoadProfileSettings(const SettingsRequest& request) {
  return LoadSettings(ProfileRequest(request));
}

}  // namespace rangefinder
