#include "tests/support/trace_builder.h"

#include <bit>
#include <cstdint>
#include <cstring>
#include <map>
#include <span>
#include <sstream>
#include <vector>

#include "wire/checksum.h"
#include "wire/counter_format.h"
#include "wire/trace_format.h"

namespace rangefinder::testing {
namespace {

constexpr std::uint64_t kBase = 1'700'000'000'000'000'000;  // ns

std::uint64_t Ns(std::string_view us) {
  return kBase +
         static_cast<std::uint64_t>(std::stod(std::string(us)) * 1000 + 0.5);
}

using Words = std::vector<std::uint64_t>;

const std::map<std::string, wire::TimedCall> kTimed = {
    {"load", wire::TimedCall::kLoad},
    {"allocate", wire::TimedCall::kAllocate},
    {"synchronise", wire::TimedCall::kSynchronise},
    {"other", wire::TimedCall::kOther}};

// A stream of records, cut into blocks.
struct Records {
  static constexpr std::size_t kWordsOfBlock = 1 << 19;

  Words words{};
  std::vector<std::size_t> cuts{};  // starts of further blocks

  void Add(std::uint64_t first, const Words& more) {
    if (words.size() - (cuts.empty() ? 0 : cuts.back()) > kWordsOfBlock)
      cuts.push_back(words.size());
    words.push_back(first);
    words.insert(words.end(), more.begin(), more.end());
  }
  bool empty() const { return words.empty(); }
};

class TraceBuilder {
 public:
  std::string Build(std::string_view text) {
    String("");
    Name(wire::Name::kDomain, 0, {0});
    std::istringstream lines{std::string(text)};
    for (std::string line; std::getline(lines, line);) AddLine(line);
    std::string bytes = Header();
    std::uint32_t stream = 0;
    bytes += Stream(wire::BlockKind::kNames, stream++, 0, names_);
    for (const auto& [thread, events] : threads_)
      bytes += Stream(wire::BlockKind::kEvents, stream++, thread, events);
    bytes += Stream(wire::BlockKind::kGpu, stream++, 0, gpu_);
    if (!samples_.empty())
      bytes += Stream(wire::BlockKind::kSamples, stream++, 0, samples_);
    if (!counts_.empty())
      bytes += Stream(wire::BlockKind::kCounts, stream, 0, counts_);
    return bytes;
  }

