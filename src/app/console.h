// The only place that prints. Results go to standard output, messages to
// standard error.

#pragma once

#include <cstddef>
#include <functional>
#include <ostream>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/notes.h"
#include "writers/terminal/terminal_writer.h"

namespace rangefinder {

class Console {
 public:
  struct Options {
    bool quiet = false;
    bool verbose = false;
    std::string color = "auto";  // or "always", "never"
  };

  explicit Console(Options options);

  bool out_is_terminal() const { return out_is_terminal_; }
  bool quiet() const { return options_.quiet; }
  bool verbose() const { return options_.verbose; }
  // Cells of the terminal behind standard output; COLUMNS, or 100 when piped.
  std::size_t width() const { return width_; }
  // The style of a document on standard output.
  TerminalStyle style() const {
    return {.width = width_, .color = color_out_, .unicode = unicode_};
  }

  void Out(std::string_view text) const;
  // Writes the output of `write` in blocks: a document may be larger than
  // memory.
  void Out(const std::function<void(std::ostream& out)>& write) const;
  // kSystem: standard output did not take all bytes (a full disk).
  Status CheckOut() const;
  // One line on standard error; not when quiet.
  void Say(std::string_view line) const;
  // The same, only when verbose.
  void Detail(std::string_view line) const;
  // Also when quiet.
  void Fail(const Error& error) const;
  // Warnings and losses; all notes when verbose.
  void SayNotes(const Notes& notes) const;

  // This console for the modules below; the console must outlive the listener.
  Listener listener() const;

  // Rewrites the status line on a live terminal; otherwise prints a line at
  // most every 10 s. An empty text ends it.
  void Progress(std::string_view text) const;

 private:
  Options options_;
  bool color_out_ = false;
  bool out_is_terminal_ = false;
  bool color_err_ = false;
  bool live_ = false;    // a line on standard error may be rewritten
  bool unicode_ = true;  // the locale can show more than ASCII
  std::size_t width_ = 100;
};

}  // namespace rangefinder
