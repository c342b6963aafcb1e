// The files of the repository that are made of the settings table. The tests
// hold the files to it, and write them with RANGEFINDER_REGENERATE=1.

#pragma once

#include <string>

#include "base/error.h"
#include "capture/ncu_options.h"
#include "config/node.h"

namespace rangefinder {

// The keys of docs/configuration.md, as Markdown tables.
Result<std::string> ConfigurationTables();

// The keys of conf/config.yaml that are no preset's, with the members' defaults
// and the rows' sentences.
std::string ShippedKeys();

// A value as JSON on one line.
std::string OneLine(const Node& node);
// "bool", "one of: base, none, reset"
std::string TypeText(const NcuOption& option);

}  // namespace rangefinder
