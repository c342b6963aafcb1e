// A server of the Model Context Protocol over two streams: JSON-RPC 2.0, one
// message per line. It knows no tools; src/mcp/run_tools.h has them.
//
// One thread. While a tool runs, the tool calls its ToolWatch some ten times a
// second, in which the server keeps reading: the server answers pings, takes
// cancellations and keeps other messages for later.
//
// https://modelcontextprotocol.io/specification

#pragma once

#include <functional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/error.h"

namespace rangefinder {

struct ToolArgument {
  enum class Kind {
    kText,
    kTexts,  // a list of texts
    kTextOrTexts,
    kWhole,  // a whole number, 0 or more
  };
  std::string name{};
  Kind kind = Kind::kText;
  bool required = false;
  std::string about{};
};

// False: the client no longer needs the tool's answer. `seconds`: duration of
// the work so far.
using ToolWatch = std::function<bool(double seconds)>;

struct McpTool {
  std::string name{};
  std::string title{};
  std::string about{};  // for the model, which selects a tool
  std::vector<ToolArgument> arguments{};
  bool runs_programs = false;  // false: the tool only reads
  // `arguments` has the required arguments, each of its kind, and no others. An
  // error becomes the tool's answer to the model.
  std::function<Result<std::string>(const nlohmann::json& arguments,
                                    const ToolWatch& watch)>
      run{};
};

struct McpOptions {
  std::string version{};       // of this program
  std::string instructions{};  // for the model, once
  std::vector<McpTool> tools{};
};

// Serves until `in` ends, an interrupt comes or `out` cannot be written.
// Requests from before the end are answered.
Status ServeMcp(const McpOptions& options, int in, std::ostream& out);

}  // namespace rangefinder
