#include "summary/merge_files.h"

#include <algorithm>
#include <cstring>
#include <list>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/file.h"
#include "base/sha256.h"
#include "base/write_file.h"
#include "summary/merge.h"
#include "summary/summary_file.h"
#include "summary/totals.h"

namespace rangefinder {
namespace {

namespace fs = std::filesystem;

// Where a section lies.
struct Lying {
  std::size_t file = 0;
  std::size_t offset = 0;
  std::size_t length = 0;
};

struct RankPlace {
  RankKey key{};
  Lying section{};
};

struct Candidate {
  std::size_t file = 0;
  std::vector<RankKey> sources{};
  std::string totals{};  // digest: which of two is first
  std::vector<RankPlace> ranks{};
  std::map<std::string, Lying> trees{};  // by digest
  bool taken = false;
};

class FileMerge {
 public:
  FileMerge(std::span<const fs::path> files, bool strict)
      : files_(files), strict_(strict) {
    outcome_.given = files.size();
  }

  Result<MergeOutcome> Run(const fs::path& output) {
    for (std::size_t i = 0; i < files_.size(); ++i) {
      const Status status = Survey(i);
      if (status.ok()) continue;
      if (strict_) return status.error();
      outcome_.left_out.push_back(status.error().message());
    }
    if (overlap_) TRY(TakeAgain());
    if (sources_.empty() && outcome_.merged == 0) return NothingLeft();
    TRY(Write(output));
    outcome_.ranks = sources_.size();
    FindRestarted();
    return std::move(outcome_);
  }

 private:
  Error NothingLeft() const {
    if (outcome_.left_out.empty())
      return Error(ErrorCode::kUsage, "no summary to merge");
    return Error(
        ErrorCode::kCorrupt,
        fmt::format("none of {} summaries can be merged; the first: {}",
                    outcome_.given, outcome_.left_out.front()));
  }

  // ---- What the files have ----

  // Opens a file, reads what it is made of, and adds its totals where nothing
  // of it was added before.
  Status Survey(std::size_t index) {
    const std::string path = files_[index].string();
    const MappedFile mapped = TRY(MappedFile::Open(files_[index], IsSummary));
    if (!IsSummary(mapped.bytes())) {
      return Error(ErrorCode::kCorrupt,
                   path +
                       ": not a summary; `rangefinder summarize` makes one "
                       "of a capture");
    }
    auto opened = OpenSummary(mapped.bytes());
    if (!opened.ok()) return std::move(opened).error().In(path);
    const SummaryFile file = std::move(opened).value();
    if (!file.damage.empty() || mapped.is_incomplete()) {
      return Error(ErrorCode::kCorrupt,
                   fmt::format("{}: {}", path,
                               file.damage.empty() ? "cannot be read whole"
                                                   : file.damage));
    }
    Candidate candidate = CandidateOf(index, file, mapped.bytes());
    for (const RankKey& source : candidate.sources)
      overlap_ = overlap_ || sources_.contains(source);
    if (!overlap_) Take(candidate, file.summary);
    candidates_.push_back(std::move(candidate));
    return Ok();
  }

  static Candidate CandidateOf(std::size_t index, const SummaryFile& file,
                               std::string_view bytes) {
    const auto lying = [&](const SummarySection& section) {
      return Lying{.file = index,
                   .offset = static_cast<std::size_t>(section.whole.data() -
                                                      bytes.data()),
                   .length = section.whole.size()};
    };
    Candidate candidate{.file = index, .sources = file.summary.sources};
    for (const StoredRank& rank : file.ranks)
      candidate.ranks.push_back({rank.head.key, lying(rank.section)});
    for (const auto& [digest, section] : file.trees)
      candidate.trees.try_emplace(digest, lying(section));
    return candidate;
  }

  void Take(Candidate& candidate, const Summary& summary) {
    candidate.taken = true;
    sources_.insert(candidate.sources.begin(), candidate.sources.end());
    merger_.Add(summary);
    ++outcome_.merged;
  }

  // ---- Where some have the same sources ----

  // In an order that is not that of the files: most sources first.
  Status TakeAgain() {
    merger_ = SummaryMerger();
    sources_.clear();
    outcome_.merged = 0;
    for (Candidate& candidate : candidates_) {
      candidate.taken = false;
      const SummaryMapped file = TRY(Reopen(candidate.file));
      candidate.totals = Sha256(TotalsBytes(file.opened.summary));
    }
    std::ranges::sort(candidates_, [](const Candidate& a, const Candidate& b) {
      if (a.sources.size() != b.sources.size())
        return a.sources.size() > b.sources.size();
      return std::tie(a.sources, a.totals) < std::tie(b.sources, b.totals);
    });
    for (Candidate& candidate : candidates_) {
      const auto known = static_cast<std::size_t>(std::ranges::count_if(
          candidate.sources,
          [&](const RankKey& source) { return sources_.contains(source); }));
      if (known == 0) {
        const SummaryMapped file = TRY(Reopen(candidate.file));
        Take(candidate, file.opened.summary);
      } else if (known == candidate.sources.size()) {
        ++outcome_.twice;
      } else {
        TRY(LeaveOut(candidate, known));
      }
    }
    return Ok();
  }

