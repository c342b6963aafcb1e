#include <string>

#include <fmt/format.h>

#include "base/text.h"
#include "export/export.h"
#include "export/tree.h"

namespace rangefinder {
namespace {

// A frame ends at a semicolon, a stack at the last space of its line.
std::string FrameName(const ExportNode& node) {
  std::string text = Printable(node.name);
  for (char& c : text) {
    if (c == ';') c = ':';
  }
  return text.empty() ? "(no name)" : text;
}

void Write(const ExportNode& node, const std::string& stack,
           std::ostream& out) {
  if (node.gpu_ns > 0) out << fmt::format("{} {}\n", stack, node.gpu_ns);
  for (const ExportNode& child : node.children) {
    Write(child,
          stack.empty() ? FrameName(child) : stack + ";" + FrameName(child),
          out);
  }
}

}  // namespace

void WriteFolded(const Profile& profile, const RegionTree& tree,
                 std::ostream& out) {
  Write(BuildExportTree(profile, tree), "", out);
}

}  // namespace rangefinder
