#include "region/merged_names.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <numeric>
#include <set>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <re2/re2.h>

#include "base/lists.h"
#include "base/text.h"
#include "region/path.h"

namespace rangefinder {
namespace {

constexpr std::uint32_t kNone = 0xFFFFFFFF;
// The fewest names that are merged by their numbers; a pattern may merge fewer.
// Iterations of a loop that count up by one are merged from two on.
constexpr std::size_t kFewestCounted = 8;
constexpr std::size_t kFewestTurns = 2;

// A path, with the names that the program gave.
struct GivenPath {
  std::uint32_t parent = kNone;
  StringId domain{};
  StringId name{};
  std::uint64_t since_ns = 0;  // first opening or launch; 0: unknown
  bool recurs = false;         // a thread ran it more than once
  std::vector<std::uint32_t> children{};
};

// Every path of a profile, each once.
class GivenPaths {
 public:
  explicit GivenPaths(const Profile& profile) : profile_(profile), all_(1) {
    for (const Measurement& m : profile.measurements) Add(m, m.launch_ns);
    // Rows belong to a path, not to its executions, and have no launches.
    const auto of_path = [](const auto& row) {
      Measurement m = LaunchIn(row);
      m.artifact = kNone;
      return m;
    };
    for (const RangeVisits& row : profile.visits) {
      const std::uint32_t path =
          Add(of_path(row), row.first.empty() ? 0 : row.first[0].start_ns);
      if (row.instances > 1) all_[path].recurs = true;
    }
    for (const RegionUse& row : profile.uses) Add(of_path(row), 0);
  }

  const GivenPath& operator[](std::uint32_t path) const { return all_[path]; }
  // Path 0 is the empty path.
  std::span<const GivenPath> paths() const {
    return std::span(all_).subspan(1);
  }

 private:
  // Artifact, process and thread of an execution. Launches of several artifacts
  // are of several runs.
  using Runner = std::tuple<std::uint32_t, ProcessId, std::uint64_t>;

  // The path in which `m` was launched.
  std::uint32_t Add(const Measurement& m, std::uint64_t ns) {
    const Context context{m.artifact, m.process, m.thread, m.nvtx};
    if (last_ == context) return See(at_, ns);
    last_ = context;
    const auto [known, fresh] = contexts_.try_emplace(context, 0);
    at_ = known->second;
    if (!fresh) return See(at_, ns);
    const Runner runner{m.artifact, m.process, m.thread};
    std::uint32_t at = 0;
    for (const Frame& frame : GivenPathOf(profile_, m)) {
      at = Child(at, frame);
      const auto [first, new_here] =
          executions_.try_emplace({at, runner}, frame.execution);
      if (!new_here && first->second != frame.execution) all_[at].recurs = true;
    }
    known->second = at_ = at;
    return See(at, ns);
  }

  std::uint32_t See(std::uint32_t path, std::uint64_t ns) {
    // The outer ranges opened before.
    for (std::uint32_t at = path; ns > 0 && at != 0; at = all_[at].parent) {
      std::uint64_t& since = all_[at].since_ns;
      if (since > 0 && since <= ns) break;
      since = ns;
    }
    return path;
  }

  std::uint32_t Child(std::uint32_t parent, const Frame& frame) {
    const auto [known, fresh] = children_.try_emplace(
        {.parent = parent, .domain = frame.domain, .name = frame.name},
        static_cast<std::uint32_t>(all_.size()));
    if (fresh) {
      all_[parent].children.push_back(known->second);
      all_.push_back(
          {.parent = parent, .domain = frame.domain, .name = frame.name});
    }
    return known->second;
  }