 private:
  void AddLine(const std::string& line) {
    std::istringstream in(line);
    std::vector<std::string> words;
    std::map<std::string, std::string> keys;
    for (std::string word; in >> word;) {
      const std::size_t equals = word.find('=');
      if (equals == word.npos)
        words.push_back(word);
      else
        keys[word.substr(0, equals)] = word.substr(equals + 1);
    }
    if (words.empty() || words[0][0] == '#') return;
    const auto number = [&](const char* key, std::uint64_t otherwise) {
      return keys.contains(key) ? std::stoull(keys[key]) : otherwise;
    };
    if (words[0] == "process") {
      pid_ = number("pid", 1);
      rank_ = keys.contains("rank") ? std::stoi(keys["rank"]) : -1;
      if (keys.contains("exe")) executable_ = keys["exe"];
    } else if (words[0] == "gpu") {
      Name(wire::Name::kDevice,
           static_cast<std::uint32_t>(std::stoul(words[1])),
           {String(words[2]), 9 << 8});
    } else if (words[0] == "bus") {
      Name(wire::Name::kBus, static_cast<std::uint32_t>(std::stoul(words[1])),
           {std::stoull(words[2]), 0});
    } else if (words[0] == "peaks") {
      Name(wire::Name::kPeaks, static_cast<std::uint32_t>(std::stoul(words[1])),
           {wire::Pack(number("memory_khz", 0), number("bus", 0)),
            wire::Pack(number("sms", 0), number("khz", 0))});
    } else if (words[0] == "source") {
      Name(wire::Name::kSource,
           static_cast<std::uint32_t>(std::stoul(words[3])),
           {wire::Pack(String(words[1]), String(words[2]))});
    } else if (words[0] == "fact") {
      Name(wire::Name::kFact, 0,
           {wire::Pack(String(words[1]), String(words[2]))});
    } else if (kTimed.contains(words[0])) {
      const std::size_t dash = words[2].find('-');
      Gpu(wire::Gpu::kTimed,
          {Ns(words[2].substr(0, dash)), Ns(words[2].substr(dash + 1)),
           wire::Pack(thread_, String(words[1]))},
          static_cast<std::uint32_t>(kTimed.at(words[0])));
    } else if (words[0] == "migration" || words[0] == "own_work") {
      const std::size_t dash = words[1].find('-');
      const std::uint64_t start = Ns(words[1].substr(0, dash));
      const std::uint64_t end = Ns(words[1].substr(dash + 1));
      if (words[0] == "migration")
        Gpu(wire::Gpu::kMigration, {start, end, 4096, 0});
      else
        Gpu(wire::Gpu::kOwnWork, {start, end, thread_});
    } else if (words[0] == "thread") {
      thread_ = std::stoull(words[1]);
    } else if (words[0] == "kernel" || words[0] == "copy" ||
               words[0] == "set") {
      const bool kernel = words[0] == "kernel";
      const std::string& times = words[kernel ? 2 : 1];
      const std::size_t dash = times.find('-');
      const std::uint32_t place = Place(
          static_cast<std::uint32_t>(number("device", 0)), number("stream", 7));
      const std::uint64_t start = Ns(times.substr(0, dash));
      const std::uint64_t end = Ns(times.substr(dash + 1));
      const std::uint64_t of = number("of", 0);
      if (kernel) {
        const std::uint32_t shape =
            Shape(words[1], number("grid", 1), number("block", 32),
                  number("shared", 0), number("registers", 16));
        Gpu(wire::Gpu::kKernel, {start, end, wire::Pack(of, shape), place, 0});
      } else {
        Gpu(words[0] == "copy" ? wire::Gpu::kCopy : wire::Gpu::kSet,
            {start, end, wire::Pack(of, place), number("bytes", 0), 0},
            static_cast<std::uint32_t>(number("kind", 0) |
                                       number("from", 0) << 8 |
                                       number("to", 0) << 12));
      }
    } else if (words[0] == "sampling" || words[0] == "sample" ||
               words[0] == "gap" || words[0] == "stopped") {
      AddSampling(words, keys);
    } else if (words[0] == "counting" || words[0] == "row" ||
               words[0] == "count" || words[0] == "skipped") {
      AddCounting(words, keys);
    } else {
      AddEvent(Ns(words[0]), words, number("id", 0));
    }
  }

  static std::vector<std::string> Split(const std::string& list) {
    std::istringstream in(list);
    std::vector<std::string> parts;
    for (std::string part; std::getline(in, part, ',');) parts.push_back(part);
    return parts;
  }

