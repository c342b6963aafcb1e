// The metrics of `.ncu-rep` results: a message a metric becomes a sample, and
// what it has per launch or program counter a list of instances.

#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ingest/ncu/ncu_message.h"
#include "profile/profile.h"

namespace rangefinder {

class NcuMetrics {
 public:
  // `strings` are those of the file, which grow block by block. All three must
  // outlive this, as must the bytes of all messages.
  NcuMetrics(Profile& profile, const std::vector<StringId>& strings,
             const ncu::Place& place)
      : profile_(profile), strings_(strings), place_(place) {}

  // A metric of the result that `m` is made of, whose samples are the last of
  // the profile. Throws protozero::exception on malformed input.
  void Read(std::string_view message, Measurement& m);

  // `m` has all its samples, or is given up: the next result's are others.
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
