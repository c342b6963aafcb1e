#include "profile/metric_units.h"

#include <array>

namespace rangefinder {
namespace {

constexpr std::string_view kCycle = "cycle";

struct UnitRow {
  std::string_view prefix;
  std::string_view unit;
};

// By what the name begins with; the first match counts. As ncu 2025.3.1 prints
// them, its peculiarities included.
constexpr std::array kUnits = {
    UnitRow{"launch__block_dim_", "block"},
    UnitRow{"launch__cluster_max_active", "cluster"},
    UnitRow{"launch__cluster_max_potential_size", "block"},
    UnitRow{"launch__occupancy_cluster_", "%"},
    UnitRow{"launch__occupancy_limit_", "block"},
    UnitRow{"launch__persisting_l2_cache_size", "byte"},
    UnitRow{"launch__registers_per_thread", "register/thread"},
    UnitRow{"launch__shared_mem_config_size", "byte"},
    UnitRow{"launch__shared_mem_per_block", "byte/block"},
    UnitRow{"launch__sm_count", "SM"},
    UnitRow{"launch__thread_count", "thread"},
    UnitRow{"launch__", ""},
    UnitRow{"device__", ""},
    UnitRow{"derived__avg_thread", "thread"},
    UnitRow{"derived__derivative_avg_thread", "thread"},
    UnitRow{"derived__local_spilling_requests_pct", "%"},
    UnitRow{"derived__memory_l2_theoretical_sectors", "sector"},
    UnitRow{"derived__pct_occupancy_per_block_size", "%"},
    UnitRow{"derived__pct_occupancy_per_register_count", "%/register"},
    UnitRow{"derived__pct_occupancy_per_shared_mem_size", "%/byte"},
    UnitRow{"derived__sm__sass_thread_inst", "thread"},
    UnitRow{"derived__smsp__sass_thread_inst", "thread"},
    UnitRow{"derived__smsp__inst_executed_op_branch_pct", "%"},
    UnitRow{"derived__lts__lts2xbar_bytes", "byte"},
    UnitRow{"derived_", ""},
    UnitRow{"inst_executed", "inst"},
    UnitRow{"thread_inst_executed", "inst"},
    UnitRow{"memory_l1_", "sectors"},
    UnitRow{"memory_l2_", "sectors"},
    UnitRow{"memory_", ""},
    UnitRow{"profiler__pmsampler_buffer_size_bytes", "byte"},
    UnitRow{"profiler__pmsampler_interval_time", "ns"},
    UnitRow{"profiler__pmsampler_merged_samples", "sample"},
    UnitRow{"profiler__replayer_passes", "pass"},
    UnitRow{"profiler__replayer_bytes", "byte"},
    UnitRow{"profiler__", ""},
    UnitRow{"nvlink__", ""},
    UnitRow{"numa__", ""},
    UnitRow{"c2clink__", ""},
    UnitRow{"sass__inst_executed_global", "inst"},
    UnitRow{"sass__inst_executed_local", "inst"},
    UnitRow{"sass__inst_executed_shared", "inst"},
    UnitRow{"sass__inst_executed_register", "inst"},
    UnitRow{"sass__", ""},
    UnitRow{"sm__maximum_warps_avg_per_active_cycle", "warp"},
    UnitRow{"sm__maximum_warps_per_active_cycle_pct", "%"},
    UnitRow{"smsp__maximum_warps_avg_per_active_cycle", "warp"},
    UnitRow{"smsp__branch_targets_threads_divergent", "branches"},
    UnitRow{"smsp__pcsamp_aggregated_passes", "pass"},
    UnitRow{"smsp__pcsamp_buffer_size_bytes", "byte"},
    UnitRow{"smsp__pcsamp_dropped_bytes", "byte"},
    UnitRow{"smsp__pcsamp_interval_cycles", "cycle"},
    UnitRow{"smsp__pcsamp_warps_issue_stalled_branch_resolving", "branches"},
    UnitRow{"smsp__pcsamp_warps_issue_stalled_no_inst", "inst"},
    UnitRow{"smsp__pcsamp_warps_issue_stalled", "warp"},
    UnitRow{"smsp__pcsamp_", ""},
    UnitRow{"smsp__sass_inst_executed_memdesc_explicit_evict_type", ""},
    UnitRow{"smsp__sass_inst_executed_memdesc_explicit", "inst"},
};

// Without its factor of cycles; whether there was one.
bool TakeCycles(std::string_view& unit) {
  if (unit == kCycle) {
    unit = {};
    return true;
  }
  constexpr std::string_view kFactor = "*cycle";
  if (!unit.ends_with(kFactor)) return false;
  unit.remove_suffix(kFactor.size());
  return true;
}

}  // namespace

std::string UnitOfForm(std::string_view unit, Form form) {
  std::string_view rest = unit;
  const bool cycles = TakeCycles(rest);
  switch (form) {
    case Form::kPctActive:
    case Form::kPctElapsed:
    case Form::kPct:
      return "%";
    case Form::kPerSecond:
      if (unit == kCycle) return "hz";
      return rest.empty() ? "" : std::string(rest) + "/s";
    case Form::kPeakSustained:
    case Form::kPerCycleActive:
    case Form::kPerCycleElapsed:
      if (cycles) return std::string(rest);
      return unit.empty() ? "" : std::string(unit) + "/cycle";
    default:
      return std::string(rest.empty() ? unit : rest);
  }
}

std::optional<std::string_view> UnitByHand(std::string_view metric) {
  for (const UnitRow& row : kUnits) {
    if (metric.starts_with(row.prefix)) return row.unit;
  }
  return std::nullopt;
}

}  // namespace rangefinder
