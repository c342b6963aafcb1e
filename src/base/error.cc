#include "base/error.h"

namespace rangefinder {

int ExitStatus(ErrorCode code) {
  switch (code) {
    case ErrorCode::kOther:
      return 1;
    case ErrorCode::kUsage:
      return 2;
    case ErrorCode::kTarget:
      return 3;
    case ErrorCode::kProfiler:
      return 4;
    case ErrorCode::kCorrupt:
      return 5;
    case ErrorCode::kUnsupported:
      return 6;
    case ErrorCode::kSystem:
      return 7;
    case ErrorCode::kGate:
      return 8;
    case ErrorCode::kInterrupted:
      return 130;
  }
  return 1;
}

Error Error::In(std::string_view where) && {
  message_.insert(0, std::string(where) + ": ");
  return std::move(*this);
}

}  // namespace rangefinder