  const Profile& profile_;
  std::vector<GivenPath> all_;  // parents before children
  using Context =
      std::tuple<std::uint32_t, ProcessId, std::uint64_t, NvtxStateId>;
  std::map<Context, std::uint32_t> contexts_;
  Context last_{~std::uint32_t{0}, {}, 0, {}};
  std::uint32_t at_ = 0;
  std::unordered_map<MergedNames::Key, std::uint32_t, MergedNames::Hash>
      children_;
  std::map<std::pair<std::uint32_t, Runner>, std::uint64_t> executions_;
};

// The ranges of one name under one merged path.
struct Child {
  StringId domain{};
  StringId name{};
  std::uint64_t since_ns = 0;
  bool recurs = false;
  std::vector<std::uint32_t> paths{};
};

class Merger {
 public:
  Merger(const NameMerging& merging, Profile& profile)
      : merging_(merging), profile_(profile), paths_(profile) {}

  KnownNames Run() && {
    profile_.merged = {};
    if (!merging_.frameworks().empty()) ReadFrameworks();
    std::vector<Open> open = {{.node = 0, .paths = {0}}};
    // Every path is in one node, so each is visited once.
    for (std::size_t i = 0; i < open.size(); ++i) {
      const Open node = std::move(open[i]);
      Descend(node, open);
    }
    if (!any_) profile_.merged = {};
    return std::move(known_);
  }

 private:
  // Fills the facts of names, and the shown names of frameworks.
  void ReadFrameworks() {
    const FrameworkNames& frameworks = merging_.frameworks();
    std::vector<std::pair<StringId, StringId>> names;  // domain, name
    std::vector<FrameworkNames::Candidates> candidates;
    std::unordered_set<std::uint64_t> seen;
    for (const GivenPath& path : paths_.paths()) {
      if (!seen.insert(KeyOf(path.domain, path.name)).second) continue;
      auto found = frameworks.CandidatesOf(profile_.Name(path.domain),
                                           profile_.Name(path.name));
      if (found.empty()) continue;
      names.emplace_back(path.domain, path.name);
      candidates.push_back(std::move(found));
    }
    const std::vector<bool> in_use = frameworks.InUse(candidates);
    known_.frameworks = frameworks.Titles(in_use);
    for (std::size_t i = 0; i < names.size(); ++i) {
      const auto& [domain, name] = names[i];
      auto reading =
          frameworks.Read(profile_.Name(name), candidates[i], in_use);
      if (!reading) continue;
      reading->facts.phase = profile_.strings.Intern(reading->rule->phase);
      known_.facts[{.domain = domain, .name = name}] = reading->facts;
      if (reading->shown)
        framework_names_.emplace(KeyOf(domain, name),
                                 profile_.strings.Intern(*reading->shown));
    }
  }

  // A merged name has the phase of its names, if they agree.
  void ShareFacts(const Child& child, StringId shown) {
    auto& all = known_.facts;
    const auto given = all.find({.domain = child.domain, .name = child.name});
    if (shown == child.name || given == all.end()) return;
    const NameFacts facts = {.phase = given->second.phase,
                             .weak_phase = given->second.weak_phase};
    const auto [known, fresh] =
        all.try_emplace({.domain = child.domain, .name = shown}, facts);
    if (!fresh && known->second.phase != facts.phase)
      known->second.phase = StringId{};
  }

  struct Open {
    MergedNames::Node node = 0;
    std::vector<std::uint32_t> paths{};
    std::vector<std::pair<StringId, StringId>> frames{};  // domain, shown
  };

  void Descend(const Open& node, std::vector<Open>& open) {
    const std::vector<Child> children = ChildrenOf(node);
    if (children.empty()) return;
    const std::vector<StringId> shown = ShownOf(node, children);
    std::map<std::pair<StringId, StringId>, std::size_t> nodes;
    for (std::size_t i = 0; i < children.size(); ++i) {
      const Child& child = children[i];
      const auto [known, fresh] =
          nodes.try_emplace({child.domain, shown[i]}, open.size());
      if (fresh) {
        Open& next = open.emplace_back();
        next.node = ++last_node_;
        if (!merging_.patterns().empty()) {
          next.frames = node.frames;
          next.frames.emplace_back(child.domain, shown[i]);
        }
      }
      Open& into = open[known->second];
      into.paths.insert(into.paths.end(), child.paths.begin(),
                        child.paths.end());
      any_ = any_ || shown[i] != child.name;
      ShareFacts(child, shown[i]);
      profile_.merged.Add(
          {.parent = node.node, .domain = child.domain, .name = child.name},
          {.node = into.node, .shown = shown[i]});
    }
  }

