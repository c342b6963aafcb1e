// The resolvers of interpolations that need nothing of the tree.

#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "config/node.h"
#include "config/resolve.h"

namespace rangefinder {

std::span<const std::string> ResolverNames();
bool IsResolver(std::string_view name);

// Are these as many arguments as the resolver takes?
Status CheckArguments(std::string_view name, const std::vector<Node>& values);

// oc.env, oc.create, now, python_version.
Result<Node> CallResolver(std::string_view name,
                          const std::vector<Node>& values,
                          const Surroundings& around);

}  // namespace rangefinder
