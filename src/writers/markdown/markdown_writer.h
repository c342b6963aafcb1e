// Any document as Markdown (GitHub's: tables, details).

#pragma once

#include <ostream>

#include "document/document.h"

namespace rangefinder {

void WriteMarkdown(const Document& document, std::ostream& out);

}  // namespace rangefinder
