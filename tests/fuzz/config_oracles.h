// The laws of the configuration for any bytes, read as YAML, overrides,
// interpolations or compositions: nothing crashes, and a written value reads
// back as the same value.

#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "config/compose.h"
#include "config/override.h"
#include "config/yaml.h"
#include "tests/fuzz/demand.h"

namespace rangefinder::testing {

inline std::shared_ptr<const Source> Named(std::string_view text) {
  return std::make_shared<const Source>(
      Source{.name = "fuzz.yaml", .text = std::string(text)});
}

inline bool HasNextLine(std::string_view text) {
  // PyYAML cannot read back its own notation for these characters.
  return text.find("\xC2\x85") != std::string_view::npos ||
         text.find("\xE2\x80\xA8") != std::string_view::npos ||
         text.find("\xE2\x80\xA9") != std::string_view::npos;
}

inline void Yaml(std::string_view text) {
  const Result<Node> tree = ReadYaml(Named(text));
  if (!tree.ok()) return;
  const std::string written = WriteYaml(tree.value());
  WriteJson(tree.value());
  if (HasNextLine(written) || text.find('\\') != std::string_view::npos) return;
  const Result<Node> again = ReadYaml(Named(written));
  Demand(again.ok(), "what is written can be read");
  Demand(Identical(again.value(), tree.value()),
         "what is written reads back as it was");
}

inline void OneOverride(std::string_view text) {
  const Result<Override> parsed = ParseOverride(text);
  if (parsed.ok() && parsed.value().sweep != Override::Sweep::kNone)
    Demand(SweepError(parsed.value()).code() == ErrorCode::kUsage,
           "a sweep is an error of usage");
  if (text.size() > 10000) return;
  const Result<Override> quoted =
      ParseOverride("k=" + QuoteOverrideValue(text));
  if (quoted.ok())
    Demand(quoted.value().value.text == text, "what is quoted is itself");
}

inline void Composed(std::string_view bytes) {
  // The input is one file, a line of "--", then one override a line.
  const std::size_t at = bytes.find("\n--\n");
  ConfigSources sources;
  std::map<std::string, std::string, std::less<>> files;
  files["config.yaml"] = std::string(bytes.substr(0, at));
  files["group/a.yaml"] = "x: 1\n";
  files["group/b.yaml"] = "# @package _global_\ny: ${x}\n";
  sources.AddTexts("fuzz", std::move(files));
  ComposeRequest request;
  std::string_view rest =
      at == std::string_view::npos ? std::string_view() : bytes.substr(at + 4);
  while (!rest.empty() && request.overrides.size() < 8) {
    const std::size_t end = rest.find('\n');
    request.overrides.emplace_back(rest.substr(0, end));
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  }
  const Result<Composition> composed =
      Compose(std::move(sources), request, Surroundings{});
  if (!composed.ok()) {
    Demand(composed.error().code() == ErrorCode::kUsage ||
               composed.error().code() == ErrorCode::kSystem,
           "an error of the contract");
    return;
  }
  (void)composed.value().ResolvedTask().ok();
  (void)composed.value().ResolvedHydra().ok();
}

// The first byte chooses the kind of input.
inline void ConfigOfAnyBytes(std::string_view bytes) {
  if (bytes.empty()) return;
  const std::string_view text = bytes.substr(1);
  switch (bytes[0] % 4) {
    case 0:
      return Yaml(text);
    case 1:
      return OneOverride(text);
    case 2:
      return (void)ParseTemplate(text).ok();
    default:
      return Composed(text);
  }
}

}  // namespace rangefinder::testing
