// The metrics of `.ncu-rep` results: each metric message becomes a sample, and
// its values per launch or program counter become a list of instances.

#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ingest/ncu/ncu_fields.h"
#include "profile/profile.h"

namespace rangefinder {

class NcuMetrics {
 public:
  // `strings` are the strings of the file, which grow block by block. The bytes
  // of all messages must outlive this object.
  NcuMetrics(Profile& profile, const std::vector<StringId>& strings,
             const ncu::Place& place)
      : profile_(profile), strings_(strings), place_(place) {}

  // Reads a metric of `m`, whose samples are the last ones of the profile.
  // Throws protozero::exception on malformed input.
  void Read(std::string_view message, Measurement& m);

  // Call when `m` has all its samples, or is given up.
  void EndResult(const Measurement& m);

 private:
  MetricId MetricOf(std::uint32_t name_id, std::string_view name);
  void Keep(MetricId metric, Value value, Measurement& m);
  void ReadBreakdown(std::string_view metric, std::string_view inputs);
  std::uint32_t ListOf(std::string_view message, std::string_view instances,
                       std::size_t count);
  Instance ReadInstance(std::string_view message) const;
  Value ReadValue(std::string_view message) const {
    return ncu::DecodeValue(message, profile_.strings, place_);
  }

  Profile& profile_;
  const std::vector<StringId>& strings_;
  const ncu::Place& place_;
  std::vector<MetricId> metric_of_;  // by file string; kUnknownMetric: not yet
  std::vector<std::uint32_t> sample_at_;  // by MetricId: 1 + index in m, or 0
  std::unordered_map<std::string_view, std::uint32_t> lists_known_;
};

}  // namespace rangefinder
