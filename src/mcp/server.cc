#include "mcp/server.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdint>
#include <deque>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <poll.h>
#include <unistd.h>

#include "base/interrupt.h"
#include "base/json_members.h"
#include "base/text.h"

namespace rangefinder {
namespace {

using Json = nlohmann::json;

// Clients are untrusted: neither memory nor the stack may be exhausted.
constexpr std::size_t kLongestLine = std::size_t{1} << 20;
constexpr int kDeepestMessage = 32;
constexpr std::size_t kMostWaiting = 64;  // messages, also of a batch

// The newest first; a client that requests an unknown version is offered the
// newest.
constexpr std::array<std::string_view, 4> kVersions = {
    "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"};

// https://www.jsonrpc.org/specification#error_object
enum class RpcError {
  kParse = -32700,
  kInvalidRequest = -32600,
  kNoMethod = -32601,
  kInvalidParams = -32602,
  kBusy = -32000,
};

Json Failure(const Json& id, RpcError code, std::string_view text) {
  return {{"jsonrpc", "2.0"},
          {"id", id},
          {"error",
           {{"code", static_cast<int>(code)}, {"message", Printable(text)}}}};
}

Json Success(const Json& id, Json result) {
  return {{"jsonrpc", "2.0"}, {"id", id}, {"result", std::move(result)}};
}

bool IsId(const Json& id) {
  return id.is_string() || id.is_number_integer();
}

bool IsMethod(const Json& message, std::string_view method) {
  const Json& name = At(message, "method");
  return name.is_string() && name.get_ref<const std::string&>() == method;
}

// ---- Lines ------------------------------------------------------------------

struct ReadLine {
  std::string text{};
  bool too_long = false;  // its text is dropped
};

class LineReader {
 public:
  explicit LineReader(int in) : in_(in) {}

  bool ended() const { return ended_; }

  // Waits for input; returns the complete lines.
  std::deque<ReadLine> Read(int wait_ms) {
    std::deque<ReadLine> lines;
    pollfd file{in_, POLLIN, 0};
    if (ended_ || ::poll(&file, 1, wait_ms) <= 0) return lines;
    std::array<char, 1 << 16> buffer;
    const ssize_t n = ::read(in_, buffer.data(), buffer.size());
    if (n < 0 && (errno == EINTR || errno == EAGAIN)) return lines;
    ended_ = n <= 0;
    if (ended_) {
      if (!line_.text.empty() || line_.too_long) Take(lines);
      return lines;
    }
    std::string_view rest(buffer.data(), static_cast<std::size_t>(n));
    while (!rest.empty()) {
      const std::size_t end = rest.find('\n');
      Add(rest.substr(0, end));
      if (end == std::string_view::npos) break;
      Take(lines);
      rest.remove_prefix(end + 1);
    }
    return lines;
  }

 private:
  void Add(std::string_view more) {
    if (line_.text.size() + more.size() > kLongestLine) line_.too_long = true;
    if (line_.too_long)
      line_.text.clear();
    else
      line_.text += more;
  }

  void Take(std::deque<ReadLine>& lines) {
    lines.push_back(std::exchange(line_, {}));
  }