  void AddSampling(const std::vector<std::string>& words,
                   std::map<std::string, std::string>& keys) {
    const auto device = static_cast<std::uint32_t>(std::stoul(words[1]));
    const std::size_t dash = words.size() > 2 ? words[2].find('-') : 0;
    const std::uint64_t from = words.size() > 2 ? Ns(words[2]) : 0;
    const std::uint64_t to = words.size() > 2 && dash != words[2].npos
                                 ? Ns(words[2].substr(dash + 1))
                                 : 0;
    if (words[0] == "sampling") {
      const std::vector<std::string> metrics = Split(keys["metrics"]);
      Words set = {wire::Pack(device, metrics.size()),
                   std::stoull(keys["interval"]) * 1000, String(keys["chip"])};
      for (std::size_t i = 0; i < metrics.size(); ++i) {
        if (i % 2 == 0) set.push_back(0);
        set.back() |= std::uint64_t{String(metrics[i])} << (i % 2 * 32);
      }
      Sampling(wire::SampleRecord::kSet, device, 0, set);
      // "at" and "held_up" in us: when sampling began, and the time before.
      const bool late = keys.contains("at");
      Sampling(wire::SampleRecord::kStarted, device, 0,
               {late ? Ns(keys["at"]) : kBase,
                late ? std::stoull(keys["held_up"]) * 1000 : 600'000'000});
    } else if (words[0] == "sample") {
      Words sample = {from};
      for (const std::string& value : Split(words[3]))
        sample.push_back(std::bit_cast<std::uint64_t>(std::stod(value)));
      Sampling(wire::SampleRecord::kSample, device,
               static_cast<std::uint32_t>(to - from), sample);
    } else if (words[0] == "gap") {
      Sampling(wire::SampleRecord::kGap, device,
               static_cast<std::uint32_t>(std::stoul(keys["why"])),
               {from, to, std::stoull(keys["missing"])});
    } else {
      Sampling(wire::SampleRecord::kStopped, device, 0,
               {from, 0, String(keys["reason"])});
    }
  }

  void AddCounting(const std::vector<std::string>& words,
                   std::map<std::string, std::string>& keys) {
    const auto number = [&](std::size_t i) { return std::stoull(words[i]); };
    if (words[0] == "counting") {
      Name(wire::Name::kFact, 0, {wire::Pack(String("mode"), String("count"))});
      const std::vector<std::string> metrics = Split(keys["metrics"]);
      Words set = {wire::Pack(number(1), metrics.size()), wire::Pack(1, 64),
                   64 << 20, String("GH100")};
      for (std::size_t i = 0; i < metrics.size(); ++i) {
        if (i % 2 == 0) set.push_back(0);
        set.back() |= std::uint64_t{String(metrics[i])} << (i % 2 * 32);
      }
      Counting(wire::CountRecord::kSet, 0, set);
    } else if (words[0] == "row") {
      Words row = {wire::Pack(0, 1), 0, wire::Pack(1, 0)};
      std::istringstream path(words[1]);
      for (std::string part; std::getline(path, part, '/');) {
        const std::size_t at = part.find('@');
        const bool named = at != part.npos;
        row.push_back(wire::Pack(String(named ? part.substr(0, at) : ""),
                                 String(named ? part.substr(at + 1) : part)));
      }
      Counting(wire::CountRecord::kRow, rows_++, row);
    } else if (words[0] == "count") {
      const bool inside = keys.contains("in");
      Words count = {0,  // the pass
                     number(2),
                     kBase,
                     kBase + 1000,
                     1000,
                     thread_,
                     inside ? 1 + std::stoull(keys["in"]) : 0,
                     inside ? std::stoull(keys["of"]) : 0};
      for (const std::string& value : Split(words[3]))
        count.push_back(std::bit_cast<std::uint64_t>(std::stod(value)));
      Counting(wire::CountRecord::kCounts,
               static_cast<std::uint32_t>(number(1)), count);
    } else {
      Counting(wire::CountRecord::kSkipped,
               static_cast<std::uint32_t>(number(1)),
               {std::stoull(keys["why"]), number(2)});
    }
  }

  void Counting(wire::CountRecord kind, std::uint32_t operand,
                const Words& more) {
    counts_.Add(wire::CounterWord(kind, 0, operand, more.size()), more);
  }

  void Sampling(wire::SampleRecord kind, std::uint32_t set,
                std::uint32_t operand, const Words& more) {
    samples_.Add(wire::CounterWord(kind, set, operand, more.size()), more);
  }

