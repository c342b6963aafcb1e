// Debian's Prometheus and promtool read the served metrics, and the dashboard
// names metrics that exist.

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <thread>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "serve/http_server.h"
#include "serve/metrics.h"
#include "serve/served.h"
#include "tests/support/http_client.h"
#include "tests/support/temp_dir.h"

namespace rangefinder {
namespace {

using ::testing::HasSubstr;
using Clock = std::chrono::steady_clock;
using Json = nlohmann::json;

const ListenAddress kAnyPort{.ip = "127.0.0.1"};
constexpr const char* kHostile = "a \"name\"\nof \\ two lines";

std::string ContentOf(const std::filesystem::path& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

bool IsInstalled(const char* program) {
  return std::system(
             fmt::format("command -v {} > /dev/null", program).c_str()) == 0;
}

// Two regions with all values.
std::vector<RegionFigures> AllFigures() {
  std::vector<RegionFigures> rows;
  for (const char* region : {"decode", kHostile}) {
    rows.push_back({.process = "42",
                    .rank = "3",
                    .host = "node1",
                    .device = "cuda:0",
                    .region = region});
    for (std::size_t i = 0; i < RegionFamilyNames().size(); ++i)
      rows.back().values.emplace_back(0.25 + static_cast<double>(i));
  }
  return rows;
}

RunFigures FullRun() {
  return {.run = "7",
          .windows = 1,
          .up = true,
          .start_unix_s = 1.5e9,
          .seconds = 2,
          .regions = AllFigures()};
}

// All expressions in the dashboard.
std::vector<std::string> DashboardQueries() {
  const Json dashboard =
      Json::parse(ContentOf(std::filesystem::path(RANGEFINDER_SOURCE_DIR) /
                            "examples/grafana/rangefinder.json"));
  std::vector<std::string> queries;
  for (const Json& panel : dashboard.at("panels"))
    for (const Json& target : panel.at("targets"))
      queries.push_back(target.at("expr"));
  return queries;
}

// `prometheus`, which scrapes a server every second, until it is destroyed.
class Prometheus {
 public:
  explicit Prometheus(const ListenAddress& target) {
    std::ofstream(folder_ / "config.yml") << fmt::format(
        "scrape_configs:\n  - job_name: rangefinder\n    scrape_interval: 1s\n"
        "    static_configs:\n      - targets: [\"127.0.0.1:{}\"]\n",
        target.port);
    // A port that is free now.
    address_ = HttpServer::Start(kAnyPort, {}).value()->address();
    Run(fmt::format(
        "prometheus --config.file={0}/config.yml --storage.tsdb.path={0}/data "
        "--web.listen-address=127.0.0.1:{1} > {0}/log 2>&1 & echo $! > {0}/pid",
        folder_.path().string(), address_.port));
  }
  Prometheus(const Prometheus&) = delete;
  Prometheus& operator=(const Prometheus&) = delete;
  ~Prometheus() {
    Run("kill -9 " + std::string(Trim(ContentOf(folder_ / "pid"))));
  }

  // The answer to a query; null where there is none.
  Json Ask(const std::string& query) const {
    std::string escaped;
    for (const char c : query)
      escaped += fmt::format("%{:02x}", static_cast<unsigned char>(c));
    const std::string answer = HttpClient(address_)
                                   .Say("GET /api/v1/query?query=" + escaped +
                                        " HTTP/1.0\r\nHost: localhost\r\n\r\n")
                                   .Hear();
    const std::size_t body = answer.find("\r\n\r\n");
    if (body == answer.npos) return {};
    return Json::parse(answer.substr(body), nullptr, false);
  }

  // The results of a query, once there are some.
  Json Wait(const std::string& query) const {
    const auto begin = Clock::now();
    while (Clock::now() - begin < std::chrono::seconds(60)) {
      const Json answer = Ask(query);
      if (answer.is_object() && answer.value("status", "") == "success" &&
          !answer["data"]["result"].empty())
        return answer["data"]["result"];
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
    }
    ADD_FAILURE() << query << ": no result\n" << ContentOf(folder_ / "log");
    return Json::array();
  }

 private:
  static void Run(const std::string& command) {
    EXPECT_EQ(std::system(command.c_str()), 0) << command;
  }

  const TempDir folder_{};
  ListenAddress address_{};
};

TEST(Prometheus, ScrapesTheServedMetrics) {
  if (!IsInstalled("prometheus"))
    GTEST_SKIP() << "NOTHING WAS SCRAPED: no prometheus here";
  Served served({"7"});
  served.Measured(0, {.number = 1, .start_unix_s = 1.5e9, .seconds = 2},
                  AllFigures());
  std::atomic<bool> took_open_metrics = false;
  const auto server =
      HttpServer::Start(kAnyPort, [&](const HttpRequest& asked) {
        HttpAnswer answer = served.Answer(asked);
        if (answer.type.starts_with("application/openmetrics"))
          took_open_metrics = true;
        return answer;
      }).value();
  const Prometheus prometheus(server->address());
  EXPECT_EQ(prometheus.Wait("rangefinder_up")[0]["value"][1], "1");
  EXPECT_EQ(prometheus.Ask("up")["data"]["result"][0]["value"][1], "1");
  EXPECT_TRUE(took_open_metrics);
  const std::vector<std::string> names = RegionFamilyNames();
  for (std::size_t i = 0; i < names.size(); ++i) {
    const Json results = prometheus.Wait(names[i] + "{region=\"decode\"}");
    ASSERT_EQ(results.size(), 1U);
    EXPECT_EQ(results[0]["metric"]["device"], "cuda:0");
    EXPECT_EQ(results[0]["metric"]["rank"], "3");
    EXPECT_EQ(std::stod(results[0]["value"][1].get<std::string>()),
              0.25 + static_cast<double>(i));
  }
  std::set<std::string> regions;
  for (const Json& result : prometheus.Wait(names[0]))
    regions.insert(result["metric"]["region"]);
  EXPECT_EQ(regions, (std::set<std::string>{"decode", kHostile}));

  // Every expression of the dashboard has values.
  for (std::string query : DashboardQueries()) {
    query = std::regex_replace(query, std::regex(R"(\$\w+)"), ".*");
    if (query.find("increase(") == query.npos) {  // of two scrapes
      EXPECT_FALSE(prometheus.Wait(query).empty());
    }
    EXPECT_EQ(prometheus.Ask(query)["status"], "success") << query;
  }
}

TEST(Prometheus, FindsNoFaultByPromtool) {
  if (!IsInstalled("promtool"))
    GTEST_SKIP()
        << "METRICS ARE NOT CHECKED: no promtool (Debian's prometheus) here";
  const TempDir folder;
  const RunFigures run = FullRun();
  std::ofstream(folder / "text")
      << MetricsText({&run, 1}, MetricsFormat::kPrometheus);
  const std::string command =
      fmt::format("promtool check metrics < {0}/text > {0}/said 2>&1",
                  folder.path().string());
  EXPECT_EQ(std::system(command.c_str()), 0);
  EXPECT_EQ(ContentOf(folder / "said"), "");
}

TEST(Dashboard, AsksForMetricsThatAreServed) {
  const RunFigures run = FullRun();
  const std::string text = MetricsText({&run, 1}, MetricsFormat::kPrometheus);
  const std::vector<std::string> queries = DashboardQueries();
  EXPECT_GE(queries.size(), 10U);
  const std::regex name(R"(rangefinder_\w+)");
  for (const std::string& query : queries) {
    EXPECT_TRUE(std::regex_search(query, name)) << query;
    for (std::sregex_iterator it(query.begin(), query.end(), name), end;
         it != end; ++it)
      EXPECT_THAT(text, HasSubstr("# TYPE " + it->str() + " ")) << query;
  }
}

}  // namespace
}  // namespace rangefinder