  int in_;
  bool ended_ = false;
  ReadLine line_{};
};

// Nothing if the text is no JSON, or deeper than any message.
std::optional<Json> Parse(const std::string& text) {
  bool deep = false;
  const auto shallow = [&](int depth, Json::parse_event_t, Json&) {
    deep = deep || depth > kDeepestMessage;
    return !deep;
  };
  Json parsed = Json::parse(text, shallow, false);
  if (deep || parsed.is_discarded()) return std::nullopt;
  return parsed;
}

// ---- Arguments of tools -----------------------------------------------------

bool IsOfKind(const Json& value, ToolArgument::Kind kind) {
  using enum ToolArgument::Kind;
  if (kind == kWhole) return value.is_number_unsigned();
  if (value.is_string()) return kind != kTexts;
  return kind != kText && value.is_array() &&
         std::ranges::all_of(value,
                             [](const Json& one) { return one.is_string(); });
}

Json SchemaOf(const ToolArgument& argument) {
  const Json text = {{"type", "string"}};
  const Json texts = {{"type", "array"}, {"items", text}};
  const std::array<Json, 4> of_kinds = {
      text, texts, Json::object({{"anyOf", Json::array({text, texts})}}),
      Json::object({{"type", "integer"}, {"minimum", 0}})};
  Json schema = of_kinds[static_cast<std::size_t>(argument.kind)];
  schema["description"] = argument.about;
  return schema;
}

Json DescriptionOf(const McpTool& tool) {
  Json properties = Json::object();
  Json required = Json::array();
  for (const ToolArgument& argument : tool.arguments) {
    properties[argument.name] = SchemaOf(argument);
    if (argument.required) required.push_back(argument.name);
  }
  return {{"name", tool.name},
          {"title", tool.title},
          {"description", tool.about},
          {"inputSchema",
           {{"type", "object"},
            {"properties", std::move(properties)},
            {"required", std::move(required)},
            {"additionalProperties", false}}},
          {"annotations",
           {{"title", tool.title},
            {"readOnlyHint", !tool.runs_programs},
            {"destructiveHint", tool.runs_programs},
            {"openWorldHint", tool.runs_programs}}}};
}

// The fault of the arguments; nothing if they are valid.
std::optional<std::string> FaultOf(const McpTool& tool, const Json& arguments) {
  if (!arguments.is_object()) return "arguments: expected an object";
  for (const auto& given : arguments.items()) {
    const auto known =
        std::ranges::find(tool.arguments, given.key(), &ToolArgument::name);
    if (known == tool.arguments.end())
      return fmt::format("{} has no argument '{}'", tool.name,
                         Ellipsize(given.key(), 100));
    if (!IsOfKind(given.value(), known->kind))
      return fmt::format("{}: expected {}", given.key(),
                         SchemaOf(*known).dump());
  }
  for (const ToolArgument& argument : tool.arguments) {
    if (argument.required && !arguments.contains(argument.name))
      return fmt::format("{} needs the argument '{}'", tool.name,
                         argument.name);
  }
  return std::nullopt;
}

// ---- The server -------------------------------------------------------------

class McpServer {
 public:
  McpServer(const McpOptions& options, int in, std::ostream& out)
      : options_(options), lines_(in), out_(out) {}

  Status Serve() {
    while (out_ && !interrupted_) {
      if (waiting_.empty()) {
        if (lines_.ended()) break;
        Receive(-1);
        continue;
      }
      const Json message = std::move(waiting_.front());
      waiting_.pop_front();
      if (const auto answer = AnswerAll(message)) Send(*answer);
    }
    return Ok();
  }

 private:
  void Send(const Json& message) {
    // Names that are not UTF-8 must not end the server.
    out_ << message.dump(-1, ' ', false, Json::error_handler_t::replace)
         << '\n';
    out_.flush();
  }

  // Handles the messages received: pings and cancellations at once, the others
  // in their order.
  void Receive(int wait_ms) {
    for (const ReadLine& line : lines_.Read(wait_ms)) {
      if (line.too_long) {
        Send(Failure(
            nullptr, RpcError::kInvalidRequest,
            fmt::format("a message has more than {} MiB", kLongestLine >> 20)));
        continue;
      }
      if (Trim(line.text).empty()) continue;
      std::optional<Json> message = Parse(line.text);
      if (!message)
        Send(Failure(nullptr, RpcError::kParse,
                     fmt::format("a line is no JSON in UTF-8, or nested deeper "
                                 "than {} levels",
                                 kDeepestMessage)));
      else
        Take(*std::move(message));
    }
  }

  void Take(Json message) {
    if (IsMethod(message, "notifications/cancelled")) {
      Cancel(At(At(message, "params"), "requestId"));
    } else if (IsMethod(message, "ping")) {
      if (const auto answer = Answer(message)) Send(*answer);
    } else if (waiting_.size() >= kMostWaiting) {
      const Json& id = At(message, "id");
      Send(Failure(IsId(id) ? id : Json(), RpcError::kBusy,
                   "too many requests wait"));
    } else {
      waiting_.push_back(std::move(message));
    }
  }

  // A cancelled request gets no answer.
  void Cancel(const Json& id) {
    if (!IsId(id)) return;
    cancelled_ = cancelled_ || running_ == id;
    std::erase_if(waiting_,
                  [&](const Json& one) { return At(one, "id") == id; });
  }

  // The answer to a line, which may be a batch.
  std::optional<Json> AnswerAll(const Json& line) {
    if (!line.is_array()) return Answer(line);
    if (line.empty() || line.size() > kMostWaiting)
      return Failure(nullptr, RpcError::kInvalidRequest,
                     fmt::format("a batch has 1 to {} messages", kMostWaiting));
    Json answers = Json::array();
    for (const Json& message : line) {
      if (auto answer = Answer(message)) answers.push_back(*std::move(answer));
    }
    if (answers.empty()) return std::nullopt;
    return answers;
  }

