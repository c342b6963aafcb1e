// Documents for continuous integration: JUnit's XML, GitHub's workflow
// commands.

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "base/text.h"
#include "diff/diff_sentences.h"
#include "diff/writers.h"

namespace rangefinder {
namespace {

// The data of a workflow command: `%` and line ends are escaped, since a
// command is one line.
std::string CommandText(std::string_view text) {
  std::string out;
  for (const char c : Printable(text)) out += c == '%' ? "%25" : std::string{c};
  return out;
}

// One test that fails.
void WriteNotComparable(const Comparison& comparison, std::ostream& out) {
  out << "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
         " <testsuite name=\"rangefinder diff\" tests=\"1\" failures=\"1\" "
         "errors=\"0\">\n"
         "  <testcase classname=\"regions\" name=\"(the whole run)\">\n";
  for (const Caveat& caveat : comparison.caveats) {
    if (caveat.fatal)
      out << fmt::format(
          "   <failure type=\"not comparable\" message=\"{}\"/>\n",
          MarkupText(caveat.text));
  }
  out << "  </testcase>\n </testsuite>\n</testsuites>\n";
}

}  // namespace

void WriteDiffJunit(const DiffView& view, std::ostream& out) {
  if (!view.comparison.comparable())
    return WriteNotComparable(view.comparison, out);
  const auto& regions = view.comparison.regions;
  const auto failures = std::ranges::count_if(view.crossings, &Crossing::fails);
  out << "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      << fmt::format(
             "<testsuites>\n <testsuite name=\"rangefinder diff\" tests=\"{}\" "
             "failures=\"{}\" errors=\"0\">\n",
             regions.size(), failures);
  std::size_t next = 0;
  for (std::size_t i = 0; i < regions.size(); ++i) {
    out << fmt::format("  <testcase classname=\"regions\" name=\"{}\"",
                       MarkupText(PathTextOf(view.comparison, i)));
    std::string inside;
    for (; next < view.crossings.size() && view.crossings[next].region == i;
         ++next) {
      const Crossing& crossing = view.crossings[next];
      inside += crossing.fails()
                    ? fmt::format("   <failure type=\"{}\" message=\"{}\"/>\n",
                                  MarkupText(crossing.what),
                                  MarkupText(crossing.text))
                    : fmt::format("   <system-out>{} ({})</system-out>\n",
                                  MarkupText(crossing.text),
                                  MarkupText(crossing.accepted));
    }
    out << (inside.empty() ? "/>\n" : ">\n" + inside + "  </testcase>\n");
  }
  out << " </testsuite>\n</testsuites>\n";
}

void WriteDiffAnnotations(const DiffView& view, std::ostream& out) {
  for (const Caveat& caveat : view.comparison.caveats)
    out << fmt::format("::{} title=rangefinder diff::{}\n",
                       caveat.fatal ? "error" : "warning",
                       CommandText(caveat.text));
  if (!view.comparison.comparable()) return;
  for (const Crossing& crossing : view.crossings)
    out << fmt::format(
        "::{} title=rangefinder diff::{}: {}{}\n",
        crossing.fails() ? "error" : "notice",
        CommandText(PathTextOf(view.comparison, crossing.region)),
        CommandText(crossing.text),
        crossing.fails() ? "" : CommandText(" (" + crossing.accepted + ")"));
  out << fmt::format("::notice title=rangefinder diff::{}\n",
                     CommandText(VerdictSummary(view.comparison)));
}

}  // namespace rangefinder
