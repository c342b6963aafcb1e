// Which metrics of a profile fold into sums, and how: by the same rules as a
// rollup puts them together.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "profile/profile.h"
#include "rollup/rule.h"
#include "summary/summary.h"

namespace rangefinder {

// The texts of a summary while it is made.
class SummaryTexts {
 public:
  explicit SummaryTexts(std::vector<std::string>& texts) : texts_(texts) {}
  TextIndex Of(std::string_view text);

 private:
  std::vector<std::string>& texts_;
  std::unordered_map<std::string, TextIndex> known_{{"", 0}};
};

// What becomes of one metric of a launch.
struct MetricFolding {
  enum class Kind : std::uint8_t {
    kNone,       // no rule puts it together
    kAttribute,  // launches with other values are another row
    kSum,
    kMean,
  };
  Kind kind = Kind::kNone;
  TextIndex name = 0;
  // kMean: what it is weighted with, and what that is multiplied with; "":
  // nothing.
  struct Weight {
    std::optional<MetricId> metric{};  // nothing: the duration
    TextIndex name = 0;
  };
  Weight weight{};
  std::optional<Weight> times{};
};

// The metrics of launches, and of ranges that were measured as a whole, as they
// are added to rows.
class SummaryMetrics {
 public:
  SummaryMetrics(const Profile& profile, const std::vector<UserRule>& rules,
                 SummaryTexts& texts);

  // Part of the row's key; by metric.
  std::vector<SummaryValue> AttributesOf(const Measurement& m);
  // All others.
  void AddTo(SummaryRow& row, const Measurement& m);

  // How many metrics no rule puts together.
  std::size_t without() const;
  TextIndex NameOf(MetricId metric) const {
    return foldings_[Index(metric)].name;
  }

 private:
  MetricFolding::Weight WeightOf(std::string_view name);
  void SetMean(const MeanRule& rule, MetricFolding& folding);
  std::optional<double> Find(std::span<const Sample> samples,
                             const MetricFolding::Weight& weight) const;
  void AddMean(SummaryRow& row, std::span<const Sample> samples,
               const MetricFolding& folding, double value);

  const Profile& profile_;
  SummaryTexts& texts_;
  std::vector<MetricFolding> foldings_;  // by MetricId
  std::optional<double> duration_{};     // of the launch that is added
};

}  // namespace rangefinder
