#include "base/file.h"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "tests/support/temp_dir.h"

namespace rangefinder {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class AFile : public ::testing::Test {
 protected:
  fs::path Write(const std::string& name, const std::string& bytes) const {
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
    return folder_ / name;
  }
  fs::path Pipe() const {
    const fs::path path = folder_ / "pipe";
    EXPECT_EQ(::mkfifo(path.c_str(), 0600), 0);
    return path;
  }

  const TempDir folder_;
};

// Reading a page of a mapping behind the file's new end raises SIGBUS.
TEST_F(AFile, CutWhileMappedReadsAsZerosBehindTheCut) {
  constexpr std::size_t kKept = 70000;
  const fs::path path = Write("f", std::string(1 << 20, 'x'));
  const auto file = MappedFile::Open(path);
  ASSERT_TRUE(file.ok());
  fs::resize_file(path, kKept);
  const std::string seen(file.value().bytes());
  EXPECT_EQ(seen,
            std::string(kKept, 'x') + std::string((1 << 20) - kKept, '\0'));
  EXPECT_TRUE(file.value().is_incomplete());
}

TEST_F(AFile, RemovedAndCutReadsAsZeros) {
  const fs::path path = Write("f", std::string(300000, 'x'));
  const auto file = MappedFile::Open(path);
  fs::resize_file(path, 0);
  fs::remove(path);
  EXPECT_EQ(file.value().bytes(), std::string(300000, '\0'));
  EXPECT_TRUE(file.value().is_incomplete());
}

TEST_F(AFile, CutWhileManyThreadsReadIt) {
  const fs::path path = Write("f", std::string(8 << 20, 'x'));
  const auto file = MappedFile::Open(path);
  fs::resize_file(path, 4 << 20);
  std::atomic<std::size_t> kept = 0;
  std::vector<std::thread> readers;
  for (int i = 0; i < 4; ++i) {
    readers.emplace_back([&] {
      for (const char c : file.value().bytes()) kept += c == 'x' ? 1 : 0;
    });
  }
  for (std::thread& reader : readers) reader.join();
  EXPECT_EQ(kept, std::size_t{4} * (4 << 20));
}

TEST_F(AFile, AnotherBusErrorEndsTheProgram) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "SKIPPED: AddressSanitizer takes the signal for itself";
#endif
  const auto file = MappedFile::Open(Write("f", "x"));
  EXPECT_EXIT(::raise(SIGBUS), ::testing::KilledBySignal(SIGBUS), "");
}

TEST_F(AFile, OfFullLengthIsNotIncomplete) {
  const auto file = MappedFile::Open(Write("f", "text"));
  EXPECT_EQ(file.value().bytes(), "text");
  EXPECT_FALSE(file.value().is_incomplete());
  EXPECT_TRUE(file.value().holes().empty());
}

TEST_F(AFile, WithHolesTellsTheirPlaces) {
  const fs::path path = Write("f", "begin");
  fs::resize_file(path, std::uintmax_t{50} << 30);
  const auto file = MappedFile::Open(path);
  ASSERT_TRUE(file.ok());
  EXPECT_EQ(file.value().bytes().size(), std::size_t{50} << 30);
  const auto& holes = file.value().holes();
  if (holes.empty()) GTEST_SKIP() << "SKIPPED: no holes on this file system";
  ASSERT_EQ(holes.size(), 1U);
  EXPECT_LE(holes[0].offset, 1U << 20);
  EXPECT_EQ(holes[0].offset + holes[0].length, std::size_t{50} << 30);
}

TEST_F(AFile, OfTextIsLimitedInLength) {
  const fs::path path = Write("f", "");
  fs::resize_file(path, std::uintmax_t{50} << 30);
  const auto text = ReadFile(path);
  ASSERT_FALSE(text.ok());
  EXPECT_EQ(text.error().code(), ErrorCode::kCorrupt);
  EXPECT_THAT(text.error().message(), HasSubstr("f: longer than"));
}

TEST_F(AFile, OfTextIsNoPipeWithoutAWriter) {
  const auto text = ReadFile(Pipe());
  ASSERT_FALSE(text.ok());
  EXPECT_EQ(text.error().code(), ErrorCode::kCorrupt);
  EXPECT_THAT(text.error().message(), HasSubstr("no program writes"));
}

TEST_F(AFile, IsAmongThePathsInItsFolderByName) {
  const fs::path second = Write("b", "");
  const fs::path first = Write("a", "");
  EXPECT_EQ(PathsIn(folder_.path()), (std::vector<fs::path>{first, second}));
  EXPECT_TRUE(PathsIn(first).empty());
  EXPECT_TRUE(PathsIn(folder_ / "none").empty());
}

TEST_F(AFile, FoldersDevicesAndSocketsAreRefused) {
  const auto error = [](const fs::path& path) {
    const auto file = MappedFile::Open(path);
    const auto text = ReadFile(path);
    EXPECT_FALSE(file.ok());
    EXPECT_EQ(file.error().message(), text.error().message());
    return std::to_string(ExitStatus(file.error().code())) + " " +
           file.error().message();
  };
  EXPECT_EQ(error("/dev/zero"), "2 /dev/zero: is a device, not a file");
  EXPECT_THAT(error(folder_.path()), HasSubstr(": is a folder, not a file"));
  EXPECT_THAT(error(folder_ / "none"), HasSubstr("7 "));
  const int socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un at{};
  at.sun_family = AF_UNIX;
  const std::string name = (folder_ / "socket").string();
  ASSERT_LT(name.size(), sizeof at.sun_path);
  name.copy(at.sun_path, name.size());
  ASSERT_EQ(::bind(socket, reinterpret_cast<sockaddr*>(&at), sizeof at), 0);
  EXPECT_THAT(error(name), HasSubstr("2 " + name + ": is a socket"));
  ::close(socket);
}

TEST_F(AFile, APipeWithoutAWriterIsEmpty) {
  const fs::path pipe = Pipe();
  EXPECT_EQ(MappedFile::Open(pipe).value().bytes(), "");
}

TEST_F(AFile, ASlowPipeIsReadToItsEnd) {
  const fs::path pipe = Pipe();
  std::thread writer([&] {
    const int fd = ::open(pipe.c_str(), O_WRONLY);
    for (const char* part : {"one ", "two"}) {
      EXPECT_GT(::write(fd, part, std::string_view(part).size()), 0);
      std::this_thread::sleep_for(std::chrono::milliseconds(1200));
    }
    ::close(fd);
  });
  EXPECT_EQ(MappedFile::Open(pipe).value().bytes(), "one two");
  writer.join();
}

TEST_F(AFile, AnUnwantedPipeIsReadAtItsBeginningOnly) {
  const fs::path pipe = Pipe();
  ::signal(SIGPIPE, SIG_IGN);
  std::thread writer([&] {
    const int fd = ::open(pipe.c_str(), O_WRONLY);
    const std::string part(1 << 16, '\0');
    while (::write(fd, part.data(), part.size()) > 0) continue;
    ::close(fd);
  });
  const auto file =
      MappedFile::Open(pipe, [](std::string_view) { return false; });
  EXPECT_LE(file.value().bytes().size(), 1U << 16);
  writer.join();
}

}  // namespace
}  // namespace rangefinder
