#include "region/merge_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <numeric>
#include <set>
#include <utility>

namespace rangefinder {
namespace {

// A number after one of these says which time it is.
constexpr std::array<std::string_view, 33> kCounts = {
    "call",       "cycle", "decode",   "episode",    "epoch",      "eval",
    "frame",      "gen",   "generate", "generation", "infer",      "inference",
    "invocation", "it",    "iter",     "iteration",  "microbatch", "minibatch",
    "prefill",    "query", "req",      "request",    "rollout",    "round",
    "run",        "step",  "substep",  "tick",       "timestep",   "train",
    "trial",      "turn",  "ubatch"};

// A number after one of these says which thing it is, or how large.
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

// What PyTorch's emit_nvtx and others put behind the name of an operator.
constexpr std::array<std::string_view, 12> kOperands = {
    "op_id",   "seq", "sizes",   "input_op_ids", "input_sizes", "shapes",
    "strides", "ptr", "address", "addr",         "pointer",     "data_ptr"};

bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}
bool IsUpper(char c) {
  return c >= 'A' && c <= 'Z';
}
bool IsLower(char c) {
  return c >= 'a' && c <= 'z';
}
// Bytes of other alphabets are letters, too.
bool IsLetter(char c) {
  return IsUpper(c) || IsLower(c) || static_cast<unsigned char>(c) >= 0x80;
}
bool IsWord(char c) {
  return IsLetter(c) || IsDigit(c) || c == '_';
}
bool IsHex(char c) {
  return IsDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

std::size_t SkipBlanks(std::string_view text, std::size_t at) {
  while (at < text.size() && text[at] == ' ') ++at;
  return at;
}

// The end of the address at `at`; `at` where there is none.
std::size_t EndOfAddress(std::string_view text, std::size_t at) {
  constexpr std::size_t kFewestDigits = 4;
  if (!text.substr(at).starts_with("0x")) return at;
  std::size_t end = at + 2;
  while (end < text.size() && IsHex(text[end])) ++end;
  const bool whole = end == text.size() || !IsWord(text[end]);
  return whole && end - at - 2 >= kFewestDigits ? end : at;
}

// The end of a number, an address or a [list] at `at`; `at` where there is
// none. A list that is cut off ends with the name.
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
  while (end < text.size() && IsDigit(text[end])) ++end;
  const bool whole = end == text.size() || !IsWord(text[end]);
  return whole && end > digits ? end : at;
}

// Where the value of `key = value` at `at` is; nothing where no key is there.
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

template <std::size_t n>
bool IsOneOf(const std::array<std::string_view, n>& words,
             std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

// The last word of the letters that end at `end`: "Step" of "trainStep".
std::string WordBefore(std::string_view name, std::size_t end) {
  std::size_t begin = end;
  while (begin > 0 && IsLetter(name[begin - 1])) {
    --begin;
    if (IsUpper(name[begin]) && begin + 1 < end && !IsUpper(name[begin + 1]))
      break;
  }
  std::string word(name.substr(begin, end - begin));
  for (char& c : word) {
    if (IsUpper(c)) c = static_cast<char>(c - 'A' + 'a');
  }
  return word;
}

// A single letter names a dimension, a layer or a stream more often than a
// time; no word at all (a list's items, a module's children) says nothing.
NumberMeaning MeaningOf(const std::string& word) {
  std::string_view one = word;
  if (one.size() > 3 && one.ends_with('s')) one.remove_suffix(1);
  if (IsOneOf(kCounts, word) || IsOneOf(kCounts, one))
    return NumberMeaning::kCount;
  if (word.size() < 2 || IsOneOf(kIndices, word) || IsOneOf(kIndices, one))
    return NumberMeaning::kIndex;
  return NumberMeaning::kUnknown;
}

// Names that are equal but for their numbers.
struct Alike {
  std::vector<std::size_t> members{};              // into the siblings
  std::vector<std::vector<NameNumber>> numbers{};  // of each, that may merge
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
    if (alike_.members.size() < kFewestCounted || varying_.empty())
      return false;
    const bool named = std::ranges::any_of(varying_, [&](std::size_t i) {
      return alike_.numbers[0][i].meaning == NumberMeaning::kCount;
    });
    // What is counted outside is counted inside by the same steps.
    const bool inside = std::ranges::all_of(
        alike_.members, [&](std::size_t i) { return siblings_[i].of_counter; });
    const bool even = std::ranges::all_of(
        varying_, [&](std::size_t i) { return IsEven(i, named || inside); });
    return even && (named || (varying_.size() == 1 && CountsUpOnce()));
  }

  // What all of them are shown as.
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
  // Whether the values go up in equal steps, with few left out: 0, 1, 2; of a
  // counter by name also 30, 40, 50. Sizes double.
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

  // Each ran once, in the order of the numbers.
  bool CountsUpOnce() const {
    std::vector<std::size_t> order(alike_.members.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t i) {
      return siblings_[alike_.members[i]].since;
    });
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
  std::vector<std::size_t> varying_;  // into the numbers of each
};

}  // namespace

std::optional<std::string> WithoutOperands(std::string_view name) {
  std::string shown;
  bool any = false;
  for (std::size_t i = 0; i < name.size();) {
    const bool at_word = i == 0 || !IsWord(name[i - 1]);
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
    if (!IsDigit(name[i])) continue;
    NameNumber number{.begin = i, .end = i, .meaning = meaning};
    while (number.end < name.size() && IsDigit(name[number.end])) ++number.end;
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
