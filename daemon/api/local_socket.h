// The daemon's place on this machine: a lock that keeps a second daemon off its home, and the Unix
// socket that only its owner can reach.
#pragma once

#include <filesystem>

#include "crypto/result.h"

namespace kartei::daemon::api {

// Makes `folder` if it is missing and keeps others out (0700). Refuses one that is not ours.
Status make_private_folder(const std::filesystem::path& folder);

// Held for as long as the object lives; the kernel lets go of it when the process dies.
class HomeLock {
 public:
  static Result<HomeLock> take(const std::filesystem::path& home);
  HomeLock(HomeLock&& other) noexcept;
  HomeLock& operator=(HomeLock&&) = delete;
  ~HomeLock();

 private:
  explicit HomeLock(int fd) : fd_(fd) {}
  int fd_;
};

// Listens at `path` (0600, in a 0700 folder). A socket file that nobody answers on is a leftover
// and is replaced; one that answers is another daemon's: kConflict. The caller owns the descriptor.
Result<int> listen_local(const std::filesystem::path& path);

// Connects, blocking. kNotFound: no socket there; kUnavailable: nobody answers.
Result<int> connect_local(const std::filesystem::path& path);

}  // namespace kartei::daemon::api
