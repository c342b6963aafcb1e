#include "base/error.h"

#include <cerrno>
#include <cstring>
#include <utility>

namespace rangefinder {

Error Error::In(std::string_view where) && {
  message_.insert(0, std::string(where) + ": ");
  return std::move(*this);
}

Error ErrnoError(std::string_view where, std::string_view what) {
  const int number = errno;
  return Error(ErrorCode::kSystem,
               std::string(what) + ": " + std::strerror(number))
      .In(where);
}

}  // namespace rangefinder
