// Reading the files that profilers leave: bytes in, a Profile out.
//
// To add a format, write the two functions of its Reader in a subfolder of its
// own, and give it a row in the table in reader.cc.

#pragma once

#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/notes.h"
#include "ingest/reader_input.h"
#include "profile/profile.h"

namespace rangefinder {

class MappedFile;

struct Reader {
  std::string_view name{};  // "ncu-rep"
  // Decides by the first bytes of a file.
  bool (*recognizes)(std::string_view bytes) = nullptr;
  // kCorrupt when nothing could be read. A damaged file gives the results
  // before the damage, with a note.
  Result<Profile> (*read)(const ReaderInput& input, Notes& notes) = nullptr;
};

// The reader that recognizes a file by its first bytes; null: none does.
const Reader* FindReader(std::string_view bytes);

// Adds a note where a part of `file` could not be read.
void NoteIncomplete(const MappedFile& file, const std::string& path,
                    Notes& notes);

// The files that `paths` name, each file once. A folder stands for the files
// that some reader recognizes in it and in its folders `trace`, `count`, `ncu`
// and `nsys`, sorted by name. kSystem where a path does not exist, kUsage where
// a folder holds no capture.
Result<std::vector<std::filesystem::path>> FindArtifacts(
    std::span<const std::string> paths);

// All files as one profile, in the order given. An unreadable file is noted; it
// is an error only when no file is readable. `ranks` gives, by file, the rank
// of its processes where the file itself has none: processes of two hosts may
// have the same id, and the rank tells them apart. An interrupt ends the
// program during the call (base/interrupt.h), so write files that must survive
// before it.
Result<Profile> ReadArtifacts(std::span<const std::filesystem::path> files,
                              Notes& notes,
                              const std::map<std::string, int>& ranks = {});

}  // namespace rangefinder
