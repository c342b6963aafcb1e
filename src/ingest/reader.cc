#include "ingest/reader.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <optional>
#include <set>
#include <system_error>

#include <fmt/format.h>

#include "base/interrupt.h"
#include "ingest/compressed.h"
#include "ingest/long_names.h"
#include "ingest/ncu/ncu_reader.h"
#include "ingest/nsys/nsys_kernel_csv.h"
#include "ingest/nsys/nsys_reader.h"
#include "ingest/report/report_reader.h"
#include "ingest/sqlite_file.h"
#include "ingest/summary/summary_reader.h"
#include "ingest/trace/trace_reader.h"

namespace rangefinder {
namespace {

constexpr std::array kReaders = std::to_array<Reader>({
    {"ncu-rep", IsNcuReport, ReadNcuReport},
    {"nsys-sqlite", LooksLikeSqlite,
     [](const ReaderInput& input, Notes& notes) {
       return ReadNsys(input.path, notes, input.selection);
     }},
    {"trace", IsRangefinderTrace, ReadRangefinderTrace},
    {"summary", IsRangefinderSummary, ReadRangefinderSummary},
    {"nsys-kernel-csv", LooksLikeKernelSummary, ReadNsysKernelSummary},
    {"raw-csv", IsRawCsv, ReadRawCsv, true},
    {"report-json", IsReportJson, ReadReportJson, true},
});

// Every format's magic number is within these bytes, and the header of a
// raw.csv without metrics.
std::string FirstBytes(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::string bytes(128, '\0');
  in.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  bytes.resize(static_cast<std::size_t>(in.gcount()));
  return bytes;
}

bool IsReadable(std::string_view first_bytes) {
  return IsCompressed(first_bytes) || FindReader(first_bytes) != nullptr;
}

// Adds the files of `folder` itself, sorted by name: captures, or the files of
// `derived`.
void AddFolder(const std::filesystem::path& folder, const Reader* derived,
               std::vector<std::filesystem::path>& files) {
  std::error_code error;
  std::vector<std::filesystem::path> found;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (!entry.is_regular_file(error)) continue;
    const std::string first = FirstBytes(entry.path());
    const Reader* const reader = FindReader(first);
    const bool wanted = derived != nullptr
                            ? reader == derived && !HasNoMetrics(first)
                        : reader != nullptr ? !reader->is_derived
                                            : IsCompressed(first);
    if (wanted) found.push_back(entry.path());
  }
  std::ranges::sort(found);
  files.insert(files.end(), found.begin(), found.end());
}

Result<Profile> ReadOne(const std::filesystem::path& path,
                        const ReadSelection& selection, Notes& notes) {
  const CaptureFile file = TRY(CaptureFile::Open(path, notes));
  ReaderInput input = file.input();
  input.selection = &selection;
  Result<Profile> profile = file.reader().read(input, notes);
  if (profile.ok()) {
    ShortenLongNames(profile.value(), notes, input.path);
    for (Artifact& artifact : profile.value().artifacts)
      // The time of a derived file is that of its report, not of its capture.
      if (artifact.created_unix_s == 0 && !file.reader().is_derived)
        artifact.created_unix_s = ModificationTime(path);
  }
  file.NoteIncomplete(notes);
  if (profile.ok() || profile.error().message().starts_with(input.path))
    return profile;
  return std::move(profile).error().In(input.path);
}

}  // namespace

const Reader* FindReader(std::string_view bytes) {
  const auto* const reader = std::ranges::find_if(
      kReaders, [&](const Reader& row) { return row.recognizes(bytes); });
  return reader == kReaders.end() ? nullptr : reader;
}

Result<CaptureFile> CaptureFile::Open(const std::filesystem::path& path,
                                      Notes& notes) {
  CaptureFile file(path.string(), TRY(MappedFile::Open(path, IsReadable)));
  std::string_view bytes = file.file_.bytes();
  if (bytes.empty())
    return Error(ErrorCode::kCorrupt, "the file is empty").In(file.path_);
  std::string damage;
  if (IsCompressed(bytes)) {
    Result<Decompressed> plain = DecompressZstd(bytes);
    if (!plain.ok()) return std::move(plain).error().In(file.path_);
    damage = std::move(plain.value().damage);
    bytes = file.decompressed_.emplace(std::move(plain.value().bytes));
  }
  file.reader_ = FindReader(bytes);
  // A database is opened by the path of its file.
  if (file.decompressed_ && LooksLikeSqlite(bytes)) {
    return Error(ErrorCode::kUnsupported,
                 "a compressed SQLite database; decompress it first: zstd -d")
        .In(file.path_);
  }
  if (file.reader_ == nullptr) {
    const std::string_view formats =
        "an Nsight Compute report or its raw.csv, a trace, a summary or a "
        "report.json of "
        "rangefinder, an SQLite export or a kernel summary of Nsight Systems";
    return Error(ErrorCode::kCorrupt,
                 !damage.empty() ? damage
                                 : fmt::format("not a capture that rangefinder "
                                               "reads ({})",
                                               formats))
        .In(file.path_);
  }
  if (!damage.empty()) {
    notes.Add(
        Severity::kDataLoss, "damaged_file",
        fmt::format("the file is truncated or damaged; the results before "
                    "the damage are in this report ({})",
                    damage),
        file.path_);
  }
  return file;
}

