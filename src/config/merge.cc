#include "config/merge.h"

#include <fmt/format.h>

#include "base/text.h"
#include "config/scalar.h"

namespace rangefinder {
namespace {

using Chain = std::vector<const Node*>;

class Merger {
 public:
  Merger(Node& root, bool closed, const Surroundings& surroundings)
      : root_(root), closed_(closed), around_(surroundings) {}

  // `chain`: from the root to `dest`, both included.
  std::optional<MergeFailure> Maps(Node& dest, const Node& over, Chain chain,
                                   const std::string& path) {
    for (const Entry& entry : over.entries) {
      const std::string name = PathBelow(path, entry.key);
      Node* old = nullptr;
      for (Entry& candidate : dest.entries) {
        if (Identical(candidate.key, entry.key)) old = &candidate.value;
      }
      if (old == nullptr) {
        if (closed_) return MergeFailure{.unknown_key = name};
        dest.entries.push_back(entry);
        continue;
      }
      chain.push_back(old);
      auto failure = Value(*old, entry.value, chain, name);
      chain.pop_back();
      if (failure) return failure;
    }
    return std::nullopt;
  }

  std::optional<MergeFailure> Value(Node& old, const Node& over,
                                    const Chain& chain,
                                    const std::string& name) {
    if (old.is_interpolation()) {
      // A reference to a container becomes a copy of the container's current
      // content.
      Resolver resolver(root_, &root_, around_);
      auto target = resolver.Target(chain);
      if (target && target->is_container()) old = *std::move(target);
    }
    if (over.is_missing()) return std::nullopt;
    if (old.is_container() && over.is_container() && old.kind != over.kind) {
      return MergeFailure{
          .message = fmt::format("a {} cannot be merged into the {} '{}' (from "
                                 "{})",
                                 over.is_map() ? "map" : "list",
                                 old.is_map() ? "map" : "list", name,
                                 Describe(old.place)),
          .place = over.place};
    }
    if (old.is_map() && over.is_map()) {
      auto failure = Maps(old, over, chain, name);
      if (!failure && !over.entries.empty()) old.place = over.place;
      return failure;
    }
    old = over;
    return std::nullopt;
  }

 private:
  Node& root_;
  bool closed_;
  const Surroundings& around_;
};

// The child of `node` under the key or index `part`; null without one.
Node* Child(Node& node, const std::string& part) {
  if (!node.is_list()) return node.Find(part);
  const auto index = ListIndex(part);
  if (!index) return nullptr;
  const auto size = static_cast<std::int64_t>(node.items.size());
  const std::int64_t at = *index < 0 ? *index + size : *index;
  if (at < 0 || at >= size) return nullptr;
  return &node.items[static_cast<std::size_t>(at)];
}

}  // namespace

std::optional<MergeFailure> MergeTree(Node& root, const Node& over,
                                      const Surroundings& surroundings) {
  return Merger(root, false, surroundings).Maps(root, over, {&root}, "");
}

std::optional<MergeFailure> UpdatePath(Node& root, std::string_view path,
                                       const Node& value, bool add,
                                       const Surroundings& surroundings) {
  const std::vector<std::string> parts = Split(path, '.');
  Node* node = &root;
  Chain chain = {&root};
  std::string name;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const bool last = i + 1 == parts.size();
    name += (i > 0 ? "." : "") + parts[i];
    Node* child = Child(*node, parts[i]);
    if (child == nullptr) {
      if (node->is_list()) {
        return MergeFailure{
            .message = fmt::format("list index out of range: '{}' (the list "
                                   "has {} items)",
                                   path, node->items.size())};
      }
      if (!add) return MergeFailure{.unknown_key = name};
      child = &node->Set(Node::String(parts[i], value.place), Node{});
    }
    chain.push_back(child);
    if (last) {
      node = child;
      break;
    }
    if (child->is_missing() && !add) {
      return MergeFailure{.message =
                              fmt::format("Missing mandatory value: {}", name)};
    }
    if (!child->is_container()) *child = Node::Map(value.place);
    node = child;
  }
  if (value.is_container() && node->is_container()) {
    Merger merger(root, !add, surroundings);
    return merger.Value(*node, value, chain, name);
  }
  *node = value;
  return std::nullopt;
}

void MountAt(Node& root, std::string_view path, Node value) {
  Node* node = &root;
  const std::vector<std::string> parts = Split(path, '.');
  for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
    Node* child = node->Find(parts[i]);
    if (child == nullptr || !child->is_map())
      child = &node->Set(parts[i], Node::Map(value.place));
    node = child;
  }
  node->Set(parts.back(), std::move(value));
}

}  // namespace rangefinder
