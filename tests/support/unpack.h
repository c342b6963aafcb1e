// What a report.json has packed, made whole again: the document as it would be
// with every metric in place.

#pragma once

#include <string_view>

#include <nlohmann/json.hpp>

namespace rangefinder::testing {

// What a member with `bytes` and `content` holds.
nlohmann::json Unpack(const nlohmann::json& packed);

// The block of a document, unpacked.
nlohmann::json UnpackColumns(const nlohmann::json& document);

// Puts the cells of the block to those that are in place, wherever there are
// metrics.
void FillIn(nlohmann::json& document);

}  // namespace rangefinder::testing
