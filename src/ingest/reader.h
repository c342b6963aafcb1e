// Reads the files of profilers: bytes in, a Profile out.
//
// To add a format, write the two functions of its Reader in a subfolder of its
// own, and add a row to the table in reader.cc.

#pragma once

#include <array>
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
  // Decides by the first bytes of a file.
  bool (*recognizes)(std::string_view bytes) = nullptr;
  // kCorrupt: nothing could be read. A damaged file gives the results before
  // the damage, with a note.
  Result<Profile> (*read)(const ReaderInput& input, Notes& notes) = nullptr;
  // The endings of the names of such files; none for formats of text.
  std::array<std::string_view, 2> endings{};
  // The file was made from captures and holds less. Derived files of a folder
  // are read only if the folder has no capture.
  bool is_derived = false;
};

// The reader that recognizes a file by its first bytes; null: none does.
const Reader* FindReader(std::string_view bytes);

// Whether a file has the name of a capture, whatever its bytes are.
bool IsNamedAsCapture(const std::filesystem::path& path);

// An open capture: its bytes, decompressed if the file is a zstd stream.
class CaptureFile {
 public:
  // kCorrupt: no reader recognizes the file. Damage of a zstd stream is noted.
  static Result<CaptureFile> Open(const std::filesystem::path& path,
                                  Notes& notes);

  const Reader& reader() const { return *reader_; }
  // Valid as long as the CaptureFile.
  ReaderInput input() const;
  // Adds a note if a part of the file could not be read.
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
// in it and in its folders `trace`, `count`, `ncu` and `nsys`, sorted by name;
// if there are none, for the files of FindDerived(). A file with the ending of
// a capture is listed even if its bytes are unknown or cannot be read, and so
// is a folder that the system refuses, so that reading them gives a note.
// kSystem: a path does not exist. kUsage: a folder has no such file.
Result<std::vector<std::filesystem::path>> FindArtifacts(
    std::span<const std::string> paths);

// Files in `folder`, its `ncu` and its `ncu/regions` that were made from
// captures. All have one format, the first in the table of readers that occurs,
// and are in one folder, the first of these three with that format.
std::vector<std::filesystem::path> FindDerived(
    const std::filesystem::path& folder);

// All files as one profile, in the given order. An unreadable file is noted;
// only if no file is readable, it is an error. `ranks` gives, by file, the rank
// of its processes if the file itself has none: processes of two hosts may have
// the same id, and the rank tells them apart. An interrupt ends the program
// during the call (base/interrupt.h), so write files that must survive before
// it. Parts of traces and of exports of Nsight Systems that `selection` leaves
// out are not read.
Result<Profile> ReadArtifacts(std::span<const std::filesystem::path> files,
                              Notes& notes,
                              const std::map<std::string, int>& ranks = {},
                              const ReadSelection& selection = {});

}  // namespace rangefinder
