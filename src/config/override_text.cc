#include <fmt/format.h>

#include "base/text.h"
#include "config/override.h"

namespace rangefinder {

Error SweepError(const Override& sweep) {
  std::string text;
  if (sweep.sweep == Override::Sweep::kSimple) {
    text = fmt::format(
        "Ambiguous value for argument '{0}'\n"
        "1. To use it as a list, use key=[value1,value2]\n"
        "2. To use it as string, quote the value: key='value1,value2'\n"
        "3. To sweep over it, run Rangefinder once a value; it does one run at "
        "a time\n"
        "With quotes for the shell: {1}",
        sweep.input(),
        ShellOverride(sweep.input().substr(0, sweep.input().find('=')),
                      sweep.input().substr(sweep.input().find('=') + 1)));
  } else {
    text = fmt::format(
        "Sweep parameters '{}' requires --multirun\n"
        "Rangefinder does one run at a time and has no --multirun: give one "
        "value",
        sweep.input());
  }
  return Error(ErrorCode::kUsage, std::move(text));
}

std::string QuoteOverrideValue(std::string_view value) {
  const char quote = value.find('\'') != std::string_view::npos &&
                             value.find('"') == std::string_view::npos
                         ? '"'
                         : '\'';
  std::string out(1, quote);
  for (std::size_t at = 0; at <= value.size(); ++at) {
    std::size_t count = 0;
    while (at < value.size() && value[at] == '\\') {
      ++count;
      ++at;
    }
    const bool before_quote = at == value.size() || value[at] == quote;
    out.append(before_quote ? 2 * count : count, '\\');
    if (at == value.size()) break;
    if (value[at] == quote) out += '\\';
    out += value[at];
  }
  return out + quote;
}

std::string ShellOverride(std::string_view key, std::string_view value) {
  const std::string text = fmt::format("{}={}", key, QuoteOverrideValue(value));
  if (text.find_first_of("\"$`\\!\n") == std::string::npos)
    return "\"" + text + "\"";
  return ShellQuote(std::string_view(text));
}

}  // namespace rangefinder