  // In order of first appearance.
  std::vector<Child> ChildrenOf(const Open& node) const {
    std::vector<Child> children;
    std::unordered_map<std::uint64_t, std::size_t> known;
    for (const std::uint32_t outer : node.paths) {
      for (const std::uint32_t path : paths_[outer].children) {
        const GivenPath& given = paths_[path];
        const auto [at, fresh] =
            known.try_emplace(KeyOf(given.domain, given.name), children.size());
        if (fresh) {
          children.push_back({.domain = given.domain,
                              .name = given.name,
                              .since_ns = given.since_ns});
        }
        Child& child = children[at->second];
        child.recurs = child.recurs || !fresh || given.recurs;
        if (given.since_ns > 0 &&
            (child.since_ns == 0 || given.since_ns < child.since_ns))
          child.since_ns = given.since_ns;
        child.paths.push_back(path);
      }
    }
    return children;
  }

  // The shown name of each child: the given name unless a rule merges the name.
  std::vector<StringId> ShownOf(const Open& node,
                                const std::vector<Child>& children) {
    std::vector<StringId> shown;
    std::vector<SiblingName> counted;
    std::vector<std::size_t> which;
    // Times are compared only if all are known.
    const bool timed = std::ranges::all_of(
        children, [](const Child& child) { return child.since_ns > 0; });
    std::unordered_set<std::uint64_t> names;
    for (std::size_t i = 0; i < children.size(); ++i) {
      const Child& child = children[i];
      names.insert(KeyOf(child.domain, child.name));
      shown.push_back(child.name);
      if (const auto name = ByItsName(node, child)) {
        shown.back() = *name;
      } else if (merging_.by_itself()) {
        counted.push_back({.domain = profile_.Name(child.domain),
                           .name = profile_.Name(child.name),
                           .since = timed ? child.since_ns : i,
                           .recurs = child.recurs,
                           .of_counter = node.paths.size() >= kFewestCounted &&
                                         child.paths.size() == 1});
        which.push_back(i);
      }
    }
    const auto counters = MergeCounters(counted);
    for (std::size_t i = 0; i < which.size(); ++i) {
      if (!counters[i]) continue;
      const Child& child = children[which[i]];
      const StringId name = profile_.strings.Intern(*counters[i]);
      // A range that the program itself names `decode_*` is not merged.
      if (!names.contains(KeyOf(child.domain, name))) shown[which[i]] = name;
    }
    return shown;
  }

  static std::uint64_t KeyOf(StringId domain, StringId name) {
    return std::uint64_t{Index(domain)} << 32 | Index(name);
  }

  // The shown name by rules that use this name alone, so that every run agrees.
  std::optional<StringId> ByItsName(const Open& node, const Child& child) {
    if (!merging_.patterns().empty()) {
      std::vector<FrameName> path;
      for (const auto& [domain, name] : node.frames) {
        path.push_back(
            {.domain = profile_.Name(domain), .name = profile_.Name(name)});
      }
      path.push_back({.domain = profile_.Name(child.domain),
                      .name = profile_.Name(child.name)});
      for (const MergePattern& pattern : merging_.patterns()) {
        if (auto text = pattern.Shown(path))
          return profile_.strings.Intern(*text);
      }
    }
    if (!merging_.by_itself()) return std::nullopt;
    const auto known = framework_names_.find(KeyOf(child.domain, child.name));
    if (known != framework_names_.end()) return known->second;
    const auto text = WithoutOperands(profile_.Name(child.name));
    if (!text) return std::nullopt;
    return profile_.strings.Intern(*text);
  }

