#include "rollup/kernel_rows.h"

#include <algorithm>
#include <tuple>

namespace rangefinder {

void SortByTime(const Profile& profile, std::vector<KernelRow>& rows) {
  std::ranges::sort(rows, [&](const auto& a, const auto& b) {
    if (a.total_ns != b.total_ns) return a.total_ns > b.total_ns;
    const auto key = [&](const KernelRow& row) {
      return std::tuple(profile.Name(row.name), row.device);
    };
    return key(a) < key(b);
  });
}

KernelRows::Rows& KernelRows::At(RegionId region) {
  auto& rows = waiting_[Index(region)];
  if (!rows) rows = std::make_unique<Rows>();
  return *rows;
}

void KernelRows::Merge(Waiting& into, Waiting&& from) {
  if (!into.tally) {
    into = std::move(from);
    return;
  }
  const bool timed = into.tally->timed() > 0;
  if (from.tally->timed() > 0) {
    KernelRow& row = into.row;
    row.min_ns =
        timed ? std::min(row.min_ns, from.row.min_ns) : from.row.min_ns;
    row.max_ns = std::max(row.max_ns, from.row.max_ns);
  }
  into.row.calls += from.row.calls;
  into.row.own_calls += from.row.own_calls;
  into.row.own_ns += from.row.own_ns;
  into.tally->Add(*from.tally);
}

void KernelRows::Add(RegionId region, const KernelRow& row,
                     std::unique_ptr<Tally> tally) {
  Waiting own{.row = {.name = row.name,
                      .device = row.device,
                      .calls = row.calls,
                      .own_calls = row.calls,
                      .own_ns = row.total_ns,
                      .min_ns = row.min_ns,
                      .max_ns = row.max_ns,
                      .amounts = row.amounts},
              .tally = std::move(tally)};
  Merge(At(region).by_key[{row.name, row.device}], std::move(own));
}

void KernelRows::Finish(RegionId region, std::vector<KernelRow>& rows) {
  const auto& waiting = waiting_[Index(region)];
  if (!waiting || !waiting->inner) return;
  for (auto& [key, one] : waiting->by_key) {
    KernelRow& row = rows.emplace_back(one.row);
    // One that no inner region or that one alone has is as it was.
    if (row.amounts.kernel_count != row.calls) {
      row.amounts = one.tally->Finish(plan_);
      one.row.amounts = row.amounts;
    }
    row.total_ns = row.amounts.gpu_time_ns;
  }
  SortByTime(profile_, rows);
}

void KernelRows::HandOn(RegionId region, RegionId outer) {
  auto rows = std::move(waiting_[Index(region)]);
  if (!rows) return;
  for (auto& [key, one] : rows->by_key) {
    one.row.own_calls = 0;
    one.row.own_ns = 0;
  }
  auto& waiting = waiting_[Index(outer)];
  if (!waiting) {
    waiting = std::move(rows);
  } else {
    for (auto& [key, one] : rows->by_key)
      Merge(waiting->by_key[key], std::move(one));
  }
  waiting->inner = true;
}

}  // namespace rangefinder
