// How many passes a collection takes, by NVIDIA's own scheduler. Needs the CUDA
// toolkit's CUPTI, but no GPU.
//
//   passes CHIP < LINES
//
// Every line of standard input is one collection, metrics separated by commas;
// for each a line with its number of passes is printed, or "-" where the chip
// lacks one of them.

#include <cstdio>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include <cupti_profiler_host.h>
#include <cupti_target.h>

namespace {

// -1: a metric that the chip does not have.
long Passes(const std::string& chip, const std::vector<std::string>& metrics) {
  CUpti_Profiler_Host_Initialize_Params init{
      CUpti_Profiler_Host_Initialize_Params_STRUCT_SIZE};
  init.profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER;
  init.pChipName = chip.c_str();
  if (cuptiProfilerHostInitialize(&init) != CUPTI_SUCCESS) return -1;
  std::vector<const char*> names;
  for (const std::string& metric : metrics) names.push_back(metric.c_str());
  CUpti_Profiler_Host_ConfigAddMetrics_Params add{
      CUpti_Profiler_Host_ConfigAddMetrics_Params_STRUCT_SIZE};
  add.pHostObject = init.pHostObject;
  add.ppMetricNames = names.data();
  add.numMetrics = names.size();
  long passes = -1;
  if (cuptiProfilerHostConfigAddMetrics(&add) == CUPTI_SUCCESS) {
    CUpti_Profiler_Host_GetConfigImageSize_Params size{
        CUpti_Profiler_Host_GetConfigImageSize_Params_STRUCT_SIZE};
    size.pHostObject = init.pHostObject;
    if (cuptiProfilerHostGetConfigImageSize(&size) == CUPTI_SUCCESS) {
      std::vector<std::uint8_t> bytes(size.configImageSize);
      CUpti_Profiler_Host_GetConfigImage_Params image{
          CUpti_Profiler_Host_GetConfigImage_Params_STRUCT_SIZE};
      image.pHostObject = init.pHostObject;
      image.pConfigImage = bytes.data();
      image.configImageSize = bytes.size();
      CUpti_Profiler_Host_GetNumOfPasses_Params count{
          CUpti_Profiler_Host_GetNumOfPasses_Params_STRUCT_SIZE};
      count.pConfigImage = bytes.data();
      count.configImageSize = bytes.size();
      if (cuptiProfilerHostGetConfigImage(&image) == CUPTI_SUCCESS &&
          cuptiProfilerHostGetNumOfPasses(&count) == CUPTI_SUCCESS)
        passes = static_cast<long>(count.numOfPasses);
    }
  }
  CUpti_Profiler_Host_Deinitialize_Params end{
      CUpti_Profiler_Host_Deinitialize_Params_STRUCT_SIZE};
  end.pHostObject = init.pHostObject;
  cuptiProfilerHostDeinitialize(&end);
  return passes;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: passes CHIP < LINES\n", stderr);
    return 2;
  }
  std::string line;
  while (std::getline(std::cin, line)) {
    std::vector<std::string> metrics;
    std::istringstream words(line);
    for (std::string word; std::getline(words, word, ',');)
      metrics.push_back(word);
    const long passes = Passes(argv[1], metrics);
    std::printf(passes < 0 ? "-\n" : "%ld\n", passes);
    std::fflush(stdout);
  }
  return 0;
}
