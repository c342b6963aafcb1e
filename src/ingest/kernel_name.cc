#include "ingest/kernel_name.h"

#include <cstdlib>
#include <memory>

#include <cxxabi.h>

#include "base/text.h"

namespace rangefinder {
namespace {

bool IsWord(char c) {
  return IsAsciiLetter(c) || IsAsciiDigit(c) || c == '_' || c == '$';
}

// The position of the opening bracket that matches `close`; npos: none.
std::size_t Opening(std::string_view text, std::size_t close) {
  int depth = 0;
  for (std::size_t i = close + 1; i-- > 0;) {
    const char c = text[i];
    if (c == ')' || c == '>' || c == ']' || c == '}') ++depth;
    if (c == '(' || c == '<' || c == '[' || c == '{') --depth;
    if (depth == 0) return i;
  }
  return std::string_view::npos;
}

}  // namespace

std::string Demangle(std::string_view mangled) {
  if (!mangled.starts_with("_Z")) return std::string(mangled);
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(std::string(mangled).c_str(), nullptr, nullptr,
                          &status),
      &std::free);
  return status == 0 && text != nullptr ? text.get() : std::string(mangled);
}

std::string FunctionName(std::string_view demangled) {
  std::string_view rest = demangled;
  // From the end: qualifiers, parameters, template arguments, then the name.
  const std::size_t parameters = rest.rfind(')');
  if (parameters != std::string_view::npos && parameters > 0) {
    const std::size_t open = Opening(rest, parameters);
    if (open != std::string_view::npos && open > 0) rest = rest.substr(0, open);
  }
  if (rest.ends_with('>')) {
    const std::size_t open = Opening(rest, rest.size() - 1);
    if (open != std::string_view::npos && open > 0) rest = rest.substr(0, open);
  }
  std::size_t begin = rest.size();
  while (begin > 0 && IsWord(rest[begin - 1])) --begin;
  const std::string_view name = rest.substr(begin);
  return std::string(name.empty() ? demangled : name);
}

}  // namespace rangefinder
