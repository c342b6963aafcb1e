// Checks a document against a JSON Schema, for the words of draft 7 that
// docs/report.schema.json uses. tools/validate_report.py uses a complete
// validator; this check is fast enough for a fuzzer.

#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace rangefinder::testing {

// The first violation with its place; empty: the document is valid.
std::string SchemaViolation(const nlohmann::json& schema,
                            const nlohmann::json& document);

}  // namespace rangefinder::testing
