#include "app/cli.h"

namespace rangefinder {

int Main(int, char**) {
  return 2;
}

}  // namespace rangefinder
