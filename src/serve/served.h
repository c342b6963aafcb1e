// The state of a server: the latest windows, their numbers and their pages. The
// thread that opens windows adds to it, the server's thread reads it.

#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "serve/http_server.h"
#include "serve/metrics.h"

namespace rangefinder {

constexpr std::size_t kMostServedWindows = 20;

// A measured window.
struct ServedWindow {
  std::uint64_t number = 0;
  std::string run{};
  double start_unix_s = 0;
  double seconds = 0;
  std::filesystem::path folder{};  // its run directory
};

class Served {
 public:
  explicit Served(const std::vector<std::string>& runs);

  // Removes the run directories of the oldest windows when there are more than
  // kMostServedWindows.
  void Measured(std::size_t run, ServedWindow window,
                std::vector<RegionFigures> figures);
  void Failed(std::size_t run, const std::string& why);
  // No further window of this run will be opened.
  void Ended(std::size_t run);

  HttpAnswer Answer(const HttpRequest& request) const;

 private:
  void MakeTexts();
  std::string Index() const;
  HttpAnswer PageOf(const ServedWindow& window) const;

  mutable std::mutex mutex_{};
  std::vector<RunFigures> runs_{};
  std::vector<std::string> states_{};  // of each run, in words
  std::deque<ServedWindow> windows_{};
  std::shared_ptr<const std::string> prometheus_{}, open_metrics_{}, index_{};
};

}  // namespace rangefinder