ReaderInput CaptureFile::input() const {
  if (decompressed_) return {.path = path_, .bytes = *decompressed_};
  return {.path = path_,
          .bytes = file_.bytes(),
          .forget =
              [this](std::string_view part) {
                file_.Forget(static_cast<std::size_t>(part.data() -
                                                      file_.bytes().data()),
                             part.size());
              },
          .holes = file_.holes()};
}

void CaptureFile::NoteIncomplete(Notes& notes) const {
  if (!file_.is_incomplete()) return;
  notes.Add(Severity::kDataLoss, "incomplete_file",
            "the file became shorter while it was read, or a part of it cannot "
            "be read; the missing part is left out",
            path_);
}

Result<std::vector<std::filesystem::path>> FindArtifacts(
    std::span<const std::string> paths) {
  std::vector<std::filesystem::path> files;
  for (const std::string& text : paths) {
    const std::filesystem::path path(text);
    std::error_code error;
    const auto status = std::filesystem::status(path, error);
    if (status.type() == std::filesystem::file_type::not_found)
      return Error(ErrorCode::kSystem, text + ": no such file or folder");
    if (error) return Error(ErrorCode::kSystem, text + ": " + error.message());
    if (!std::filesystem::is_directory(status)) {
      files.push_back(path);
      continue;
    }
    const std::size_t before = files.size();
    for (const char* inner :
         {"", "trace", "trace/count", "count", "ncu", "nsys"})
      AddFolder(path / inner, nullptr, files);
    if (files.size() == before) {
      const auto derived = FindDerived(path);
      files.insert(files.end(), derived.begin(), derived.end());
    }
    if (files.size() == before) {
      return Error(ErrorCode::kUsage,
                   fmt::format("{}: no capture in this folder (looked for "
                               ".ncu-rep, traces and nsys .sqlite here and in "
                               "ncu/, trace/ and nsys/)",
                               text));
    }
  }
  // A file may be named twice, or named and in a named folder.
  std::set<std::filesystem::path> seen;
  std::erase_if(files, [&](const std::filesystem::path& file) {
    std::error_code error;
    std::filesystem::path whole =
        std::filesystem::weakly_canonical(file, error);
    return !seen.insert(error ? file : std::move(whole)).second;
  });
  return files;
}

std::vector<std::filesystem::path> FindDerived(
    const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const Reader& reader : kReaders) {
    for (const char* inner : {"", "ncu", "ncu/regions"}) {
      if (reader.is_derived && files.empty())
        AddFolder(folder / inner, &reader, files);
    }
  }
  return files;
}

Result<Profile> ReadArtifacts(std::span<const std::filesystem::path> files,
                              Notes& notes,
                              const std::map<std::string, int>& ranks,
                              const ReadSelection& selection) {
  const InterruptEnds interrupts;
  std::optional<Profile> all;
  std::optional<Error> first_error;
  for (const std::filesystem::path& path : files) {
    Result<Profile> profile = ReadOne(path, selection, notes);
    if (!profile.ok()) {
      if (!first_error) first_error = profile.error();
      notes.Add(Severity::kDataLoss, "unreadable_file",
                profile.error().message(), path.string());
      continue;
    }
    if (const auto rank = ranks.find(path.string()); rank != ranks.end()) {
      for (Process& process : profile.value().processes)
        if (process.rank < 0) process.rank = rank->second;
    }
    if (!all)
      all = std::move(profile).value();
    else
      Append(*all, profile.value());
  }
  if (all) return std::move(*all);
  if (first_error) return *std::move(first_error);
  return Error(ErrorCode::kUsage, "no file to read");
}

}  // namespace rangefinder
