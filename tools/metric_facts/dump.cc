// Prints what NVIDIA's metrics evaluator knows of every chip, as text for
// make_table.py. Needs the CUDA toolkit's libnvperf_host, but no GPU.
//
//   chip <name>
//   C|R <base name> <unit> <raw counters> <what it says>      counters, ratios
//   T   <base name> <counters> <throughputs it is made of>    throughputs
//
// Fields are separated by tabs, lists by commas. A unit is factors
// `name^exponent` joined by blanks. Raw counters are opaque ids: equal ids are
// equal quantities.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <dlfcn.h>
#include <nvperf_cuda_host.h>
#include <nvperf_host.h>

namespace {

void* library = nullptr;

// Calls the library's function `name` with its one parameter struct.
template <typename Params>
bool Call(const char* name, Params& params) {
  using Function = NVPA_Status (*)(Params*);
  const auto function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr && function(&params) == NVPA_STATUS_SUCCESS;
}

#define RF_PARAMS(type, variable) \
  type variable{};                \
  variable.structSize = type##_STRUCT_SIZE

[[noreturn]] void Die(const char* what) {
  std::fprintf(stderr, "dump: %s failed\n", what);
  std::exit(1);
}

// The evaluator of one chip.
class Chip {
 public:
  explicit Chip(const char* name) {
    RF_PARAMS(NVPW_CUDA_MetricsEvaluator_CalculateScratchBufferSize_Params,
              size);
    size.pChipName = name;
    if (!Call("NVPW_CUDA_MetricsEvaluator_CalculateScratchBufferSize", size))
      return;
    scratch_.resize(size.scratchBufferSize);
    RF_PARAMS(NVPW_CUDA_MetricsEvaluator_Initialize_Params, init);
    init.pScratchBuffer = scratch_.data();
    init.scratchBufferSize = scratch_.size();
    init.pChipName = name;
    if (Call("NVPW_CUDA_MetricsEvaluator_Initialize", init))
      evaluator_ = init.pMetricsEvaluator;
  }
  ~Chip() {
    if (evaluator_ == nullptr) return;
    RF_PARAMS(NVPW_MetricsEvaluator_Destroy_Params, destroy);
    destroy.pMetricsEvaluator = evaluator_;
    Call("NVPW_MetricsEvaluator_Destroy", destroy);
  }
  Chip(const Chip&) = delete;
  Chip& operator=(const Chip&) = delete;

  bool ok() const { return evaluator_ != nullptr; }

  std::vector<std::string> Names(NVPW_MetricType type) {
    RF_PARAMS(NVPW_MetricsEvaluator_GetMetricNames_Params, names);
    names.pMetricsEvaluator = evaluator_;
    names.metricType = static_cast<std::uint8_t>(type);
    if (!Call("NVPW_MetricsEvaluator_GetMetricNames", names)) Die("names");
    std::vector<std::string> result;
    for (std::size_t i = 0; i < names.numMetrics; ++i)
      result.emplace_back(names.pMetricNames +
                          names.pMetricNameBeginIndices[i]);
    return result;
  }

  std::string Unit(NVPW_MetricEvalRequest request) {
    RF_PARAMS(NVPW_MetricsEvaluator_GetMetricDimUnits_Params, units);
    units.pMetricsEvaluator = evaluator_;
    units.pMetricEvalRequest = &request;
    units.metricEvalRequestStructSize = NVPW_MetricEvalRequest_STRUCT_SIZE;
    units.dimUnitFactorStructSize = NVPW_DimUnitFactor_STRUCT_SIZE;
    if (!Call("NVPW_MetricsEvaluator_GetMetricDimUnits", units)) return "?";
    std::vector<NVPW_DimUnitFactor> factors(units.numDimUnits);
    if (factors.empty()) return "";
    units.pDimUnits = factors.data();
    if (!Call("NVPW_MetricsEvaluator_GetMetricDimUnits", units)) return "?";
    std::string text;
    for (const NVPW_DimUnitFactor& factor : factors) {
      RF_PARAMS(NVPW_MetricsEvaluator_DimUnitToString_Params, word);
      word.pMetricsEvaluator = evaluator_;
      word.dimUnit = factor.dimUnit;
      if (!Call("NVPW_MetricsEvaluator_DimUnitToString", word)) return "?";
      if (!text.empty()) text += ' ';
      text += word.pSingularName;
      text += '^' + std::to_string(factor.exponent);
    }
    return text;
  }

