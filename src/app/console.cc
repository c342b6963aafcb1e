#include "app/console.h"

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <streambuf>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/characters.h"
#include "base/text.h"
#include "report/documents.h"

namespace rangefinder {
namespace {

std::string_view Environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view() : std::string_view(value);
}

bool Colored(std::string_view choice, int fd) {
  if (choice != "auto") return choice == "always";
  // https://no-color.org: any non-empty value.
  return Environment("NO_COLOR").empty() && Environment("TERM") != "dumb" &&
         ::isatty(fd) == 1;
}

std::size_t Width() {
  if (const std::string columns(Environment("COLUMNS")); !columns.empty()) {
    const unsigned long width = std::strtoul(columns.c_str(), nullptr, 10);
    if (width >= 20 && width < 10000) return width;
  }
  struct winsize size {};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 20)
    return size.ws_col;
  return 100;
}

bool Utf8Locale() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const std::string_view value = Environment(name);
    if (value.empty()) continue;
    return value.find("UTF-8") != std::string_view::npos ||
           value.find("utf8") != std::string_view::npos;
  }
  // Without a locale, as in containers: current terminals show UTF-8.
  return true;
}

// The error of standard output; 0: everything was written.
int out_error = 0;

void Write(std::FILE* file, std::string_view text) {
  const bool all =
      std::fwrite(text.data(), 1, text.size(), file) == text.size() &&
      std::fflush(file) == 0;
  if (!all && file == stdout && out_error == 0) out_error = errno;
}

// To standard output in blocks.
class OutBuffer : public std::streambuf {
 public:
  OutBuffer() { setp(block_.data(), block_.data() + block_.size()); }

 protected:
  int_type overflow(int_type c) override {
    sync();
    if (c != traits_type::eof()) sputc(traits_type::to_char_type(c));
    return traits_type::not_eof(c);
  }
  std::streamsize xsputn(const char* text, std::streamsize size) override {
    if (size <= epptr() - pptr()) return std::streambuf::xsputn(text, size);
    sync();
    Write(stdout, {text, static_cast<std::size_t>(size)});
    return size;
  }
  int sync() override {
    Write(stdout, {pbase(), static_cast<std::size_t>(pptr() - pbase())});
    setp(block_.data(), block_.data() + block_.size());
    return out_error == 0 ? 0 : -1;
  }

 private:
  std::array<char, 1 << 16> block_{};
};

}  // namespace

Console::Console(Options options)
    : options_(std::move(options)),
      color_out_(Colored(options_.color, STDOUT_FILENO)),
      out_is_terminal_(::isatty(STDOUT_FILENO) == 1),
      color_err_(Colored(options_.color, STDERR_FILENO)),
      live_(::isatty(STDERR_FILENO) == 1 && Environment("TERM") != "dumb"),
      unicode_(Utf8Locale()),
      width_(Width()) {}

void Console::Out(std::string_view text) const {
  Write(stdout, text);
}

void Console::Out(const std::function<void(std::ostream& out)>& write) const {
  OutBuffer buffer;
  std::ostream out(&buffer);
  write(out);
  out.flush();
}

Status Console::CheckOut() const {
  if (out_error == 0) return Ok();
  return Error(ErrorCode::kSystem,
               fmt::format("standard output: {}", std::strerror(out_error)));
}

void Console::Say(std::string_view line) const {
  if (options_.quiet) return;
  Progress({});
  Write(stderr, PrintableIn(TextPlace::kMessage, line) + "\n");
}

void Console::Detail(std::string_view line) const {
  if (options_.verbose) Say(line);
}

void Console::Fail(const Error& error) const {
  Progress({});
  const std::string_view name =
      color_err_ ? "\x1b[31mrangefinder:\x1b[0m " : "rangefinder: ";
  Write(stderr, std::string(name) +
                    PrintableIn(TextPlace::kMessage, error.message()) + "\n");
}

void Console::SayNotes(const Notes& notes) const {
  Document document;
  List list =
      NotesList(notes, options_.verbose ? Detail::kVerbose : Detail::kShort);
  std::erase_if(list.items, [&](const ListItem& note) {
    return note.tone != Tone::kWarn && !options_.verbose;
  });
  document.AddList(std::move(list));
  // Not wrapped, so that a log of the run can be searched.
  std::ostringstream text;
  WriteTerminal(document, {.width = std::string::npos}, text);
  for (const std::string& line : Split(Trim(std::move(text).str()), '\n'))
    if (!line.empty()) Say(line);
}

void Console::Progress(std::string_view text) const {
  if (options_.quiet) return;
  static bool line_open = false;
  if (live_) {
    if (text.empty() && !line_open) return;
    line_open = !text.empty();
    Write(stderr, "\r\x1b[K" + Ellipsize(Printable(text), width_ - 1));
    return;
  }
  using Clock = std::chrono::steady_clock;
  const Clock::time_point now = Clock::now();
  static Clock::time_point last = now;  // short work prints no progress
  if (text.empty() || now - last < std::chrono::seconds(10)) return;
  last = now;
  Write(stderr, std::string(text) + "\n");
}

Listener Console::listener() const {
  return {.say = [this](std::string_view line) { Say(line); },
          .detail = [this](std::string_view line) { Detail(line); },
          .progress = [this](std::string_view text) { Progress(text); },
          .notes = [this](const Notes& notes) { SayNotes(notes); },
          .live = live_,
          .unicode = unicode_};
}

}  // namespace rangefinder
