// Unpacks a report.json: the document as it would be with every metric in
// place.

#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace rangefinder::testing {

// The content of an object that has the members `bytes` and `content`, and the
// same as JSON.
std::string UnpackText(const nlohmann::json& packed);
nlohmann::json Unpack(const nlohmann::json& packed);

// The packed block of a document.
nlohmann::json UnpackColumns(const nlohmann::json& document);

// Adds the cells of the block to the cells that are in place.
void FillIn(nlohmann::json& document);

}  // namespace rangefinder::testing