  void AddEvent(std::uint64_t ns, const std::vector<std::string>& words,
                std::uint64_t id) {
    const std::string& what = words[1];
    if (what == "push")
      Event(wire::Event::kPush, Label(words[2]), ns);
    else if (what == "pop")
      Event(wire::Event::kPop, words.size() > 2 ? Domain(words[2]) : 0, ns);
    else if (what == "launch")
      Event(wire::Event::kLaunch, 1, ns, {std::stoull(words[2])});
    else if (what == "message")
      Event(wire::Event::kMessage, 0, ns,
            {std::stoull(words[2], nullptr, 16), std::stoull(words[3])});
    else if (what == "cpu")
      Event(wire::Event::kCpuTime, 0, ns, {1000 * std::stoull(words[2])});
    else if (what == "launched")
      Event(wire::Event::kLaunched, 0, ns);
    else if (what == "start")
      Event(wire::Event::kStart, Label(words[2]), ns, {id});
    else if (what == "end")
      Event(wire::Event::kEnd, 0, ns, {id});
  }

  void Event(wire::Event kind, std::uint32_t operand, std::uint64_t ns,
             const Words& more = {}) {
    // The two clocks are the same here.
    Words words = {ns, ns, wire::EventWord(kind, operand, 0)};
    words.insert(words.end(), more.begin(), more.end());
    threads_[thread_].Add(wire::EventWord(wire::Event::kClock, 0, 0), words);
  }

  void Gpu(wire::Gpu kind, const Words& more, std::uint32_t operand = 0) {
    gpu_.Add(wire::GpuWord(kind, operand, more.size()), more);
  }

  void Name(wire::Name kind, std::uint32_t id, const Words& more) {
    names_.Add(wire::NameWord(kind, id, more.size()), more);
  }

  // "%0a" in a name is the byte 0x0a.
  static std::string Unescaped(const std::string& escaped) {
    std::string text;
    for (std::size_t i = 0; i < escaped.size(); ++i) {
      if (escaped[i] != '%') {
        text += escaped[i];
        continue;
      }
      text +=
          static_cast<char>(std::stoi(escaped.substr(i + 1, 2), nullptr, 16));
      i += 2;
    }
    return text;
  }

  std::uint32_t String(const std::string& escaped) {
    const std::string text = Unescaped(escaped);
    const auto [at, fresh] = strings_.emplace(text, Next(strings_));
    if (fresh) {
      Words words(1 + (text.size() + 7) / 8);
      words[0] = text.size();
      std::memcpy(words.data() + 1, text.data(), text.size());
      Name(wire::Name::kString, at->second, words);
    }
    return at->second;
  }

  std::uint32_t Domain(const std::string& name) {
    const auto [at, fresh] = domains_.emplace(name, Next(domains_) + 1);
    if (fresh) Name(wire::Name::kDomain, at->second, {String(name)});
    return at->second;
  }

  std::uint32_t Label(const std::string& text) {
    const std::size_t at_sign = text.find('@');
    const std::uint32_t domain =
        at_sign == text.npos ? 0 : Domain(text.substr(0, at_sign));
    const std::uint32_t string =
        String(at_sign == text.npos ? text : text.substr(at_sign + 1));
    const auto [at, fresh] = labels_.emplace(text, Next(labels_));
    if (fresh)
      Name(wire::Name::kLabel, at->second, {wire::Pack(domain, string), 0});
    return at->second;
  }

  std::uint32_t Shape(const std::string& name, std::uint64_t grid,
                      std::uint64_t block, std::uint64_t shared,
                      std::uint64_t registers) {
    const std::uint32_t string = String(name);
    const auto [at, fresh] = shapes_.emplace(
        std::tuple(name, grid, block, shared, registers), Next(shapes_));
    if (fresh) {
      Name(wire::Name::kShape, at->second,
           {wire::Pack(string, registers), wire::Pack(grid, 1),
            wire::Pack(1, block), wire::Pack(1, 1), wire::Pack(0, shared)});
    }
    return at->second;
  }

  std::uint32_t Place(std::uint32_t device, std::uint64_t stream) {
    const auto [at, fresh] =
        places_.emplace(std::pair(device, stream), Next(places_));
    if (fresh)
      Name(wire::Name::kPlace, at->second, {wire::Pack(device, 1), stream});
    return at->second;
  }

