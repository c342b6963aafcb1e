#include "app/export_command.h"

#include <algorithm>
#include <filesystem>
#include <ostream>
#include <streambuf>

#include "app/analysis.h"
#include "app/export.h"
#include "app/run_artifacts.h"

namespace rangefinder {
namespace {

// What is written goes to the console in blocks: an export can be larger than
// memory.
class ConsoleBuffer : public std::streambuf {
 public:
  explicit ConsoleBuffer(const Console& console) : console_(console) {}
  ~ConsoleBuffer() override { Flush(); }
  ConsoleBuffer(const ConsoleBuffer&) = delete;
  ConsoleBuffer& operator=(const ConsoleBuffer&) = delete;

 protected:
  int overflow(int c) override {
    if (c == traits_type::eof()) return 0;
    const char byte = static_cast<char>(c);
    return xsputn(&byte, 1) == 1 ? c : traits_type::eof();
  }
  std::streamsize xsputn(const char* bytes, std::streamsize count) override {
    block_.append(bytes, static_cast<std::size_t>(count));
    if (block_.size() >= kBlock) Flush();
    return count;
  }
  int sync() override {
    Flush();
    return 0;
  }

 private:
  static constexpr std::size_t kBlock = 1 << 16;

  void Flush() {
    if (!block_.empty()) console_.Out(block_);
    block_.clear();
  }

  const Console& console_;
  std::string block_;
};

std::vector<std::filesystem::path> TracesOf(
    std::vector<std::filesystem::path> files) {
  std::erase_if(files, [](const std::filesystem::path& file) {
    return file.extension() != ".rftrace";
  });
  return files;
}

}  // namespace

Status RunExport(const std::vector<std::string>& paths, std::string_view format,
                 const Settings& settings, const Console& console) {
  ConsoleBuffer buffer(console);
  std::ostream out(&buffer);
  if (format == "perfetto") {
    const RunArtifacts artifacts = TRY(ArtifactsOf(paths));
    const auto traces = TracesOf(artifacts.files);
    if (traces.empty()) {
      return Error(ErrorCode::kUsage,
                   "--format perfetto needs a trace (.rftrace), which has "
                   "every single range and kernel: make one with `rangefinder "
                   "discover -- PROGRAM`");
    }
    Notes notes;
    TRY(WritePerfetto(traces, out, notes));
    console.SayNotes(notes);
    return Ok();
  }
  const auto analysis = TRY(AnalyzePaths(paths, settings));
  if (format == "folded")
    WriteFolded(analysis->profile, analysis->tree, out);
  else
    WriteHatchet(analysis->profile, analysis->tree, out);
  console.SayNotes(analysis->notes);
  return Ok();
}

}  // namespace rangefinder