  Status LeaveOut(const Candidate& candidate, std::size_t known) {
    Error error(ErrorCode::kUsage,
                fmt::format("{}: {} of its {} processes are in another summary "
                            "as well, and totals cannot be taken apart",
                            files_[candidate.file].string(), known,
                            candidate.sources.size()));
    if (strict_) return error;
    outcome_.left_out.push_back(error.message());
    return Ok();
  }

  struct SummaryMapped {
    MappedFile mapped;
    SummaryFile opened{};
  };
  Result<SummaryMapped> Reopen(std::size_t index) const {
    MappedFile mapped = TRY(MappedFile::Open(files_[index], IsSummary));
    auto opened = OpenSummary(mapped.bytes());
    if (!opened.ok())
      return std::move(opened).error().In(files_[index].string());
    return SummaryMapped{std::move(mapped), std::move(opened).value()};
  }

  // ---- What is written ----

  Status Write(const fs::path& output) {
    std::vector<RankPlace> ranks;
    std::map<std::string, Lying> trees;
    for (Candidate& candidate : candidates_) {
      if (!candidate.taken) continue;
      std::ranges::move(candidate.ranks, std::back_inserter(ranks));
      trees.merge(candidate.trees);
    }
    candidates_.clear();
    std::ranges::stable_sort(ranks, {}, &RankPlace::key);
    const Summary summary = merger_.Take();
    Status status = Ok();
    Status written = WriteFileBy(output, [&](std::ostream& out) {
      WriteSummaryMagic(out);
      WriteSection(out, kAboutSection, {}, AboutBytes(summary));
      WriteSection(out, kTotalsSection, {}, TotalsBytes(summary));
      for (const auto& [digest, place] : trees) {
        if (status.ok()) status = Copy(place, out);
      }
      for (const RankPlace& rank : ranks) {
        if (status.ok()) status = Copy(rank.section, out);
      }
      WriteSection(out, kEndSection, {}, {});
      if (!status.ok()) out.setstate(std::ios::failbit);
    });
    if (!status.ok()) return status;
    return written;
  }

  // As it is, if it is still what it was.
  Status Copy(const Lying& place, std::ostream& out) {
    const MappedFile* file = TRY(OpenAgain(place.file));
    const std::string_view bytes = file->bytes();
    const auto changed = [&] {
      return Error(ErrorCode::kSystem,
                   files_[place.file].string() + ": changed while it was read");
    };
    if (place.offset + place.length > bytes.size()) return changed();
    const std::string_view whole = bytes.substr(place.offset, place.length);
    if (!IsSection(whole)) return changed();
    out << whole;
    return Ok();
  }

  // The last few stay open: the ranks of two may lie by turns.
  Result<const MappedFile*> OpenAgain(std::size_t index) {
    constexpr std::size_t kOpen = 64;
    const auto at = std::ranges::find(open_, index, &Open::first);
    if (at != open_.end()) {
      open_.splice(open_.begin(), open_, at);
    } else {
      open_.emplace_front(index,
                          TRY(MappedFile::Open(files_[index], IsSummary)));
      if (open_.size() > kOpen) open_.pop_back();
    }
    return &open_.front().second;
  }

  void FindRestarted() {
    std::map<std::int32_t, std::size_t> starts;
    for (const RankKey& source : sources_) {
      if (source.rank >= 0) ++starts[source.rank];
    }
    for (const auto& [rank, count] : starts) {
      if (count > 1)
        outcome_.restarted.push_back(
            fmt::format("rank {}: {} processes or starts", rank, count));
    }
  }

  using Open = std::pair<std::size_t, MappedFile>;

  std::span<const fs::path> files_;
  bool strict_;
  MergeOutcome outcome_{};
  SummaryMerger merger_{};
  std::set<RankKey> sources_{};
  std::vector<Candidate> candidates_{};
  bool overlap_ = false;
  std::list<Open> open_{};
};

}  // namespace

Result<MergeOutcome> MergeSummaries(std::span<const fs::path> files,
                                    const fs::path& output, bool strict) {
  return FileMerge(files, strict).Run(output);
}

}  // namespace rangefinder
