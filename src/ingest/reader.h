// Reading what profilers leave behind: bytes in, a Profile out.
//
// To add a format: write a Reader's two functions in a .cc of its own, declare
// them, and give it a line in the table in reader.cc.

#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/file_mapping.h"
#include "base/notes.h"
#include "profile/profile.h"

namespace rangefinder {

class MappedFile;

// A file to read. The bytes are borrowed for the time of the call.
struct ReaderInput {
  std::string path{};  // as the user named it; for messages and formats that
                       // are opened by path
  std::string_view bytes{};
  // Called with parts of `bytes` that will not be read again, so that a mapped
  // file need not stay in memory; may be empty.
  std::function<void(std::string_view)> forget{};
  // Parts of `bytes` that are zeros without being looked at, in order.
  std::span<const FileHole> holes{};
};

struct Reader {
  std::string_view name{};  // "ncu-rep"
  // By the first bytes alone.
  bool (*recognizes)(std::string_view bytes) = nullptr;
  // kCorrupt when nothing could be read; what was read before a damage, with a
  // note, otherwise.
  Result<Profile> (*read)(const ReaderInput& input, Notes& notes) = nullptr;
};

std::span<const Reader> Readers();
const Reader* FindReader(std::string_view bytes);

// Notes where a part of `file` could not be read.
void NoteIncomplete(const MappedFile& file, const std::string& path,
                    Notes& notes);

// The files that `paths` mean: a file itself; of a folder, and of its folders
// `ncu`, `trace` and `nsys`, the files that some reader recognizes, by name;
// each file once. kSystem where a path is not there, kUsage where a folder
// holds no capture.
Result<std::vector<std::filesystem::path>> FindArtifacts(
    std::span<const std::string> paths);

// All files as one profile, in the order given. A file of which nothing can be
// read is noted, and an error only where nothing else is left. `ranks` has, by
// file, the rank of its processes where the file itself does not say: processes
// of two hosts may have one id, and are told apart by it. An interrupt ends the
// program (base/interrupt.h): what is not to be lost is written before.
Result<Profile> ReadArtifacts(std::span<const std::filesystem::path> files,
                              Notes& notes,
                              const std::map<std::string, int>& ranks = {});

}  // namespace rangefinder
