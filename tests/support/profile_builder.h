// Profiles drawn as text, for tests of the modules behind the readers.
//
//   kernel saxpy                                   launched outside all ranges
//   kernel stencil @ A/A::A1                       inside A, inside A::A1
//   kernel saxpy @ LLM@prefill/attn                a stack of the domain LLM
//   kernel saxpy @ start S1; start LLM@S2          start/end ranges
//   kernel saxpy @ A; LLM@p                        several stacks, as opened
//   kernel saxpy thread=7 pid=2 device=1 ns=1500 @ A
//   kernel saxpy dram__bytes.sum=64 exe=/bin/app @ A       metrics; a program
//   kernel saxpy grid=4 block=64 @ A                       4,1,1 and 64,1,1
//   graph @ A                                      a CUDA graph measured as one
//   kernel saxpy @ A; thread 8: T1/T2              what another thread has open
//   range @ A                                      measured as a whole
//
// A backslash takes the next character of a name as it is, and \x1b is a byte.
// A range's order is its place in the line, unless it is given: A#5/B#7. Blank
// lines and lines that begin with # are skipped.

#pragma once

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "profile/profile.h"

namespace rangefinder::testing {

class ProfileBuilder {
 public:
  static Profile Build(std::string_view text) {
    ProfileBuilder builder;
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      builder.AddLine(text.substr(0, end));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    return std::move(builder.profile_);
  }

 private:
  // The text of a name with escapes resolved, and the order given after #.
  struct Name {
    std::string text{};
    std::uint64_t order = 0;
  };

  static std::string_view Trim(std::string_view text) {
    while (text.starts_with(' ')) text.remove_prefix(1);
    while (text.ends_with(' ') && !text.ends_with("\\ ")) text.remove_suffix(1);
    return text;
  }

  // Cuts `text` at each unescaped separator.
  static std::vector<std::string_view> Cut(std::string_view text, char at) {
    std::vector<std::string_view> parts;
    std::size_t begin = 0;
    for (std::size_t i = 0; i <= text.size(); ++i) {
      if (i < text.size() && text[i] == '\\') {
        ++i;
      } else if (i == text.size() || text[i] == at) {
        parts.push_back(text.substr(begin, i - begin));
        begin = i + 1;
      }
    }
    return parts;
  }

  static std::uint64_t Number(std::string_view text) {
    std::uint64_t number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
  }

  Name ParseName(std::string_view text) {
    Name name;
    const auto parts = Cut(text, '#');
    name.order = parts.size() > 1 ? Number(parts[1]) : ++order_;
    name.text = Unescape(parts[0]);
    return name;
  }

  static std::string Unescape(std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] != '\\' || i + 1 == text.size()) {
        out += text[i];
        continue;
      }
      ++i;
      unsigned byte = 0;
      const char* const digits = text.data() + i + 1;
      if (text[i] == 'x' && i + 2 < text.size() &&
          std::from_chars(digits, digits + 2, byte, 16).ptr == digits + 2) {
        out += static_cast<char>(byte);
        i += 2;
      } else {
        out += text[i];
      }
    }
    return out;
  }

  NvtxRange ParseRange(std::string_view text) {
    const Name name = ParseName(text);
    return {.name = profile_.strings.Intern(name.text),
            .order = name.order,
            .id = ++range_id_};
  }

  // Cuts the domain before an unescaped @ off `text` and returns its index.
  std::uint32_t TakeDomain(NvtxState& state, std::string_view& text) {
    const auto parts = Cut(text, '@');
    StringId name{};
    if (parts.size() > 1) {
      name = profile_.strings.Intern(Unescape(parts[0]));
      text.remove_prefix(parts[0].size() + 1);
    }
    for (std::uint32_t i = 0; i < state.domains.size(); ++i) {
      if (state.domains[i].name == name) return i;
    }
    state.domains.push_back(
        {.id = name == StringId{} ? 0 : state.domains.size() + 1,
         .name = name});
    return static_cast<std::uint32_t>(state.domains.size() - 1);
  }

  NvtxState ParseState(std::string_view text, std::uint64_t own_thread) {
    NvtxState state;
    order_ = 0;
    for (std::string_view part : Cut(text, ';')) {
      part = Trim(part);
      std::uint64_t thread = own_thread;
      if (part.starts_with("thread ")) {
        part.remove_prefix(7);
        thread = Number(part);
        part = Trim(part.substr(part.find(':') + 1));
      }
      const bool start_end = part.starts_with("start ");
      if (start_end) part.remove_prefix(6);
      const std::uint32_t domain = TakeDomain(state, part);
      if (start_end) {
        state.start_end.push_back(
            {.domain = domain, .thread = thread, .range = ParseRange(part)});
        continue;
      }
      NvtxStack stack{.domain = domain, .thread = thread};
      for (const std::string_view name : Cut(part, '/'))
        stack.ranges.push_back(ParseRange(name));
      state.stacks.push_back(std::move(stack));
    }
    return state;
  }

  void AddLine(std::string_view line) {
    line = Trim(line);
    if (line.empty() || line.starts_with('#')) return;
    const std::size_t at = line.find(" @ ");
    Measurement m;
    m.thread = 1;
    m.device = 0;
    m.api_call = profile_.measurements.size() + 1;
    m.first_sample = profile_.samples.size();
    std::uint64_t pid = 1;
    std::string program;
    for (const std::string_view word : Cut(line.substr(0, at), ' ')) {
      const std::size_t equals = word.find('=');
      const std::string_view key = word.substr(0, equals);
      if (word == "range") {
        m.kind = MeasurementKind::kRange;
      } else if (word == "graph") {
        m.kind = MeasurementKind::kGraph;
      } else if (equals != word.npos && key.find("__") != word.npos) {
        AddSample(m, key, word.substr(equals + 1));
      } else if (key == "exe") {
        program = Unescape(word.substr(equals + 1));
      } else if (key == "grid") {
        m.grid = {Number(word.substr(equals + 1)), 1, 1};
      } else if (key == "block") {
        m.block = {Number(word.substr(equals + 1)), 1, 1};
      } else if (key == "thread") {
        m.thread = Number(word.substr(equals + 1));
      } else if (key == "pid") {
        pid = Number(word.substr(equals + 1));
      } else if (key == "device") {
        m.device = static_cast<std::int32_t>(Number(word.substr(equals + 1)));
      } else if (key == "ns") {
        m.start_ns = 1;
        m.end_ns = 1 + Number(word.substr(equals + 1));
      } else if (word != "kernel" && !word.empty()) {
        m.demangled_name = profile_.strings.Intern(Unescape(word));
        m.function_name = m.demangled_name;
      }
    }
    m.process = FindOrAddProcess(pid);
    if (!program.empty()) {
      profile_.processes[Index(m.process)].name =
          profile_.strings.Intern(program);
    }
    if (at != std::string_view::npos) {
      profile_.nvtx_states.push_back(ParseState(line.substr(at + 3), m.thread));
      m.nvtx = static_cast<NvtxStateId>(profile_.nvtx_states.size() - 1);
    }
    profile_.measurements.push_back(std::move(m));
  }

  void AddSample(Measurement& m, std::string_view name,
                 std::string_view number) {
    const Value value =
        Value::Number(std::strtod(std::string(number).c_str(), nullptr));
    profile_.samples.push_back({.metric = profile_.InternMetric(name),
                                .kind = value.kind,
                                .bits = value.bits});
    ++m.sample_count;
  }

  ProcessId FindOrAddProcess(std::uint64_t pid) {
    for (std::size_t i = 0; i < profile_.processes.size(); ++i) {
      if (profile_.processes[i].pid == pid) return static_cast<ProcessId>(i);
    }
    profile_.processes.push_back({.pid = pid});
    return static_cast<ProcessId>(profile_.processes.size() - 1);
  }

  Profile profile_;
  std::uint64_t order_ = 0;
  std::uint64_t range_id_ = 0;
};

