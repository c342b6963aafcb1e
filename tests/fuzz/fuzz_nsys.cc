// libFuzzer: any export of Nsight Systems, from the reader to every document.
// The input is steps that make the export (nsys_database.h).

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "ingest/sqlite_file.h"
#include "tests/fuzz/nsys_database.h"
#include "tests/fuzz/report_oracles.h"

using namespace rangefinder;  // NOLINT(google-build-using-namespace)

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  const std::string database =
      testing::NsysDatabase({reinterpret_cast<const char*>(data), size});
  if (LooksLikeSqlite(database))
    testing::ReportOfAnyBytes(database, "any.sqlite");
  return 0;
}
