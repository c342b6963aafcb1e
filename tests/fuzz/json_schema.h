// Whether a document keeps a JSON Schema: those words of draft 7 that
// docs/report.schema.json uses. tools/validate_report.py asks a whole validator
// the same; this one is quick enough for a fuzzer.

#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace rangefinder::testing {

// The first violation with its place; empty: there is none.
std::string SchemaViolation(const nlohmann::json& schema,
                            const nlohmann::json& document);

}  // namespace rangefinder::testing
