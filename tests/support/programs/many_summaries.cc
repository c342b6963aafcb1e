// Writes the summaries of a job whose numbers are all known, and a list of the
// files, and prints the numbers that their merge must have:
//   many_summaries FOLDER RANKS REGIONS

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "summary/summary_file.h"
#include "tests/support/many_ranks.h"

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: many_summaries FOLDER RANKS REGIONS\n");
    return 2;
  }
  using rangefinder::testing::ManyRanks;
  const std::filesystem::path folder = argv[1];
  const ManyRanks job(static_cast<std::uint32_t>(std::atoi(argv[2])),
                      static_cast<std::uint32_t>(std::atoi(argv[3])));
  std::filesystem::create_directories(folder);
  std::ofstream list(folder / "list");
  std::uint64_t launches = 0;
  std::uint64_t ns = 0;
  for (std::uint32_t rank = 0; rank < job.ranks(); ++rank) {
    const rangefinder::Summary summary = job.Of(rank);
    for (const rangefinder::SummaryRow& row : summary.rows) {
      launches += row.launches;
      ns += row.time.total();
    }
    const std::filesystem::path path =
        folder / ("rank" + std::to_string(rank) + ".rfsum");
    std::ofstream out(path, std::ios::binary);
    rangefinder::WriteSummary(out, summary, job.RecordOf(rank));
    list << path.string() << '\n';
  }
  std::printf("{\"kernel_count\": %llu, \"gpu_time_ns\": %llu}\n",
              static_cast<unsigned long long>(launches),
              static_cast<unsigned long long>(ns));
  return list ? 0 : 1;
}