inline Profile BuildProfile(std::string_view text) {
  return ProfileBuilder::Build(text);
}

// The 28 kernels of the recorded program tests/fixtures/nested_basic.ncu-rep.
inline constexpr std::string_view kNestedProgram = R"(
kernel saxpy
kernel saxpy
kernel saxpy @ A
kernel saxpy @ A
kernel stencil @ A/A::A1
kernel stencil @ A/A::A1
kernel stencil @ A/A::A1
kernel burn @ A
kernel stencil
kernel burn @ B
kernel burn @ B
kernel saxpy @ LLM@prefill
kernel stencil @ LLM@prefill/attn
kernel stencil @ LLM@prefill/attn
kernel saxpy @ LLM@decode_0
kernel burn @ LLM@decode_0
kernel saxpy @ LLM@decode_1
kernel burn @ LLM@decode_1
kernel saxpy @ LLM@decode_2
kernel burn @ LLM@decode_2
kernel saxpy @ start S1
kernel stencil @ start S1; start S2
kernel burn @ start S2
kernel saxpy thread=829 @ T0; thread 830: T1
kernel saxpy thread=830 @ T1
kernel saxpy thread=830 @ T1
kernel saxpy @ weird\/na me,[x]\@y*
kernel burn
)";

// The contexts of tests/gpu/nvtx_contexts.cu, kernel for kernel.
inline constexpr std::string_view kContextsProgram = R"(
kernel probe
kernel probe @ a
kernel probe @ a/b
kernel probe @ a/b/c
kernel probe @ a/x/b
kernel probe @ a/x/y/b
kernel probe @ b
kernel probe @ b/a
kernel probe @ a/a
kernel probe @ a/b/a
kernel probe @ a/b/c/d
kernel probe @ L@p
kernel probe @ L@p/q
kernel probe @ L@p/x/q
kernel probe @ a#1/b#3; L@p#2
kernel probe @ L@p#1; a#2
kernel probe @ start S
kernel probe @ start S; a
kernel probe @ start S; start T
kernel probe @ start L@S
kernel probe @ start L@S; start T
kernel probe @ start a
kernel probe @ a\/b
kernel probe @ x\@y
kernel probe @ x,y
kernel probe @ [x]
kernel probe @ x*
kernel probe @ x+
kernel probe @ x\\y
kernel probe @ regex:x
kernel probe @ \ x
kernel probe @ x\ #1
kernel probe @ A
kernel probe @ start x,y
kernel probe @ start u\/v
kernel probe @ start *
kernel probe @ *
kernel probe @ +
kernel probe @ ab
kernel probe @ xab/z$
kernel probe @ naïve
kernel probe thread=2 @ thread 1: m
kernel probe thread=3 @ thread 1: m; w
kernel probe @ a@r
kernel probe @ x\@y@r
kernel probe @ d/e@r
kernel probe @ LL@p
kernel probe @ L.x[1]@r
kernel probe @ L@reg
kernel probe @ x/a/b
kernel probe @ b/b
kernel probe @ start S1
kernel probe @ start S; start S
kernel probe @ start [S
kernel probe @ r0/r1
)";

}  // namespace rangefinder::testing
