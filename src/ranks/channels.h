// The collectives of all ranks by channel. A channel is a stream of a rank, or
// one communicator on the stream if the trace names communicators: it has the
// collectives of one communicator in their order.

#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "profile/rank_record.h"

namespace rangefinder {

// A collective in one rank: ns since a moment that all ranks share, on the
// clock of the rank's host.
struct Instant {
  double start = 0;
  double end = 0;
  double launch = std::numeric_limits<double>::quiet_NaN();  // NaN: not known

  double duration() const { return end - start; }
};

struct Channel {
  std::size_t record = 0;           // index into Ranks::records
  std::size_t host = 0;             // index into Channels::hosts()
  std::uint64_t kinds = 0;          // a hash of all kinds in order
  std::vector<std::uint32_t> at{};  // into the record's collectives, by start

  std::size_t size() const { return at.size(); }
};

class Channels {
 public:
  explicit Channels(const Ranks& ranks);

  const std::vector<Channel>& all() const { return all_; }
  const Channel& operator[](std::size_t i) const { return all_[i]; }
  const std::vector<std::string>& hosts() const { return hosts_; }
  std::size_t records() const { return ranks_.records.size(); }

  const Collective& At(const Channel& channel, std::size_t i) const {
    return ranks_.records[channel.record].collectives[channel.at[i]];
  }
  Instant InstantOf(const Channel& channel, std::size_t i) const {
    return InstantOf(At(channel, i));
  }
  Instant InstantOf(const Collective& collective) const;
  // The number of its kind and communicator, equal over all ranks.
  std::uint32_t KindOf(const Channel& channel, std::size_t i) const {
    return kind_of_[channel.record][At(channel, i).kind].number;
  }
  // The same number for all communicators.
  std::uint32_t PlainKind(std::uint32_t kind) const { return plain_[kind]; }
  // The size of its message, in bytes; NaN: unknown.
  double SizeOf(const Channel& channel, std::size_t i) const {
    return kind_of_[channel.record][At(channel, i).kind].bytes;
  }
  // Whether no rank can leave before the last rank has arrived.
  bool Synchronizes(std::uint32_t kind) const { return synchronizes_[kind]; }

 private:
  double Since(std::uint64_t ns) const;
  void NumberKinds();

  const Ranks& ranks_;
  std::uint64_t base_ns_ = 0;
  std::vector<Channel> all_{};
  std::vector<std::string> hosts_{};
  struct Kind {
    std::uint32_t number = 0;
    double bytes = std::numeric_limits<double>::quiet_NaN();
  };
  std::vector<std::vector<Kind>> kind_of_{};  // by record and kind
  std::vector<bool> synchronizes_{};          // by number
  std::vector<std::uint32_t> plain_{};        // the same
};

}  // namespace rangefinder