  template <typename Map>
  static std::uint32_t Next(const Map& map) {
    return static_cast<std::uint32_t>(map.size());
  }

  std::string Header() const {
    wire::FixedHeader fixed{};
    std::memcpy(fixed.magic, wire::kTraceMagic, sizeof fixed.magic);
    fixed.version = wire::kTraceVersion;
    fixed.byte_order = wire::kByteOrder;
    fixed.header_size = wire::kPageSize;
    fixed.clock = wire::Clock::kRealtime;
    fixed.pid = pid_;
    fixed.first = {kBase, kBase};
    fixed.second = {kBase + 100000, kBase + 100000};
    fixed.rank = rank_;
    executable_.copy(fixed.executable, sizeof fixed.executable - 1);
    executable_.copy(fixed.command, sizeof fixed.command - 1);
    fixed.checksum =
        wire::Checksum(&fixed, offsetof(wire::FixedHeader, checksum));
    wire::LiveHeader live{};
    live.state = wire::RunState::kEnded;
    live.gpu = wire::GpuState::kTracing;
    if (!samples_.empty()) live.sampling = wire::SamplingState::kStopped;
    if (!counts_.empty()) {
      live.gpu = wire::GpuState::kNotAsked;
      live.counting = wire::CountingState::kStopped;
    }
    std::string page(wire::kPageSize, '\0');
    std::memcpy(page.data(), &fixed, sizeof fixed);
    std::memcpy(page.data() + wire::kLiveHeaderOffset, &live, sizeof live);
    return page;
  }

  static std::string Stream(wire::BlockKind kind, std::uint32_t stream,
                            std::uint64_t thread, const Records& records) {
    std::string blocks;
    const std::span<const std::uint64_t> words = records.words;
    for (std::size_t i = 0; i <= records.cuts.size(); ++i) {
      const std::size_t first = i == 0 ? 0 : records.cuts[i - 1];
      const std::size_t end =
          i == records.cuts.size() ? words.size() : records.cuts[i];
      wire::BlockHeader header{};
      header.kind = kind;
      header.stream = stream;
      header.sequence = static_cast<std::uint32_t>(i);
      header.thread = thread;
      blocks += Block(header, words.subspan(first, end - first));
    }
    return blocks;
  }

  static std::string Block(wire::BlockHeader header,
                           std::span<const std::uint64_t> words) {
    const std::size_t used = sizeof header + words.size() * 8;
    header.magic = wire::kBlockMagic;
    header.opened = {kBase, kBase};
    header.size = static_cast<std::uint32_t>((used + wire::kPageSize - 1) /
                                             wire::kPageSize * wire::kPageSize);
    header.identity = wire::Checksum(&header, sizeof header);
    header.words = static_cast<std::uint32_t>(words.size());
    header.checksum = wire::Checksum(words.data(), words.size() * 8);
    header.state = wire::BlockState::kSealed;
    std::string block(header.size, '\0');
    std::memcpy(block.data(), &header, sizeof header);
    if (!words.empty()) {
      std::memcpy(block.data() + sizeof header, words.data(), words.size() * 8);
    }
    return block;
  }

  std::uint64_t pid_ = 1;
  std::int32_t rank_ = -1;
  std::string executable_ = "app";
  std::uint64_t thread_ = 1;
  Records names_{}, gpu_{}, samples_{}, counts_{};
  std::uint32_t rows_ = 0;
  std::map<std::uint64_t, Records> threads_;
  std::map<std::string, std::uint32_t> strings_, domains_, labels_;
  std::map<std::tuple<std::string, std::uint64_t, std::uint64_t, std::uint64_t,
                      std::uint64_t>,
           std::uint32_t>
      shapes_;
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint32_t> places_;
};

}  // namespace

std::string BuildTrace(std::string_view text) {
  return TraceBuilder().Build(text);
}

}  // namespace rangefinder::testing
