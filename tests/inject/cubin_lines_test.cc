// Where kernels begin in their source: of real cubins, of damaged ones, and of
// modules that a program loads under the library.

#include "inject/gpu/cubin_lines.h"

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "ingest/trace/trace_blocks.h"
#include "tests/inject/traced_program.h"

namespace rangefinder {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const std::string kCubins = RANGEFINDER_SOURCE_DIR "/tests/fixtures/cubins/";

std::vector<std::string> LinesOf(std::string_view cubin) {
  std::vector<std::string> lines;
  inject::ForEachKernelLine(
      cubin,
      [](void* context, const inject::KernelLine& place) {
        static_cast<std::vector<std::string>*>(context)->push_back(
            std::string(place.kernel) + " " + std::string(place.directory) +
            "/" + std::string(place.file) + ":" + std::to_string(place.line));
      },
      &lines);
  return lines;
}

TEST(CubinLines, AreThoseOfTheFirstInstructions) {
  EXPECT_THAT(LinesOf(ReadFile(kCubins + "nvcc.cubin").value()),
              ElementsAre("_Z6scaledIfEvPT_i /tmp/kernels/lines.cu:4",
                          "_Z5plainPi /tmp/kernels/lines.cu:8"));
  EXPECT_THAT(LinesOf(ReadFile(kCubins + "triton.cubin").value()),
              ElementsAre("scale_kernel /tmp/kernels/triton_user.py:7"));
  EXPECT_THAT(LinesOf(""), IsEmpty());
  EXPECT_THAT(LinesOf("\x7f"
                      "ELF"),
              IsEmpty());
}

// A copy of exactly the cubin's size: a sanitizer sees each byte too far.
TEST(CubinLines, OfDamagedCubinsReadNoByteOutside) {
  const std::string whole = ReadFile(kCubins + "nvcc.cubin").value();
  std::mt19937_64 dice(1);
  for (int i = 0; i < 20000; ++i) {
    std::size_t size = whole.size();
    if (dice() % 4 == 0) size = dice() % size + 1;
    const auto copy = std::make_unique<char[]>(size);
    std::copy_n(whole.data(), size, copy.get());
    for (std::uint64_t n = dice() % 8; n > 0; --n)
      copy[dice() % size] = static_cast<char>(dice());
    EXPECT_LE(LinesOf({copy.get(), size}).size(), size);
  }
}

TEST(LoadedModules, GiveTheLinesOfTheirKernelsWhereThatIsAsked) {
  for (const char* asked : {"1", "0"}) {
    const Folder folder;
    const ProgramRun run =
        RunProgram({INJECT_PROGRAM, "modules", "8", kCubins + "nvcc.cubin"},
                   INJECT_LIBRARY, folder.path(),
                   {{"RANGEFINDER_CUPTI_PATH", INJECT_FAKE_CUPTI},
                    {"RANGEFINDER_INJECT_SOURCE", asked}});
    ASSERT_EQ(run.status, 0) << run.errors;
    const auto traces = TracesIn(folder.path());
    ASSERT_EQ(traces.size(), 1U);
    const std::string bytes = ReadFile(traces[0]).value();
    Notes notes;
    const Trace trace =
        OpenTrace({.path = traces[0], .bytes = bytes}, notes).value();
    std::vector<std::string> lines;
    for (const TraceSource& source : trace.names.sources) {
      lines.push_back(std::string(trace.names.Text(source.kernel)) + " " +
                      std::string(trace.names.Text(source.file)) + ":" +
                      std::to_string(source.line));
    }
    if (*asked == '1') {
      EXPECT_THAT(lines,
                  ElementsAre("_Z6scaledIfEvPT_i /tmp/kernels/lines.cu:4",
                              "_Z5plainPi /tmp/kernels/lines.cu:8"));
    } else {
      EXPECT_THAT(lines, IsEmpty());
    }
  }
}

}  // namespace
}  // namespace rangefinder
