#include "summary/merge_files.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <list>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/digest.h"
#include "base/file.h"
#include "base/write_file.h"
#include "summary/bodies.h"
#include "summary/merge.h"
#include "summary/summary_file.h"

namespace rangefinder {
namespace {

namespace fs = std::filesystem;

// A merged summary with at most this many sources keeps the parts of each, so
// that an earlier state of a source can still be replaced: the ranks of a node,
// a task's part of a tree of merges. With more sources the totals are added, or
// files would grow with the ranks.
constexpr std::size_t kMostApart = 64;

// The place of a section.
struct Place {
  std::size_t file = 0;
  std::size_t offset = 0;
  std::size_t length = 0;
};

struct RankPlace {
  RankKey key{};
  const std::string* tree = nullptr;  // digest
  Place section{};
};

// A part of a file, which counts as a whole or not at all.
struct Part {
  std::size_t file = 0;
  std::vector<SummarySource> sources{};
  Place about{}, totals{};
  std::vector<RankPlace> ranks{};

  // The later of two parts has the greater end.
  auto End() const {
    std::uint64_t until = 0, launches = 0;
    for (const SummarySource& source : sources) {
      until = std::max(until, source.until_ns);
      launches += source.launches;
    }
    return std::pair(until, launches);
  }
};

// Decides between parts with common sources, independently of the order of the
// files: the part with the most sources first, since totals cannot be
// separated; then the later part.
bool CountsBefore(const Part& a, const Part& b) {
  if (a.sources.size() != b.sources.size())
    return a.sources.size() > b.sources.size();
  if (a.End() != b.End()) return a.End() > b.End();
  return a.sources > b.sources;
}

std::string NameOf(const std::vector<SummarySource>& sources) {
  if (sources.size() != 1) return fmt::format("{} processes", sources.size());
  const RankKey& key = sources[0].key;
  if (key.rank >= 0) return fmt::format("rank {}", key.rank);
  return fmt::format("process {}", key.pid);
}

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
    if (parts_.empty()) return NothingLeft();
    if (overlap_) TRY(Choose());
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

  // ---- The content of files ---

  // Opens a file and finds its parts. Adds their totals as long as no source
  // has occurred twice; otherwise Choose() adds the totals.
  Status Survey(std::size_t index) {
    const std::string path = files_[index].string();
    const MappedFile mapped = TRY(MappedFile::Open(files_[index], IsSummary));
    if (!IsSummary(mapped.bytes())) {
      return Error(ErrorCode::kCorrupt,
                   path +
                       ": not a summary; `rangefinder summarize` makes one "
                       "of a capture");
    }
    const SummaryFile file =
        TRY(OpenSummary(mapped.bytes(), &verified_).In(path));
    if (!file.damage.empty() || mapped.is_incomplete()) {
      return Error(ErrorCode::kCorrupt,
                   fmt::format("{}: {}", path,
                               file.damage.empty() ? "cannot be read whole"
                                                   : file.damage));
    }
    for (Part& part : TRY(PartsOf(index, file, mapped.bytes()).In(path))) {
      for (const SummarySource& source : part.sources)
        overlap_ = !sources_.try_emplace(source.key, source).second || overlap_;
      parts_.push_back(std::move(part));
    }
    if (!overlap_) merger_.Add(file.summary);
    ++outcome_.merged;
    return Ok();
  }

  Result<std::vector<Part>> PartsOf(std::size_t index, const SummaryFile& file,
                                    std::string_view bytes) {
    const auto place = [&](const SummarySection& section) {
      if (section.whole.empty()) return Place{.file = index};
      return Place{.file = index,
                   .offset = static_cast<std::size_t>(section.whole.data() -
                                                      bytes.data()),
                   .length = section.whole.size()};
    };
    for (const auto& [digest, section] : file.trees)
      trees_.try_emplace(digest, place(section));
    std::vector<Part> parts;
    std::map<RankKey, std::size_t> part_of;
    std::vector<std::string> headers;  // of sections, by part
    for (const SummaryPart& from : file.parts) {
      for (const SummarySource& source : from.sources)
        part_of.try_emplace(source.key, parts.size());
      headers.push_back(HeaderOf(from.about) + HeaderOf(from.totals));
      parts.push_back({.file = index,
                       .sources = from.sources,
                       .about = place(from.about),
                       .totals = place(from.totals)});
    }
    for (const StoredRank& rank : file.ranks) {
      const auto part = part_of.find(rank.head.key);
      if (part == part_of.end() || !file.trees.contains(rank.head.tree)) {
        return Error(ErrorCode::kCorrupt,
                     "has a rank without totals or without its regions");
      }
      headers[part->second] += HeaderOf(rank.section);
      parts[part->second].ranks.push_back({rank.head.key,
                                           &trees_.find(rank.head.tree)->first,
                                           place(rank.section)});
    }
    for (std::size_t i = 0; i < parts.size(); ++i) {
      for (SummarySource& source : parts[i].sources) {
        if (source.content == 0) source.content = Digest(headers[i]);
      }
    }
    return parts;
  }

  // Sizes and checksum of a section.
  static std::string HeaderOf(const SummarySection& section) {
    return std::string(section.whole.substr(
        0, section.whole.size() - section.head.size() - section.stored.size()));
  }

  static std::uint64_t Digest(std::string_view bytes) {
    std::uint64_t digest = 0;
    const std::string hex = Sha256(bytes);
    std::from_chars(hex.data(), hex.data() + 16, digest, 16);
    return digest;
  }

  // ---- Parts with common sources ----

