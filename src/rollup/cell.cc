#include "rollup/cell.h"

namespace rangefinder {

std::string_view HowName(How how) {
  switch (how) {
    case How::kMeasured:
      return "measured";
    case How::kExact:
      return "exact";
    case How::kEstimated:
      return "estimated";
    case How::kApprox:
      return "approx";
    case How::kBound:
      return "bound";
    case How::kAbsent:
      return "absent";
  }
  return "absent";
}

std::string_view BoundName(Bound bound) {
  switch (bound) {
    case Bound::kNone:
      return "";
    case Bound::kUpper:
      return "upper";
    case Bound::kLower:
      return "lower";
  }
  return "";
}

}  // namespace rangefinder
