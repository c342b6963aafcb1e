#include <cstdio>
#include <exception>
#include <new>
#include <stdexcept>
#include <system_error>

#include <malloc.h>

#include "app/cli.h"
#include "base/error.h"

namespace {

// Reports an uncaught exception: a lack of memory, or a bug. Allocates nothing.
int Say(rangefinder::ErrorCode code, const char* what, const char* next) {
  std::fprintf(stderr, "rangefinder: %s%s\n", what, next);
  return rangefinder::ExitStatus(code);
}

constexpr const char* kNoMemory =
    "no memory is left; written files stay. Raise the limit (ulimit -v, "
    "the container's), or give it less at a time: fewer files, "
    "regions.include=, report.formats=[md]";

}  // namespace

int main(int argc, char** argv) {
  using rangefinder::ErrorCode;
  // Otherwise glibc raises the threshold after the first large block that is
  // freed, and keeps later ones in the heaps of the threads: 80 MB more at the
  // peak of a report of 100,000 regions (docs/measured.md#large-runs).
  mallopt(M_MMAP_THRESHOLD, 1 << 20);
  try {
    return rangefinder::Main(argc, argv);
  } catch (const std::bad_alloc&) {
    return Say(ErrorCode::kSystem, kNoMemory, "");
  } catch (const std::length_error&) {
    return Say(ErrorCode::kSystem, kNoMemory, "");
  } catch (const std::system_error& error) {
    return Say(ErrorCode::kSystem, error.what(),
               "; the system has no more of it: raise the limit (ulimit -a)");
  } catch (const std::exception& error) {
    return Say(ErrorCode::kOther, "a bug, please report it: ", error.what());
  }
}
