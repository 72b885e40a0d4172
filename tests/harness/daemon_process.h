// A real karteid in a home of its own, for measuring. Ends it (SIGTERM, then SIGKILL) and removes
// the home when it goes. One thread.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "crypto/result.h"
#include "tests/harness/unix_client.h"

namespace kartei::harness {

// What the kernel says of a process.
struct Usage {
  double cpu_s = 0;
  std::uint64_t wakeups = 0;  // voluntary context switches of all its threads
  double resident_mb = 0, peak_mb = 0;
};

class DaemonProcess {
 public:
  // `config_lines`: TOML beyond name, listen and discovery. Returns when the socket answers.
  static Result<std::unique_ptr<DaemonProcess>> start(const std::filesystem::path& program,
                                                      const std::string& name,
                                                      std::vector<std::string> config_lines = {});
  ~DaemonProcess();

  UnixClient client() const { return UnixClient(home_ / "kartei.sock"); }
  const std::filesystem::path& home() const { return home_; }
  Result<Usage> usage() const;
  void stop(int signal);
  Status restart();

 private:
  DaemonProcess() = default;
  Status spawn();

  std::filesystem::path program_, home_;
  pid_t pid_ = -1;
};

}  // namespace kartei::harness
