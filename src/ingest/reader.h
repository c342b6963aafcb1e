// Reading the files that profilers leave: bytes in, a Profile out.
//
// To add a format, write the two functions of its Reader in a subfolder of its
// own, and give it a row in the table in reader.cc.

#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/file.h"
#include "base/notes.h"
#include "ingest/reader_input.h"
#include "profile/profile.h"

namespace rangefinder {

struct Reader {
  std::string_view name{};  // "ncu-rep"
  // Decides by the first bytes of a file.
  bool (*recognizes)(std::string_view bytes) = nullptr;
  // kCorrupt when nothing could be read. A damaged file gives the results
  // before the damage, with a note.
  Result<Profile> (*read)(const ReaderInput& input, Notes& notes) = nullptr;
  // Made from captures, and holds less. Such a file of a folder is read where
  // the folder has no capture.
  bool is_derived = false;
};

// The reader that recognizes a file by its first bytes; null: none does.
const Reader* FindReader(std::string_view bytes);

// An open capture: the bytes that its reader takes, decompressed where the file
// is a zstd stream.
class CaptureFile {
 public:
  // kCorrupt where no reader recognizes the file. Damage of a zstd stream is
  // noted.
  static Result<CaptureFile> Open(const std::filesystem::path& path,
                                  Notes& notes);

  const Reader& reader() const { return *reader_; }
  // Valid as long as this lives.
  ReaderInput input() const;
  // Adds a note where a part of the file could not be read.
  void NoteIncomplete(Notes& notes) const;

 private:
  CaptureFile(std::string path, MappedFile file)
      : path_(std::move(path)), file_(std::move(file)) {}

  std::string path_;
  MappedFile file_;
  std::optional<std::string> decompressed_{};
  const Reader* reader_ = nullptr;
};

// The files that `paths` name, each file once. A folder stands for the captures
// that some reader recognizes in it and in its folders `trace`, `count`, `ncu`
// and `nsys`, sorted by name; without a capture, for what FindDerived() finds.
// kSystem where a path does not exist, kUsage where a folder holds nothing.
Result<std::vector<std::filesystem::path>> FindArtifacts(
    std::span<const std::string> paths);

// Files in `folder`, its `ncu` and its `ncu/regions` that were made from
// captures: of the first reader in the table, and the first of these folders,
// that has some.
std::vector<std::filesystem::path> FindDerived(
    const std::filesystem::path& folder);

// All files as one profile, in the order given. An unreadable file is noted; it
// is an error only when no file is readable. `ranks` gives, by file, the rank
// of its processes where the file itself has none: processes of two hosts may
// have the same id, and the rank tells them apart. An interrupt ends the
// program during the call (base/interrupt.h), so write files that must survive
// before it. Of traces and exports of Nsight Systems, what `selection` leaves
// out is not read.
Result<Profile> ReadArtifacts(std::span<const std::filesystem::path> files,
                              Notes& notes,
                              const std::map<std::string, int>& ranks = {},
                              const ReadSelection& selection = {});

}  // namespace rangefinder
