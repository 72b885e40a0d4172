#include "store/meaning/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>

namespace kartei::store {
namespace {

// What the signal handler reads, so without a lock: an end of 0 is no mapping.
struct MappedRange {
  std::atomic<bool> taken{false};
  std::atomic<std::uintptr_t> begin{0}, end{0};
  std::atomic<bool> was_cut{false};
};
constexpr std::size_t kMappedMost = 64;
std::array<MappedRange, kMappedMost> mapped_ranges;
static_assert(std::atomic<std::uintptr_t>::is_always_lock_free);

// In a signal handler, so without anything that a library does around the call.
void* map_zeros(void* begin, std::size_t size) {
  const int how = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED;
#ifdef SYS_mmap
  return reinterpret_cast<void*>(::syscall(SYS_mmap, begin, size, PROT_READ, how, -1, 0L));
#else
  return ::mmap(begin, size, PROT_READ, how, -1, 0);
#endif
}

// The rest of the mapping becomes zeros.
bool put_zeros(std::uintptr_t at) {
  for (MappedRange& range : mapped_ranges) {
    const std::uintptr_t begin = range.begin, end = range.end;
    if (end == 0 || at < begin || at >= end) continue;
    range.was_cut = true;
    const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
    const std::uintptr_t from = at - at % page;
    return map_zeros(reinterpret_cast<void*>(from), end - from) != MAP_FAILED;
  }
  return false;
}

void on_sigbus(int, siginfo_t* info, void*) {
  const int error = errno;
  const bool mended = put_zeros(reinterpret_cast<std::uintptr_t>(info->si_addr));
  errno = error;
  // The same again, and this time it ends the process.
  if (!mended) std::signal(SIGBUS, SIG_DFL);
}

// A free one; kMappedMost: there is none.
std::size_t take_range() {
  for (std::size_t i = 0; i < kMappedMost; ++i)
    if (!mapped_ranges[i].taken.exchange(true)) return i;
  return kMappedMost;
}

Error system_error() {
  return Error{Cause::kIo, std::strerror(errno), {}};
}

}  // namespace

void survive_cut_files() {
  struct sigaction action {};
  action.sa_sigaction = on_sigbus;
  action.sa_flags = SA_SIGINFO;
  sigemptyset(&action.sa_mask);
  ::sigaction(SIGBUS, &action, nullptr);
}

Result<std::unique_ptr<MappedFile>> MappedFile::map(const std::filesystem::path& file) {
  // Without waiting: for a pipe, somebody would have to write into it.
  const int fd = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0) {
    if (errno == ENOENT) return Error{Cause::kNotFound, "it is missing", {}};
    return system_error();
  }
  auto mapping = map_open(fd);
  if (!mapping) ::close(fd);
  return mapping;
}

Result<std::unique_ptr<MappedFile>> MappedFile::map_open(int fd) {
  struct stat status {};
  if (::fstat(fd, &status) != 0) return system_error();
  if (!S_ISREG(status.st_mode)) return Error{Cause::kIo, "it is no file", {}};
  if (status.st_size == 0) return Error{Cause::kCorrupt, "it is empty", {}};
  const std::size_t slot = take_range();
  if (slot == kMappedMost) return Error{Cause::kUnavailable, "too many files are mapped", {}};
  void* begin =
      ::mmap(nullptr, static_cast<std::size_t>(status.st_size), PROT_READ, MAP_PRIVATE, fd, 0);
  if (begin == MAP_FAILED) {
    const Error error = system_error();
    mapped_ranges[slot].taken = false;
    return error;
  }
  return std::unique_ptr<MappedFile>(new MappedFile(fd, begin, status, slot));
}

MappedFile::MappedFile(int fd, void* begin, const struct stat& status, std::size_t slot)
    : fd_(fd),
      begin_(begin),
      size_(static_cast<std::size_t>(status.st_size)),
      changed_(status.st_mtim),
      slot_(slot) {
  MappedRange& range = mapped_ranges[slot_];
  range.was_cut = false;
  range.begin = reinterpret_cast<std::uintptr_t>(begin_);
  range.end = range.begin + size_;
}

MappedFile::~MappedFile() {
  MappedRange& range = mapped_ranges[slot_];
  range.end = 0;
  ::munmap(begin_, size_);
  ::close(fd_);
  range.taken = false;
}

void MappedFile::drop() const {
  ::madvise(begin_, size_, MADV_DONTNEED);
}

bool MappedFile::is_as_it_was() const {
  struct stat status {};
  return !mapped_ranges[slot_].was_cut && ::fstat(fd_, &status) == 0 &&
         status.st_size == static_cast<off_t>(size_) && status.st_mtim.tv_sec == changed_.tv_sec &&
         status.st_mtim.tv_nsec == changed_.tv_nsec;
}

}  // namespace kartei::store
