"""Checks the wide set of counters in the regions of pipes.cu.

    check_pipes.py WIDE L1 COUNTED

Three run directories: by the default set, by counters.l1, and exact counts.
Prints every value beside what is known of it; ends with 1 where one is off.
"""
import json
import sys

wide_dir, l1_dir, counted_dir = sys.argv[1:]
failed = 0


def report_of(folder):
    return json.load(open(f"{folder}/ncu/regions/report.json"))


def check(what, good, found):
    global failed
    failed += not good
    print(f"{'ok     ' if good else 'FAILED '} {what}: {found}")


def by_name(report):
    return {r["name"]: r for r in report["scopes"][0]["regions"]}


wide = report_of(wide_dir)
regions = by_name(wide)
exact = by_name(report_of(counted_dir))
for name, report in (("default", wide), ("l1", report_of(l1_dir))):
    for device in report["capture"]["sampling"]:
        fit = device.get("fit") or {}
        metrics = fit.get("metrics") or {}
        lost, taken = device["lost"], device["samples"]
        print(f"{name}: {len(metrics)} counters every "
              f"{device['interval_ns'] / 1e3:g} us, {taken} samples, {lost} "
              f"lost, fit {fit.get('verdict')}: {fit.get('reasons')}")
        check(f"{name}: counters", len(metrics) >= (21 if name == "default"
                                                    else 16), len(metrics))
        check(f"{name}: samples lost", lost < 0.01 * (taken + lost), lost)
        check(f"{name}: fit", fit.get("verdict") in ("good", "doubtful"),
              fit.get("verdict"))
        for metric, values in metrics.items():
            print("   ", metric, values)

# ---- Sampled against counted, of an instance --------------------------------

TPC, SM_A = "TPC.TriageCompute.", "SM_A.TriageCompute."
PAIRS = {  # sampled: counted, factor, allowed; None: only printed
    "sm__inst_executed.sum": ("sm__inst_executed.sum", 1, 0.02),
    TPC + "sm__inst_executed_pipe_fma_realtime.sum":
        ("sm__inst_executed_pipe_fma.sum", 1, 0.02),
    TPC + "sm__inst_executed_pipe_alu_realtime.sum":
        ("sm__inst_executed_pipe_alu.sum", 1, 0.02),
    SM_A + "sm__inst_executed_pipe_xu_realtime.sum":
        ("sm__inst_executed_pipe_xu.sum", 1, 0.02),
    SM_A + "sm__thread_inst_executed_pred_on_realtime.sum":
        ("smsp__thread_inst_executed_pred_on.sum", 1, 0.02),
    SM_A + "l1tex__data_pipe_lsu_wavefronts.sum":
        ("l1tex__data_pipe_lsu_wavefronts.sum", 1, 0.05),
    SM_A + "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum":
        ("l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", 1, 0.05),
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum":
        ("l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum", 1, 0.05),
    TPC + "tpc__warps_active_realtime.sum":
        ("sm__warps_active.sum", 1, None),
    TPC + "tpc__warps_active_shader_cs_realtime.sum":
        ("sm__warps_active.sum", 1, None),
    TPC + "sm__pipe_fp64_cycles_active_realtime.avg":
        ("sm__pipe_fp64_cycles_active.sum", 0, None),
    TPC + "sm__pipe_tensor_cycles_active_realtime.avg":
        ("sm__pipe_tensor_cycles_active.sum", 0, None),
}
WHERE = {"sm__inst_executed.sum": ["fma", "alu", "xu", "fp64", "divergent"],
         TPC + "sm__inst_executed_pipe_fma_realtime.sum": ["fma"],
         TPC + "sm__inst_executed_pipe_alu_realtime.sum": ["alu"],
         SM_A + "sm__inst_executed_pipe_xu_realtime.sum": ["xu"],
         SM_A + "sm__thread_inst_executed_pred_on_realtime.sum":
             ["fma", "alu", "divergent"],
         SM_A + "l1tex__data_pipe_lsu_wavefronts.sum": ["conflicts"],
         SM_A + "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum":
             ["conflicts", "no_conflicts"],
         "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum": ["conflicts"],
         TPC + "tpc__warps_active_realtime.sum": ["quarter", "full", "fma"],
         TPC + "tpc__warps_active_shader_cs_realtime.sum":
             ["quarter", "full", "fma"],
         TPC + "sm__pipe_fp64_cycles_active_realtime.avg": ["fp64"],
         TPC + "sm__pipe_tensor_cycles_active_realtime.avg": ["tensor"]}


def sampled(region, metric):
    cell = regions[region]["inclusive"]["metrics"].get(metric) or {}
    return cell.get("value"), cell.get("standard_error")


def counted(region, metric):
    for whole in (exact.get(region) or {}).get("measured") or []:
        cell = whole["metrics"].get(metric) or {}
        if cell.get("value") is not None:
            return cell["value"]
    return None


for metric, names in WHERE.items():
    of, factor, allowed = PAIRS[metric]
    for name in names:
        value, error = sampled(name, metric)
        truth = counted(name, of)
        if value is None or truth is None:
            check(f"{metric} of {name}", False, f"{value}, counted {truth}")
            continue
        mine = value / regions[name]["instances"]
        text = (f"{mine:.6g} +- {error / regions[name]['instances']:.2g}, "
                f"counted {truth:.6g}, ratio {mine / truth if truth else 0:.4f}")
        if allowed is None:
            print(f"        {metric} of {name}: {text}")
        else:
            check(f"{metric} of {name}",
                  abs(mine - truth) <= allowed * truth, text)

# ---- Derived metrics --------------------------------------------------------

for region, metric, low, high in (
        ("fma", "fma_pipe_share", 80, 102),
        ("fp64", "fp64_pipe_share", 80, 102),
        ("xu", "xu_pipe_share", 80, 102),
        ("alu", "alu_pipe_share", 75, 102),
        ("tensor", "tensor_pipe_share", 40, 102),
        ("conflicts", "lsu_pipe_share", 80, 102),
        ("conflicts", "bank_conflict_share", 93, 99),
        ("no_conflicts", "bank_conflict_share", 0, 5),
        ("divergent", "threads_per_instruction", 7, 10),
        ("fma", "threads_per_instruction", 30, 32.5),
        ("fma", "issue_slot_share", 85, 102),
        ("few_blocks", "sm_idle_share", 80, 92),
        ("full", "sm_idle_share", 0, 10),
        ("host", "pcie_read_bytes_per_second", 5e9, 7e10)):
    cell = regions[region]["inclusive"]["metrics"].get(metric) or {}
    value = cell.get("value")
    check(f"{metric} of {region} from {low:g} to {high:g}",
          value is not None and low <= value <= high,
          f"{value:.5g} +- {cell['standard_error']:.2g}" if value is not None
          else cell.get("reason", "no such metric"))
print("PASSED" if not failed else f"{failed} failed")
sys.exit(failed > 0)
