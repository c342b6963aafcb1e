// Takes descriptors, space, rights or calls from the program.

#include <cstddef>
#include <cstdio>
#include <cstring>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "foreign.h"

namespace foreign {
namespace {

void Limit(__rlimit_resource_t what, rlim_t most) {
  rlimit limit{};
  getrlimit(what, &limit);
  limit.rlim_cur = most;
  if (setrlimit(what, &limit) != 0) Say("setrlimit: %d", errno);
}

// Opens every descriptor that the limit allows.
void Descriptors(const Action&) {
  Limit(RLIMIT_NOFILE, 40);
  while (open("/dev/null", O_RDONLY | O_CLOEXEC) >= 0) {
  }
  Say("open: %d", errno);
}

void FileSize(const Action& action) {
  Limit(RLIMIT_FSIZE, static_cast<rlim_t>(action.first) * 1024);
}

// Allows so many MiB more than are mapped.
void AddressSpace(const Action& action) {
  std::FILE* file = std::fopen("/proc/self/statm", "re");
  long pages = 0;
  if (file == nullptr || std::fscanf(file, "%ld", &pages) != 1) pages = 100000;
  if (file != nullptr) std::fclose(file);
  Limit(RLIMIT_AS, static_cast<rlim_t>(pages) * 4096 +
                       static_cast<rlim_t>(action.first) * 1048576);
}

void DropRights(const Action&) {
  if (setresgid(65534, 65534, 65534) != 0 ||
      setresuid(65534, 65534, 65534) != 0)
    Say("setresuid: %d", errno);
}

// Allows no further process or thread.
void Processes(const Action& action) {
  DropRights(action);
  Limit(RLIMIT_NPROC, 0);
}

void Close(const Action& action) {
  close(static_cast<int>(action.first));
}

// Closes all descriptors but that of the report, as daemons do.
void CloseAll(const Action&) {
  for (int i = 3; i < 1024; ++i) {
    if (i != kReport) close(i);
  }
}

void Mask(const Action&) {
  umask(0777);
}

void ChangeFolder(const Action&) {
  if (chdir("/") != 0) Say("chdir: %d", errno);
}

void ChangeRoot(const Action&) {
  if (chroot(".") != 0 || chdir("/") != 0) Say("chroot: %d", errno);
}

// ---- The traces ------------------------------------------------------------

// Calls `work` with each file of the folder of the traces.
void ForEachTrace(void (*work)(int folder, const char* name)) {
  DIR* folder = opendir(Environment("FOREIGN_FOLDER"));
  if (folder == nullptr) return;
  while (const dirent* entry = readdir(folder)) {
    if (entry->d_name[0] != '.') work(dirfd(folder), entry->d_name);
  }
  closedir(folder);
}

void RemoveTraces(const Action&) {
  ForEachTrace([](int folder, const char* name) { unlinkat(folder, name, 0); });
  rmdir(Environment("FOREIGN_FOLDER"));
}

void TruncateTraces(const Action&) {
  ForEachTrace([](int folder, const char* name) {
    const int file = openat(folder, name, O_WRONLY | O_CLOEXEC);
    if (file >= 0 && ftruncate(file, 0) != 0) Say("ftruncate: %d", errno);
    close(file);
  });
}

// ---- Sandboxes -------------------------------------------------------------

constexpr sock_filter Load(std::size_t offset) {
  return BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<__u32>(offset));
}
constexpr sock_filter SkipUnless(long call) {
  return BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<__u32>(call), 0, 1);
}
constexpr sock_filter Answer(unsigned answer) {
  return BPF_STMT(BPF_RET | BPF_K, answer);
}

void Forbid(const sock_filter* filter, std::size_t size) {
  const sock_fprog program{static_cast<unsigned short>(size),
                           const_cast<sock_filter*>(filter)};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
    Say("seccomp: %d", errno);
}

// 0: fallocate() kills. 1: nothing can be opened. 2: no fallocate(). 3: nothing
// can be mapped but memory.
void Sandbox(const Action& action) {
  constexpr unsigned kRefuse = SECCOMP_RET_ERRNO | EPERM;
  const sock_filter kill[] = {
      Load(offsetof(seccomp_data, nr)), SkipUnless(SYS_fallocate),
      Answer(SECCOMP_RET_KILL_PROCESS), Answer(SECCOMP_RET_ALLOW)};
  const sock_filter open[] = {Load(offsetof(seccomp_data, nr)),
                              SkipUnless(SYS_openat), Answer(kRefuse),
                              Answer(SECCOMP_RET_ALLOW)};
  const sock_filter allocate[] = {
      Load(offsetof(seccomp_data, nr)), SkipUnless(SYS_fallocate),
      Answer(SECCOMP_RET_ERRNO | ENOSYS), Answer(SECCOMP_RET_ALLOW)};
  const sock_filter map[] = {
      Load(offsetof(seccomp_data, nr)), SkipUnless(SYS_mmap),
      BPF_STMT(BPF_JMP | BPF_JA, 1), BPF_STMT(BPF_JMP | BPF_JA, 2),
      // MAP_SHARED is a bit of the flags, the fourth argument.
      Load(offsetof(seccomp_data, args) + 3 * 8),
      BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, 1, 1, 0), Answer(SECCOMP_RET_ALLOW),
      Answer(kRefuse)};
  switch (action.first) {
    case 0:
      return Forbid(kill, 4);
    case 1:
      return Forbid(open, 4);
    case 2:
      return Forbid(allocate, 4);
    default:
      return Forbid(map, 8);
  }
}

}  // namespace

const std::vector<Row> kLimitActions = {
    {"descriptors", Descriptors}, {"filesize", FileSize},
    {"addresses", AddressSpace},  {"nobody", DropRights},
    {"processes", Processes},     {"close", Close},
    {"closeall", CloseAll},       {"umask", Mask},
    {"chdir", ChangeFolder},      {"chroot", ChangeRoot},
    {"remove", RemoveTraces},     {"truncate", TruncateTraces},
    {"sandbox", Sandbox},
};

}  // namespace foreign