  // Keeps the parts that count, and adds their totals.
  Status Choose() {
    merger_ = SummaryMerger();
    sources_.clear();
    std::ranges::stable_sort(parts_, CountsBefore);
    std::vector<Part> all = std::exchange(parts_, {});
    std::set<std::size_t> merged, dropped;  // files
    for (Part& part : all) {
      const auto known =
          std::ranges::count_if(part.sources, [&](const SummarySource& source) {
            return sources_.contains(source.key);
          });
      if (known == 0) {
        for (const SummarySource& source : part.sources)
          sources_.try_emplace(source.key, source);
        merged.insert(part.file);
        parts_.push_back(std::move(part));
      } else if (!IsKnown(part)) {
        dropped.insert(part.file);
        std::string why = WhyNot(part, static_cast<std::size_t>(known));
        if (strict_) return Error(ErrorCode::kUsage, std::move(why));
        (CanBeReplaced(part) ? outcome_.replaced : outcome_.left_out)
            .push_back(std::move(why));
      }
    }
    outcome_.twice = outcome_.merged;
    outcome_.merged = merged.size();
    merged.merge(dropped);
    outcome_.twice -= merged.size();
    if (KeepsApart()) return Ok();
    for (const Part& part : parts_) merger_.Add(TRY(ReadAgain(part)));
    return Ok();
  }

  bool KeepsApart() const {
    return parts_.size() == 1 || sources_.size() <= kMostApart;
  }

  // Whether the whole part already counts, with the same content.
  bool IsKnown(const Part& part) const {
    return std::ranges::all_of(part.sources, [&](const SummarySource& source) {
      const auto counted = sources_.find(source.key);
      return counted != sources_.end() && counted->second == source;
    });
  }

  // Whether the part can be left out without loss: each of its sources counts
  // in a state that is no earlier.
  bool CanBeReplaced(const Part& part) const {
    return std::ranges::all_of(part.sources, [&](const SummarySource& source) {
      const auto counted = sources_.find(source.key);
      return counted != sources_.end() && counted->second >= source;
    });
  }

  // `known`: how many sources of the part count already, at least one.
  std::string WhyNot(const Part& part, std::size_t known) const {
    const std::string path = files_[part.file].string();
    if (CanBeReplaced(part)) {
      return fmt::format(
          "{}: a later summary of {} counts, and not this one (launches: {})",
          path, NameOf(part.sources), part.End().second);
    }
    if (part.sources.size() == 1) {
      return fmt::format(
          "{}: an earlier summary of {} is part of totals that cannot be taken "
          "apart",
          path, NameOf(part.sources));
    }
    return fmt::format(
        "{}: {} of its {} processes are in another summary as well, and totals "
        "cannot be taken apart",
        path, known, part.sources.size());
  }

  Result<Summary> ReadAgain(const Part& part) {
    SummaryPart found;
    found.totals = TRY(SectionAt(part.totals));
    if (part.about.length > 0) found.about = TRY(SectionAt(part.about));
    return ReadPart(found);
  }

  // Finds a section again. kSystem: the file has changed since.
  Result<SummarySection> SectionAt(const Place& place) {
    const MappedFile* file = TRY(OpenAgain(place.file));
    const std::string_view bytes = file->bytes();
    if (place.offset + place.length <= bytes.size()) {
      const auto section = OneSection(bytes.substr(place.offset, place.length));
      if (section) return *section;
    }
    return Error(ErrorCode::kSystem,
                 files_[place.file].string() + ": changed while it was read");
  }

  // ---- The output ---------

  Status Write(const fs::path& output) {
    std::ranges::stable_sort(parts_, {}, &Part::sources);
    std::vector<RankPlace> ranks;
    std::set<std::string_view> trees;
    for (Part& part : parts_) {
      for (RankPlace& rank : part.ranks) {
        trees.insert(*rank.tree);
        ranks.push_back(std::move(rank));
      }
    }
    std::ranges::stable_sort(ranks, {}, &RankPlace::key);
    Status status = Ok();
    const auto copy = [&](const Place& place, std::ostream& out) {
      if (status.ok()) status = Copy(place, out);
    };
    Status written = WriteFileBy(output, [&](std::ostream& out) {
      WriteSummaryMagic(out);
      if (KeepsApart()) {
        for (const Part& part : parts_) {
          copy(part.about, out);
          copy(part.totals, out);
        }
      } else {
        Summary summary = merger_.Take();
        summary.sources.clear();
        for (const auto& [key, source] : sources_)
          summary.sources.push_back(source);
        WriteSection(out, kAboutSection, {}, AboutBytes(summary));
        WriteSection(out, kTotalsSection, {}, TotalsBytes(summary));
      }
      for (const std::string_view tree : trees)
        copy(trees_.find(tree)->second, out);
      for (const RankPlace& rank : ranks) copy(rank.section, out);
      WriteSection(out, kEndSection, {}, {});
      if (!status.ok()) out.setstate(std::ios::failbit);
    });
    if (!status.ok()) return status;
    return written;
  }

  Status Copy(const Place& place, std::ostream& out) {
    if (place.length == 0) return Ok();
    const SummarySection section = TRY(SectionAt(place));
    out << section.whole;
    return Ok();
  }

  // The last few files stay open: the ranks of two files may alternate.
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
    for (const auto& [key, source] : sources_) {
      if (key.rank >= 0) ++starts[key.rank];
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
  std::map<RankKey, SummarySource> sources_{};  // of `parts_`
  std::vector<Part> parts_{};
  std::map<std::string, Place, std::less<>> trees_{};  // by digest
  VerifiedTrees verified_{};
  bool overlap_ = false;
  std::list<Open> open_{};
};

}  // namespace

Result<MergeOutcome> MergeSummaries(std::span<const fs::path> files,
                                    const fs::path& output, bool strict) {
  return FileMerge(files, strict).Run(output);
}

}  // namespace rangefinder
