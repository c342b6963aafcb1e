#include "ingest/reader.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <optional>
#include <set>
#include <system_error>

#include <fmt/format.h>

#include "base/interrupt.h"
#include "base/lists.h"
#include "ingest/compressed.h"
#include "ingest/long_names.h"
#include "ingest/ncu/ncu_reader.h"
#include "ingest/nsys/nsys_kernel_csv.h"
#include "ingest/nsys/nsys_reader.h"
#include "ingest/report/report_reader.h"
#include "ingest/sqlite_file.h"
#include "ingest/summary/summary_reader.h"
#include "ingest/trace/trace_reader.h"
#include "summary/sections.h"

namespace rangefinder {
namespace {

constexpr std::array kReaders = std::to_array<Reader>({
    {IsNcuReport, ReadNcuReport, {".ncu-rep", ".ncu-repz"}},
    {LooksLikeSqlite,
     [](const ReaderInput& input, Notes& notes) {
       return ReadNsys(input.path, notes, input.selection);
     },
     {".sqlite"}},
    {IsTrace, ReadRangefinderTrace, {".rftrace"}},
    {IsSummary, ReadRangefinderSummary, {".rfsum"}},
    {LooksLikeKernelSummary, ReadNsysKernelSummary},
    {IsRawCsv, ReadRawCsv, {}, true},
    {IsReportJson, ReadReportJson, {}, true},
});

// The magic numbers of all formats are within these bytes, and so is the header
// of a raw.csv without metrics.
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

enum class Content { kOther, kCapture, kUnreadable };

// The content of a file in a folder. kUnreadable: the name is that of a
// capture, and no reader knows the bytes, or the system refuses them.
Content ContentOf(const std::filesystem::directory_entry& entry) {
  using std::filesystem::file_type;
  std::error_code error;
  const file_type type = entry.status(error).type();
  if (type == file_type::regular) {
    const std::string first = FirstBytes(entry.path());
    if (const Reader* const reader = FindReader(first))
      return reader->is_derived ? Content::kOther : Content::kCapture;
    if (IsCompressed(first)) return Content::kCapture;
  } else if (type != file_type::not_found && type != file_type::none) {
    return Content::kOther;
  }
  return IsNamedAsCapture(entry.path()) ? Content::kUnreadable
                                        : Content::kOther;
}

// Adds the entries of `folder` itself that are `wanted`, sorted by name.
template <typename Wanted>
std::error_code AddEntries(const std::filesystem::path& folder, Wanted wanted,
                           std::vector<std::filesystem::path>& files) {
  std::error_code error;
  std::vector<std::filesystem::path> found;
  std::filesystem::directory_iterator it(folder, error);
  for (; !error && it != std::filesystem::directory_iterator();
       it.increment(error)) {
    if (wanted(*it)) found.push_back(it->path());
  }
  std::ranges::sort(found);
  files.insert(files.end(), found.begin(), found.end());
  return error;
}

// Adds the captures of `folder` itself, and the unreadable files among them,
// whose reading gives the note. Returns whether there is a capture.
bool AddCaptures(const std::filesystem::path& folder,
                 std::vector<std::filesystem::path>& files) {
  bool any = false;
  const auto wanted = [&](const std::filesystem::directory_entry& entry) {
    const Content content = ContentOf(entry);
    any = any || content == Content::kCapture;
    return content != Content::kOther;
  };
  if (AddEntries(folder, wanted, files) == std::errc::permission_denied)
    files.push_back(folder);
  return any;
}

// Adds the files of `folder` itself that `derived` reads.
void AddDerived(const std::filesystem::path& folder, const Reader& derived,
                std::vector<std::filesystem::path>& files) {
  const auto wanted = [&](const std::filesystem::directory_entry& entry) {
    std::error_code error;
    if (!entry.is_regular_file(error)) return false;
    const std::string first = FirstBytes(entry.path());
    return FindReader(first) == &derived && !HasNoMetrics(first);
  };
  AddEntries(folder, wanted, files);
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

bool IsNamedAsCapture(const std::filesystem::path& path) {
  const std::filesystem::path plain =
      path.extension() == ".zst" ? path.stem() : path.filename();
  const std::string ending = plain.extension().string();
  return !ending.empty() &&
         std::ranges::any_of(kReaders, [&](const Reader& reader) {
           return Has(reader.endings, ending);
         });
}

Result<CaptureFile> CaptureFile::Open(const std::filesystem::path& path,
                                      Notes& notes) {
  CaptureFile file(path.string(), TRY(MappedFile::Open(path, IsReadable)));
  std::string_view bytes = file.file_.bytes();
  if (bytes.empty())
    return Error(ErrorCode::kCorrupt, "the file is empty").In(file.path_);
  std::string damage;
  if (IsCompressed(bytes)) {
    Decompressed plain = TRY(DecompressZstd(bytes).In(file.path_));
    damage = std::move(plain.damage);
    bytes = file.decompressed_.emplace(std::move(plain.bytes));
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
          .forget = [this](std::string_view part) { file_.Forget(part); },
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
    bool any = false;
    for (const char* inner :
         {"", "trace", "trace/count", "count", "ncu", "nsys"})
      any = AddCaptures(path / inner, files) || any;
    if (!any) {
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
  const auto whole = [](const std::filesystem::path& file) {
    std::error_code error;
    auto path = std::filesystem::weakly_canonical(file, error);
    return error ? file : path;
  };
  std::erase_if(files, [&](const std::filesystem::path& file) {
    return !seen.insert(whole(file)).second;
  });
  // A compressed copy is left out beside a readable file.
  std::erase_if(files, [&](const std::filesystem::path& file) {
    if (file.extension() != ".zst") return false;
    const auto plain = whole(std::filesystem::path(file).replace_extension());
    return seen.contains(plain) && FindReader(FirstBytes(plain)) != nullptr;
  });
  return files;
}

std::vector<std::filesystem::path> FindDerived(
    const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const Reader& reader : kReaders) {
    for (const char* inner : {"", "ncu", "ncu/regions"}) {
      if (reader.is_derived && files.empty())
        AddDerived(folder / inner, reader, files);
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
