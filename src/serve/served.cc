#include "serve/served.h"

#include <ctime>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"

namespace rangefinder {
namespace {

namespace fs = std::filesystem;

constexpr const char* kReport = "ncu/regions/report.html";
constexpr const char* kJson = "ncu/regions/report.json";
// The page has a stricter policy of its own, which applies in addition.
constexpr const char* kPagePolicy =
    "default-src 'none'; script-src 'unsafe-inline'; style-src "
    "'unsafe-inline'; frame-ancestors 'self'; base-uri 'none'; form-action "
    "'none'";
constexpr const char* kIndexPolicy =
    "default-src 'none'; style-src 'unsafe-inline'; frame-src 'self'; "
    "frame-ancestors 'none'; base-uri 'none'; form-action 'none'";
constexpr const char* kStyle =
    "body{font:14px system-ui,sans-serif;margin:0;display:flex;flex-direction:"
    "column;height:100vh}header{padding:8px 16px;max-height:40vh;overflow:auto}"
    "iframe{flex:1;border:0;border-top:1px solid #888}table{border-spacing:16px"
    " 2px;margin-left:-16px}td,th{text-align:left;vertical-align:top}";

// Whether a client accepts OpenMetrics, as Prometheus does. Weights are
// ignored: a client that names it can read it.
bool TakesOpenMetrics(std::string_view accept) {
  return accept.find("application/openmetrics-text") != accept.npos;
}

}  // namespace

Served::Served(const std::vector<std::string>& runs) {
  for (const std::string& run : runs) {
    runs_.push_back({.run = run});
    states_.emplace_back("no window yet");
  }
  MakeTexts();
}

void Served::Measured(std::size_t run, ServedWindow window,
                      std::vector<RegionFigures> figures) {
  fs::path oldest;
  {
    const std::lock_guard lock(mutex_);
    RunFigures& its = runs_[run];
    ++its.windows;
    its.up = true;
    its.start_unix_s = window.start_unix_s;
    its.seconds = window.seconds;
    its.regions = std::move(figures);
    states_[run] = "measured";
    windows_.push_front(std::move(window));
    if (windows_.size() > kMostServedWindows) {
      oldest = windows_.back().folder;
      windows_.pop_back();
    }
    MakeTexts();
  }
  std::error_code ignored;
  if (!oldest.empty()) fs::remove_all(oldest, ignored);
}

void Served::Failed(std::size_t run, const std::string& why) {
  const std::lock_guard lock(mutex_);
  ++runs_[run].failures;
  runs_[run].up = false;
  states_[run] = "failed: " + why;
  MakeTexts();
}

void Served::Ended(std::size_t run) {
  const std::lock_guard lock(mutex_);
  runs_[run].up = false;
  states_[run] = "has ended";
  MakeTexts();
}

// Makes the texts once for all clients.
void Served::MakeTexts() {
  const auto text = [](std::string made) {
    return std::make_shared<const std::string>(std::move(made));
  };
  prometheus_ = text(MetricsText(runs_, MetricsFormat::kPrometheus));
  open_metrics_ = text(MetricsText(runs_, MetricsFormat::kOpenMetrics));
  index_ = text(Index());
}

std::string Served::Index() const {
  std::string html = fmt::format(
      "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>"
      "Rangefinder</title><style>{}</style></head><body><header><table><tr><th>"
      "run</th><th>windows</th><th>failed</th><th>latest</th></tr>",
      kStyle);
  for (std::size_t i = 0; i < runs_.size(); ++i)
    html += fmt::format("<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>",
                        MarkupText(runs_[i].run), runs_[i].windows,
                        runs_[i].failures, MarkupText(states_[i]));
  html += "</table>";
  if (!windows_.empty()) {
    html += "<details><summary>windows</summary><table>";
    for (const ServedWindow& window : windows_)
      html += fmt::format(
          "<tr><td><a href=\"/windows/{0}/report.html\">{0}</a></td><td>{1}"
          "</td><td>{2:.3g} s</td><td>{3}</td></tr>",
          window.number,
          UtcText(static_cast<std::time_t>(window.start_unix_s),
                  "%Y-%m-%d %H:%M:%S UTC"),
          window.seconds, MarkupText(window.run));
    html +=
        "</table></details><p><a href=\"/report.html\">page</a> · <a "
        "href=\"/report.json\">JSON</a> · <a href=\"/metrics\">metrics</a></p>";
  }
  html += "</header>";
  if (!windows_.empty())
    html += "<iframe src=\"/report.html\" title=\"latest window\"></iframe>";
  return html + "</body></html>\n";
}

HttpAnswer Served::PageOf(const ServedWindow& window) const {
  return {.type = "text/html; charset=utf-8",
          .policy = kPagePolicy,
          .file = window.folder / kReport};
}

HttpAnswer Served::Answer(const HttpRequest& request) const {
  const std::lock_guard lock(mutex_);
  const std::string_view path = request.path;
  if (path == "/metrics") {
    if (TakesOpenMetrics(request.accept))
      return {
          .type = "application/openmetrics-text; version=1.0.0; charset=utf-8",
          .body = open_metrics_};
    return {.type = "text/plain; version=0.0.4; charset=utf-8",
            .body = prometheus_};
  }
  if (path == "/")
    return {.type = "text/html; charset=utf-8",
            .policy = kIndexPolicy,
            .body = index_};
  if (windows_.empty()) return {.status = 404};
  if (path == "/report.html") return PageOf(windows_.front());
  if (path == "/report.json")
    return {.type = "application/json",
            .file = windows_.front().folder / kJson};
  // No file name is made of the path, so it cannot lead out of the folders.
  for (const ServedWindow& window : windows_)
    if (path == fmt::format("/windows/{}/report.html", window.number))
      return PageOf(window);
  return {.status = 404};
}

}  // namespace rangefinder