  std::string RawCounters(NVPW_MetricEvalRequest request) {
    RF_PARAMS(NVPW_MetricsEvaluator_GetMetricRawDependencies_Params, raw);
    raw.pMetricsEvaluator = evaluator_;
    raw.pMetricEvalRequests = &request;
    raw.numMetricEvalRequests = 1;
    raw.metricEvalRequestStructSize = NVPW_MetricEvalRequest_STRUCT_SIZE;
    raw.metricEvalRequestStrideSize = sizeof request;
    if (!Call("NVPW_MetricsEvaluator_GetMetricRawDependencies", raw))
      return "?";
    std::vector<const char*> needed(raw.numRawDependencies);
    std::vector<const char*> optional(raw.numOptionalRawDependencies);
    raw.ppRawDependencies = needed.data();
    raw.ppOptionalRawDependencies = optional.data();
    if (!Call("NVPW_MetricsEvaluator_GetMetricRawDependencies", raw))
      return "?";
    std::string text;
    for (const char* id : needed) {
      if (!text.empty()) text += ',';
      text += id;
    }
    return text;
  }

  const char* CounterDescription(std::size_t index) {
    RF_PARAMS(NVPW_MetricsEvaluator_GetCounterProperties_Params, properties);
    properties.pMetricsEvaluator = evaluator_;
    properties.counterIndex = index;
    if (!Call("NVPW_MetricsEvaluator_GetCounterProperties", properties))
      return "";
    return properties.pDescription;
  }

  const char* RatioDescription(std::size_t index) {
    RF_PARAMS(NVPW_MetricsEvaluator_GetRatioMetricProperties_Params,
              properties);
    properties.pMetricsEvaluator = evaluator_;
    properties.ratioMetricIndex = index;
    if (!Call("NVPW_MetricsEvaluator_GetRatioMetricProperties", properties))
      return "";
    return properties.pDescription;
  }

  NVPW_MetricsEvaluator_GetThroughputMetricProperties_Params Throughput(
      std::size_t index) {
    RF_PARAMS(NVPW_MetricsEvaluator_GetThroughputMetricProperties_Params,
              properties);
    properties.pMetricsEvaluator = evaluator_;
    properties.throughputMetricIndex = index;
    if (!Call("NVPW_MetricsEvaluator_GetThroughputMetricProperties",
              properties))
      Die("throughput properties");
    return properties;
  }

 private:
  std::vector<std::uint8_t> scratch_;
  NVPW_MetricsEvaluator* evaluator_ = nullptr;
};

NVPW_MetricEvalRequest Request(NVPW_MetricType type, std::size_t index,
                               NVPW_Submetric submetric) {
  NVPW_MetricEvalRequest request{};
  request.metricIndex = index;
  request.metricType = static_cast<std::uint8_t>(type);
  request.rollupOp = NVPW_ROLLUP_OP_SUM;
  request.submetric = static_cast<std::uint16_t>(submetric);
  return request;
}

void PrintList(const std::vector<std::string>& names, const std::size_t* at,
               std::size_t count) {
  for (std::size_t i = 0; i < count; ++i)
    std::printf("%s%s", i == 0 ? "" : ",", names[at[i]].c_str());
}

void Print(Chip& chip) {
  const auto counters = chip.Names(NVPW_METRIC_TYPE_COUNTER);
  for (std::size_t i = 0; i < counters.size(); ++i) {
    const auto request =
        Request(NVPW_METRIC_TYPE_COUNTER, i, NVPW_SUBMETRIC_NONE);
    std::printf("C\t%s\t%s\t%s\t%s\n", counters[i].c_str(),
                chip.Unit(request).c_str(), chip.RawCounters(request).c_str(),
                chip.CounterDescription(i));
  }
  const auto ratios = chip.Names(NVPW_METRIC_TYPE_RATIO);
  for (std::size_t i = 0; i < ratios.size(); ++i) {
    const auto request =
        Request(NVPW_METRIC_TYPE_RATIO, i, NVPW_SUBMETRIC_RATIO);
    std::printf("R\t%s\t%s\t%s\t%s\n", ratios[i].c_str(),
                chip.Unit(request).c_str(), chip.RawCounters(request).c_str(),
                chip.RatioDescription(i));
  }
  const auto throughputs = chip.Names(NVPW_METRIC_TYPE_THROUGHPUT);
  for (std::size_t i = 0; i < throughputs.size(); ++i) {
    const auto properties = chip.Throughput(i);
    std::printf("T\t%s\t", throughputs[i].c_str());
    PrintList(counters, properties.pCounterIndices, properties.numCounters);
    std::printf("\t");
    PrintList(throughputs, properties.pSubThroughputIndices,
              properties.numSubThroughputs);
    std::printf("\n");
  }
}

}  // namespace

int main(int argc, char** argv) {
  const char* path = argc > 1 ? argv[1] : "libnvperf_host.so";
  library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) Die(dlerror());
  RF_PARAMS(NVPW_InitializeHost_Params, init);
  if (!Call("NVPW_InitializeHost", init)) Die("NVPW_InitializeHost");
  RF_PARAMS(NVPW_GetSupportedChipNames_Params, chips);
  if (!Call("NVPW_GetSupportedChipNames", chips)) Die("chip names");
  for (std::size_t i = 0; i < chips.numChipNames; ++i) {
    Chip chip(chips.ppChipNames[i]);
    if (!chip.ok()) continue;
    std::printf("chip %s\n", chips.ppChipNames[i]);
    Print(chip);
  }
}