  const NameMerging& merging_;
  Profile& profile_;
  const GivenPaths paths_;
  std::unordered_map<std::uint64_t, StringId> framework_names_;
  KnownNames known_{};
  MergedNames::Node last_node_ = 0;
  bool any_ = false;
};

// A number after one of these words counts the iterations of a loop.
constexpr std::array<std::string_view, 9> kLoops = {
    "step",       "iter", "iteration", "epoch", "batch",
    "microbatch", "req",  "request",   "token"};

// A number after one of these words counts instances.
constexpr std::array<std::string_view, 26> kCounts = {
    "call", "cycle",     "decode",     "episode",  "eval",      "frame",
    "gen",  "generate",  "generation", "infer",    "inference", "invocation",
    "it",   "minibatch", "prefill",    "query",    "rollout",   "round",
    "run",  "substep",   "tick",       "timestep", "train",     "trial",
    "turn", "ubatch"};

// A number after one of these words is an index or a size.
constexpr std::array<std::string_view, 72> kIndices = {
    "attention", "attn",    "bf",      "bit",     "block",   "blk",
    "bn",        "bs",      "bucket",  "cell",    "channel", "conv",
    "core",      "cuda",    "decoder", "dense",   "depth",   "dev",
    "device",    "dim",     "dp",      "encoder", "expert",  "fc",
    "ffn",       "float",   "fp",      "gpu",     "group",   "head",
    "height",    "host",    "int",     "kernel",  "lane",    "layer",
    "len",       "length",  "level",   "linear",  "ln",      "lod",
    "mlp",       "module",  "node",    "norm",    "part",    "partition",
    "phase",     "pp",      "proc",    "process", "rank",    "scale",
    "seqlen",    "shard",   "size",    "slot",    "sm",      "stage",
    "stream",    "task",    "tf",      "thread",  "tp",      "uint",
    "unit",      "version", "width",   "worker",  "x",       "y"};

// Keys that PyTorch's emit_nvtx and other tools write behind an operator's
// name.
constexpr std::array<std::string_view, 12> kOperands = {
    "op_id",   "seq", "sizes",   "input_op_ids", "input_sizes", "shapes",
    "strides", "ptr", "address", "addr",         "pointer",     "data_ptr"};

bool IsUpper(char c) {
  return c >= 'A' && c <= 'Z';
}
// Bytes of other alphabets count as letters.
bool IsLetter(char c) {
  return IsAsciiLetter(c) || static_cast<unsigned char>(c) >= 0x80;
}
bool IsHex(char c) {
  return IsAsciiDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

std::size_t SkipBlanks(std::string_view text, std::size_t at) {
  while (at < text.size() && text[at] == ' ') ++at;
  return at;
}

// The end of the address at `at`; `at` without one.
std::size_t EndOfAddress(std::string_view text, std::size_t at) {
  constexpr std::size_t kFewestDigits = 4;
  if (!text.substr(at).starts_with("0x")) return at;
  std::size_t end = at + 2;
  while (end < text.size() && IsHex(text[end])) ++end;
  const bool whole = end == text.size() || !IsWordByte(text[end]);
  return whole && end - at - 2 >= kFewestDigits ? end : at;
}

// The end of the number, address or [list] at `at`; `at` if there is none. A
// list that the name's end cuts off ends there.
std::size_t EndOfValue(std::string_view text, std::size_t at) {
  if (at == text.size()) return at;
  if (text[at] == '[') {
    int depth = 0;
    for (std::size_t i = at; i < text.size(); ++i) {
      depth += text[i] == '[' ? 1 : text[i] == ']' ? -1 : 0;
      if (depth == 0) return i + 1;
    }
    return text.size();
  }
  if (const std::size_t end = EndOfAddress(text, at); end > at) return end;
  std::size_t end = text[at] == '-' ? at + 1 : at;
  const std::size_t digits = end;
  while (end < text.size() && IsAsciiDigit(text[end])) ++end;
  const bool whole = end == text.size() || !IsWordByte(text[end]);
  return whole && end > digits ? end : at;
}

// Begin and end of the value of the `key = value` at `at`; nothing without a
// key.
std::optional<std::pair<std::size_t, std::size_t>> ValueAt(
    std::string_view name, std::size_t at) {
  for (const std::string_view key : kOperands) {
    if (!name.substr(at).starts_with(key)) continue;
    const std::size_t sign = SkipBlanks(name, at + key.size());
    if (sign == name.size() || name[sign] != '=') continue;
    const std::size_t begin = SkipBlanks(name, sign + 1);
    const std::size_t end = EndOfValue(name, begin);
    if (end > begin) return std::pair(begin, end);
  }
  return std::nullopt;
}

// The last word of the letters that end at `end`: "Step" of "trainStep".
std::string WordBefore(std::string_view name, std::size_t end) {
  std::size_t begin = end;
  while (begin > 0 && IsLetter(name[begin - 1])) {
    --begin;
    if (IsUpper(name[begin]) && begin + 1 < end && !IsUpper(name[begin + 1]))
      break;
  }
  return AsciiLower(name.substr(begin, end - begin));
}

// A number is an index if no word is before it (items of a list, children of a
// module), or only a single letter (a dimension, a layer, a stream).
NumberMeaning MeaningOf(const std::string& word) {
  std::string_view one = word;
  if (one.size() > 3 && one.ends_with('s')) one.remove_suffix(1);
  if (Has(kLoops, word) || Has(kLoops, one)) return NumberMeaning::kLoop;
  if (Has(kCounts, word) || Has(kCounts, one)) return NumberMeaning::kCount;
  if (word.size() < 2 || Has(kIndices, word) || Has(kIndices, one))
    return NumberMeaning::kIndex;
  return NumberMeaning::kUnknown;
}

// Names that differ in their numbers only.
struct Alike {
  std::vector<std::size_t> members{};  // indices of siblings
  std::vector<std::vector<NameNumber>>
      numbers{};  // of each member, those that may count
};

class Counter {
 public:
  Counter(const Alike& alike, std::span<const SiblingName> siblings)
      : alike_(alike), siblings_(siblings) {
    for (std::size_t i = 0; i < alike.numbers[0].size(); ++i) {
      const bool varies = std::ranges::any_of(
          alike.numbers, [&](const std::vector<NameNumber>& numbers) {
            return numbers[i].value != alike.numbers[0][i].value;
          });
      if (varies) varying_.push_back(i);
    }
  }

  bool IsOne() const {
    if (varying_.empty()) return false;
    const auto means = [&](std::size_t i, NumberMeaning meaning) {
      return alike_.numbers[0][i].meaning == meaning;
    };
    // A few numbers that are not consecutive may be sizes.
    if (alike_.members.size() < kFewestCounted)
      return alike_.members.size() >= kFewestTurns &&
             std::ranges::all_of(varying_, [&](std::size_t i) {
               return means(i, NumberMeaning::kLoop) && IsEven(i, false);
             });
    const bool named = std::ranges::any_of(varying_, [&](std::size_t i) {
      return means(i, NumberMeaning::kLoop) || means(i, NumberMeaning::kCount);
    });
    // Inside the instances of one counter, numbers rise by the steps of that
    // counter.
    const bool inside = std::ranges::all_of(
        alike_.members, [&](std::size_t i) { return siblings_[i].of_counter; });
    const bool even = std::ranges::all_of(
        varying_, [&](std::size_t i) { return IsEven(i, named || inside); });
    return even && (named || (varying_.size() == 1 && CountsUpOnce()));
  }

  // The merged name.
  std::string Shown() const {
    const std::string_view name = siblings_[alike_.members[0]].name;
    std::string shown;
    std::size_t from = 0;
    for (const std::size_t i : varying_) {
      const NameNumber& number = alike_.numbers[0][i];
      shown.append(name.substr(from, number.begin - from)).append("*");
      from = number.end;
    }
    return shown.append(name.substr(from));
  }

 private:
  // Whether the values rise in equal steps with few gaps: 0, 1, 2; with `named`
  // also 30, 40, 50. Sizes, which double, do not.
  bool IsEven(std::size_t slot, bool named) const {
    std::set<std::uint64_t> values;
    for (const auto& numbers : alike_.numbers)
      values.insert(numbers[slot].value);
    if (values.size() < 2) return true;
    std::uint64_t step = 0;
    for (const std::uint64_t value : values)
      step = std::gcd(step, value - *values.begin());
    const std::uint64_t places = (*values.rbegin() - *values.begin()) / step;
    return (named || step == 1) && places < 2 * values.size();
  }

  // Whether each name ran once, in the order of the numbers.
  bool CountsUpOnce() const {
    const std::vector<std::size_t> order = NumbersBy(
        alike_.members.size(),
        [&](std::size_t i) { return siblings_[alike_.members[i]].since; });
    const std::size_t slot = varying_[0];
    for (std::size_t i = 0; i < order.size(); ++i) {
      if (siblings_[alike_.members[order[i]]].recurs) return false;
      if (i > 0 && alike_.numbers[order[i]][slot].value <=
                       alike_.numbers[order[i - 1]][slot].value)
        return false;
    }
    return true;
  }

  const Alike& alike_;
  std::span<const SiblingName> siblings_;
  std::vector<std::size_t> varying_;  // indices of the numbers that differ
};

}  // namespace

Result<NameMerging> NameMerging::Make(const MergeOptions& options) {
  NameMerging merging;
  merging.by_itself_ = options.by_itself;
  for (const std::string& text : options.patterns) {
    merging.patterns_.push_back(
        TRY(MergePattern::Parse(text).In("regions.merge.patterns")));
  }
  merging.frameworks_ =
      TRY(FrameworkNames::Make(options.frameworks, options.framework));
  return merging;
}

KnownNames MergeNames(const NameMerging& merging, Profile& profile) {
  profile.merged = {};
  if (!merging.by_itself() && merging.patterns().empty() &&
      merging.frameworks().empty())
    return {};
  return Merger(merging, profile).Run();
}

void MergeNamesAs(const Profile& known, Profile& profile) {
  profile.merged = {};
  const auto id = [&](StringId name) {
    return profile.strings.Intern(known.Name(name));
  };
  for (const auto& [key, step] : known.merged.steps()) {
    profile.merged.Add(
        {.parent = key.parent, .domain = id(key.domain), .name = id(key.name)},
        {.node = step.node, .shown = id(step.shown)});
  }
}

Result<MergePattern> MergePattern::Parse(std::string_view text) {
  MergePattern merge;
  if (text.starts_with(kRegexPrefix)) {
    merge.regex_ = TRY(CompileRegex(text.substr(kRegexPrefix.size()), text));
    return merge;
  }
  merge.glob_ = TRY(Pattern::Parse(text));
  const auto steps = merge.glob_->steps();
  if (steps.empty() || !steps.back()) {
    return Error(ErrorCode::kUsage,
                 fmt::format("the pattern '{}' does not end with a name",
                             Printable(text)));
  }
  for (const GlobPiece& piece : GlobPieces(steps.back()->name.text())) {
    if (piece.kind == GlobPiece::Kind::kText)
      merge.shown_ += piece.text;
    else if (!merge.shown_.ends_with('*'))
      merge.shown_ += '*';
  }
  return merge;
}

std::optional<std::string> MergePattern::Shown(
    std::span<const FrameName> path) const {
  if (regex_ != nullptr) return ShownByRegex(path.back().name);
  if (!glob_->Matches(path)) return std::nullopt;
  return shown_;
}

// Groups stay and the rest becomes `*`; without groups, the found text becomes
// `*`.
std::optional<std::string> MergePattern::ShownByRegex(
    std::string_view name) const {
  const std::string valid = ValidUtf8(name);
  const auto groups =
      static_cast<std::size_t>(regex_->NumberOfCapturingGroups());
  if (groups == 0) {
    std::string shown = valid;
    if (re2::RE2::GlobalReplace(&shown, *regex_, "*") == 0) return std::nullopt;
    return shown;
  }
  std::vector<re2::StringPiece> found(groups + 1);
  const re2::StringPiece whole(valid.data(), valid.size());
  if (!regex_->Match(whole, 0, valid.size(), re2::RE2::UNANCHORED, found.data(),
                     static_cast<int>(found.size())))
    return std::nullopt;
  std::string shown;
  const char* from = valid.data();
  for (const re2::StringPiece& group : std::span(found).subspan(1)) {
    // A group inside another stays with it.
    if (group.data() == nullptr || group.data() < from) continue;
    if (group.data() > from) shown += '*';
    shown.append(group.data(), group.size());
    from = group.data() + group.size();
  }
  if (from < valid.data() + valid.size()) shown += '*';
  return shown;
}

std::optional<std::string> WithoutOperands(std::string_view name) {
  std::string shown;
  bool any = false;
  for (std::size_t i = 0; i < name.size();) {
    const bool at_word = i == 0 || !IsWordByte(name[i - 1]);
    if (at_word) {
      if (const auto value = ValueAt(name, i)) {
        shown.append(name.substr(i, value->first - i)).append("*");
        i = value->second;
        any = true;
        continue;
      }
      if (const std::size_t end = EndOfAddress(name, i); end > i) {
        shown += '*';
        i = end;
        any = true;
        continue;
      }
    }
    shown += name[i++];
  }
  if (!any) return std::nullopt;
  return shown;
}

std::vector<NameNumber> NumbersIn(std::string_view name) {
  std::vector<NameNumber> numbers;
  auto meaning = NumberMeaning::kIndex;  // of a number before any word
  std::string word;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (IsLetter(name[i]) && (i + 1 == name.size() || !IsLetter(name[i + 1]))) {
      word = WordBefore(name, i + 1);
      meaning = MeaningOf(word);
    }
    if (!IsAsciiDigit(name[i])) continue;
    NameNumber number{.begin = i, .end = i, .meaning = meaning};
    while (number.end < name.size() && IsAsciiDigit(name[number.end]))
      ++number.end;
    const auto [end, error] = std::from_chars(
        name.data() + i, name.data() + number.end, number.value);
    i = number.end - 1;
    const bool in_word = number.end < name.size() && IsLetter(name[number.end]);
    if (error == std::errc() && !in_word) numbers.push_back(number);
  }
  return numbers;
}

std::vector<std::optional<std::string>> MergeCounters(
    std::span<const SiblingName> siblings) {
  std::vector<std::optional<std::string>> shown(siblings.size());
  std::map<std::pair<std::string_view, std::string>, Alike> groups;
  for (std::size_t i = 0; i < siblings.size(); ++i) {
    std::vector<NameNumber> numbers = NumbersIn(siblings[i].name);
    std::erase_if(numbers, [](const NameNumber& number) {
      return number.meaning == NumberMeaning::kIndex;
    });
    if (numbers.empty()) continue;
    std::string frame;
    std::size_t from = 0;
    for (const NameNumber& number : numbers) {
      frame.append(siblings[i].name.substr(from, number.begin - from));
      frame += '\0';
      from = number.end;
    }
    frame.append(siblings[i].name.substr(from));
    Alike& alike = groups[{siblings[i].domain, std::move(frame)}];
    alike.members.push_back(i);
    alike.numbers.push_back(std::move(numbers));
  }
  for (const auto& [frame, alike] : groups) {
    const Counter counter(alike, siblings);
    if (!counter.IsOne()) continue;
    for (const std::size_t i : alike.members) shown[i] = counter.Shown();
  }
  return shown;
}

}  // namespace rangefinder
