#include "config/resolvers.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/text.h"

namespace rangefinder {
namespace {

struct Row {
  std::string_view name;
  std::size_t least;
  std::size_t most;
  std::string_view usage;
};

constexpr std::array kRows = {
    Row{"hydra", 1, 1, "${hydra:runtime.cwd}"},
    Row{"now", 1, 1, "${now:%Y%m%d-%H%M%S}"},
    Row{"oc.create", 1, 1, "${oc.create:[1, 2]}"},
    Row{"oc.decode", 1, 1, "${oc.decode:'[1, 2]'}"},
    Row{"oc.deprecated", 1, 2, "${oc.deprecated:new.key}"},
    Row{"oc.dict.keys", 1, 1, "${oc.dict.keys:some.map}"},
    Row{"oc.dict.values", 1, 1, "${oc.dict.values:some.map}"},
    Row{"oc.env", 1, 2, "${oc.env:NAME} or ${oc.env:NAME,default}"},
    Row{"oc.select", 1, 2, "${oc.select:key} or ${oc.select:key,default}"},
    Row{"python_version", 0, 1, "${python_version:minor}"},
};

Error Fail(std::string message) {
  return Error(ErrorCode::kUsage, std::move(message));
}

// strftime with Python's %f.
std::string Strftime(std::string_view format, const Surroundings& around) {
  std::string expanded;
  for (std::size_t i = 0; i < format.size(); ++i) {
    if (format[i] == '%' && i + 1 < format.size()) {
      if (format[i + 1] == 'f')
        expanded += fmt::format("{:06}", around.microseconds);
      else
        expanded += format.substr(i, 2);
      ++i;
    } else {
      expanded += format[i];
    }
  }
  expanded += 'x';  // so that an empty result is not an overflow
  std::string out(256, '\0');
  while (out.size() < (std::size_t{1} << 20)) {
    const std::size_t n =
        std::strftime(out.data(), out.size(), expanded.c_str(), &around.now);
    if (n > 0) {
      out.resize(n - 1);
      return out;
    }
    out.resize(out.size() * 4);
  }
  return {};
}

}  // namespace

std::span<const std::string> ResolverNames() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> out;
    for (const Row& row : kRows) out.emplace_back(row.name);
    return out;
  }();
  return names;
}

bool IsResolver(std::string_view name) {
  return std::ranges::find(ResolverNames(), name) != ResolverNames().end();
}

Status CheckArguments(std::string_view name, const std::vector<Node>& values) {
  const auto row =
      std::ranges::find_if(kRows, [&](const Row& r) { return r.name == name; });
  if (row == kRows.end() ||
      (values.size() >= row->least && values.size() <= row->most))
    return Ok();
  return Fail(fmt::format(
      "TypeError raised while resolving interpolation: {} "
      "takes {} argument{}, but {} were given; write {}",
      name,
      row->least == row->most ? std::to_string(row->least)
                              : fmt::format("{} to {}", row->least, row->most),
      row->most == 1 ? "" : "s", values.size(), row->usage));
}

Result<Node> CallResolver(std::string_view name,
                          const std::vector<Node>& values,
                          const Surroundings& around) {
  const auto text = [](std::string value) {
    Node out = Node::String(std::move(value));
    out.literal = true;
    return out;
  };
  if (name == "oc.env") {
    const std::string variable = PythonStr(values[0]);
    const auto value = around.environment ? around.environment(variable)
                                          : std::optional<std::string>();
    if (value) return text(*value);
    if (values.size() > 1) {
      if (values[1].is_null()) return Node{};
      return text(PythonStr(values[1]));
    }
    return Fail(
        fmt::format("KeyError raised while resolving interpolation: "
                    "\"Environment variable '{0}' not found\"\n"
                    "Set it, or give a default: ${{oc.env:{0},default}}",
                    variable));
  }
  if (name == "oc.create") return values[0];
  if (name == "now") return text(Strftime(PythonStr(values[0]), around));
  if (around.python_version.empty())
    return Fail("python_version: no Python runs here");
  const std::vector<std::string> parts = Split(around.python_version, '.');
  const std::string level = values.empty() ? "minor" : PythonStr(values[0]);
  const std::size_t count = level == "major"   ? 1
                            : level == "minor" ? 2
                            : level == "micro" ? 3
                                               : 0;
  if (count == 0) {
    return Fail(fmt::format(
        "python_version: '{}' is none of major, minor, micro", level));
  }
  std::string out;
  for (std::size_t i = 0; i < count && i < parts.size(); ++i)
    out += (i > 0 ? "." : "") + parts[i];
  return text(std::move(out));
}

}  // namespace rangefinder
