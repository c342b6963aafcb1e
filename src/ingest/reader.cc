#include "ingest/reader.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <optional>
#include <set>
#include <system_error>

#include <fmt/format.h>

#include "base/file.h"
#include "base/interrupt.h"
#include "ingest/long_names.h"
#include "ingest/ncu/ncu_reader.h"
#include "ingest/nsys/nsys_reader.h"
#include "ingest/sqlite_file.h"
#include "ingest/summary/summary_reader.h"
#include "ingest/trace/trace_reader.h"

namespace rangefinder {
namespace {

constexpr std::array kReaders = std::to_array<Reader>({
    {"ncu-rep", IsNcuReport, ReadNcuReport},
    {"ncu-repz", IsCompressedNcuReport, ReadCompressedNcuReport},
    {"nsys-sqlite", LooksLikeSqlite,
     [](const ReaderInput& input, Notes& notes) {
       return ReadNsys(input.path, notes);
     }},
    {"trace", IsRangefinderTrace, ReadRangefinderTrace},
    {"summary", IsRangefinderSummary, ReadRangefinderSummary},
});

// Every format's magic number is within these bytes.
std::string FirstBytes(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::string bytes(64, '\0');
  in.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  bytes.resize(static_cast<std::size_t>(in.gcount()));
  return bytes;
}

// Adds the recognized files of `folder` itself, sorted by name.
void AddFolder(const std::filesystem::path& folder,
               std::vector<std::filesystem::path>& files) {
  std::error_code error;
  std::vector<std::filesystem::path> found;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (entry.is_regular_file(error) && FindReader(FirstBytes(entry.path())))
      found.push_back(entry.path());
  }
  std::ranges::sort(found);
  files.insert(files.end(), found.begin(), found.end());
}

Result<Profile> ReadOne(const std::filesystem::path& path, Notes& notes) {
  const MappedFile file =
      TRY(MappedFile::Open(path, [](std::string_view first) {
        return FindReader(first) != nullptr;
      }));
  const ReaderInput input{
      .path = path.string(),
      .bytes = file.bytes(),
      .forget =
          [&file](std::string_view part) {
            file.Forget(
                static_cast<std::size_t>(part.data() - file.bytes().data()),
                part.size());
          },
      .holes = file.holes()};
  if (input.bytes.empty())
    return Error(ErrorCode::kCorrupt, "the file is empty").In(input.path);
  const Reader* reader = FindReader(input.bytes);
  if (reader == nullptr) {
    return Error(ErrorCode::kCorrupt,
                 "not a capture that rangefinder reads (an Nsight Compute "
                 "report, a rangefinder trace, or an Nsight Systems SQLite "
                 "export)")
        .In(input.path);
  }
  Result<Profile> profile = reader->read(input, notes);
  if (profile.ok()) ShortenLongNames(profile.value(), notes, input.path);
  NoteIncomplete(file, input.path, notes);
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

void NoteIncomplete(const MappedFile& file, const std::string& path,
                    Notes& notes) {
  if (!file.is_incomplete()) return;
  notes.Add(Severity::kDataLoss, "incomplete_file",
            "the file became shorter while it was read, or a part of it cannot "
            "be read; the missing part is left out",
            path);
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
    AddFolder(path, files);
    for (const char* inner : {"trace", "trace/count", "count", "ncu", "nsys"})
      AddFolder(path / inner, files);
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

Result<Profile> ReadArtifacts(std::span<const std::filesystem::path> files,
                              Notes& notes,
                              const std::map<std::string, int>& ranks) {
  const InterruptEnds interrupts;
  std::optional<Profile> all;
  std::optional<Error> first_error;
  for (const std::filesystem::path& path : files) {
    Result<Profile> profile = ReadOne(path, notes);
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
