// Whatever the bytes are: YAML, overrides, interpolations, compositions.
// Nothing may crash, and what is written must read back as what it was.

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "config/compose.h"
#include "config/override.h"
#include "config/yaml.h"

using namespace rangefinder;

namespace {

void Demand(bool holds) {
  if (!holds) std::abort();
}

std::shared_ptr<const Source> Named(std::string_view text) {
  return std::make_shared<const Source>(
      Source{.name = "fuzz.yaml", .text = std::string(text)});
}

bool HasNextLine(std::string_view text) {
  // PyYAML's own notation for these does not read back.
  return text.find("\xC2\x85") != std::string_view::npos ||
         text.find("\xE2\x80\xA8") != std::string_view::npos ||
         text.find("\xE2\x80\xA9") != std::string_view::npos;
}

void Yaml(std::string_view text) {
  const Result<Node> tree = ReadYaml(Named(text));
  if (!tree.ok()) return;
  const std::string written = WriteYaml(tree.value());
  WriteJson(tree.value());
  if (HasNextLine(written) || text.find('\\') != std::string_view::npos) return;
  const Result<Node> again = ReadYaml(Named(written));
  Demand(again.ok());
  Demand(Identical(again.value(), tree.value()));
}

void OneOverride(std::string_view text) {
  const Result<Override> parsed = ParseOverride(text);
  if (parsed.ok() && parsed.value().sweep != Override::Sweep::kNone)
    Demand(SweepError(parsed.value()).code() == ErrorCode::kUsage);
  if (text.size() > 10000) return;
  const Result<Override> quoted =
      ParseOverride("k=" + QuoteOverrideValue(text));
  if (quoted.ok()) Demand(quoted.value().value.text == text);
}

void Composed(std::string_view bytes) {
  // One file, then overrides, a line each after a line of "--".
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
           composed.error().code() == ErrorCode::kSystem);
    return;
  }
  (void)composed.value().ResolvedTask().ok();
  (void)composed.value().ResolvedHydra().ok();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (bytes.empty()) return 0;
  switch (bytes[0] % 4) {
    case 0:
      Yaml(bytes.substr(1));
      break;
    case 1:
      OneOverride(bytes.substr(1));
      break;
    case 2:
      (void)ParseTemplate(bytes.substr(1)).ok();
      break;
    default:
      Composed(bytes.substr(1));
      break;
  }
  return 0;
}