  std::optional<Json> Answer(const Json& message) {
    const Json& id = At(message, "id");
    const Json& method = At(message, "method");
    const Json& version = At(message, "jsonrpc");
    const bool is_request = message.is_object() && message.contains("id");
    if (!message.is_object() || version != "2.0" || (is_request && !IsId(id)))
      return Failure(IsId(id) ? id : Json(), RpcError::kInvalidRequest,
                     "a message is an object with jsonrpc \"2.0\", a method "
                     "and, of a request, an id: a text or a whole number");
    if (!method.is_string()) {
      // An answer, although this server sends no requests.
      if (message.contains("result") || message.contains("error"))
        return std::nullopt;
      return Failure(id, RpcError::kInvalidRequest, "method: expected a text");
    }
    if (!is_request) return std::nullopt;  // notifications need no answer
    return AnswerTo(method.get_ref<const std::string&>(), id,
                    At(message, "params"));
  }

  std::optional<Json> AnswerTo(const std::string& method, const Json& id,
                               const Json& params) {
    if (!params.is_null() && !params.is_object())
      return Failure(id, RpcError::kInvalidParams,
                     "params: expected an object");
    if (method == "ping") return Success(id, Json::object());
    if (method == "initialize") return Initialize(id, params);
    if (method != "tools/list" && method != "tools/call")
      return Failure(id, RpcError::kNoMethod,
                     "no such method: " + Ellipsize(method, 100));
    if (!initialized_)
      return Failure(id, RpcError::kInvalidRequest, "initialize comes first");
    if (method == "tools/call") return CallTool(id, params);
    Json tools = Json::array();
    for (const McpTool& tool : options_.tools)
      tools.push_back(DescriptionOf(tool));
    return Success(id, {{"tools", std::move(tools)}});
  }

  Json Initialize(const Json& id, const Json& params) {
    const Json& asked = At(params, "protocolVersion");
    if (!asked.is_string())
      return Failure(id, RpcError::kInvalidParams,
                     "protocolVersion: expected a text");
    const auto known =
        std::ranges::find(kVersions, asked.get_ref<const std::string&>());
    initialized_ = true;
    return Success(id,
                   {{"protocolVersion",
                     known == kVersions.end() ? kVersions.front() : *known},
                    {"capabilities", {{"tools", Json::object()}}},
                    {"serverInfo",
                     {{"name", "rangefinder"}, {"version", options_.version}}},
                    {"instructions", options_.instructions}});
  }

  std::optional<Json> CallTool(const Json& id, const Json& params) {
    const Json& name = At(params, "name");
    const auto tool =
        name.is_string() ? std::ranges::find(options_.tools,
                                             name.get_ref<const std::string&>(),
                                             &McpTool::name)
                         : options_.tools.end();
    if (tool == options_.tools.end())
      return Failure(id, RpcError::kInvalidParams,
                     "no such tool; tools/list has all");
    const Json arguments =
        params.contains("arguments") ? params["arguments"] : Json::object();
    if (const auto fault = FaultOf(*tool, arguments))
      return Failure(id, RpcError::kInvalidParams, *fault);
    running_ = id;
    cancelled_ = false;
    const Result<std::string> result =
        tool->run(arguments, WatchOf(*tool, params));
    running_ = nullptr;
    interrupted_ = !result.ok() &&
                   result.error().code() == ErrorCode::kInterrupted &&
                   !cancelled_ && !lines_.ended();
    if (cancelled_) return std::nullopt;
    return Success(
        id,
        {{"content",
          Json::array({{{"type", "text"},
                        {"text", result.ok() ? result.value()
                                             : result.error().message()}}})},
         {"isError", !result.ok()}});
  }

  // Keeps reading, and reports the progress once a second.
  ToolWatch WatchOf(const McpTool& tool, const Json& params) {
    const Json& token = At(At(params, "_meta"), "progressToken");
    return [this, &tool, token, told = 0.0](double seconds) mutable {
      Receive(0);
      if (IsId(token) && seconds >= told + 1) {
        told = std::floor(seconds);
        Send({{"jsonrpc", "2.0"},
              {"method", "notifications/progress"},
              {"params",
               {{"progressToken", token},
                {"progress", told},
                {"message", fmt::format("{}: {:.0f} s", tool.name, told)}}}});
      }
      // If the client has left, no program may stay behind.
      return out_ && !cancelled_ && !(tool.runs_programs && lines_.ended());
    };
  }

  const McpOptions& options_;
  LineReader lines_;
  std::ostream& out_;
  std::deque<Json> waiting_{};
  Json running_{};  // the id of the call that runs; null: none
  bool initialized_ = false;
  bool cancelled_ = false;    // the call that runs
  bool interrupted_ = false;  // this process
};

}  // namespace

Status ServeMcp(const McpOptions& options, int in, std::ostream& out) {
  return McpServer(options, in, out).Serve();
}

}  // namespace rangefinder
