// Real daemons under measurement, and what is asked of them over their sockets. One thread.
#pragma once

#include <boost/json.hpp>
#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "crypto/result.h"
#include "tests/bench/stats.h"
#include "tests/harness/daemon_process.h"

namespace kartei::bench {

class BenchDevice {
 public:
  // `kind`: phone, laptop or desktop; also its name. Port 0: not listening at a known port.
  static Result<std::unique_ptr<BenchDevice>> start(const std::filesystem::path& karteid,
                                                    const std::string& kind, int port,
                                                    const std::vector<int>& peer_ports);
  // A value of status < 400; an error otherwise.
  Result<boost::json::object> call(std::string_view method, const std::string& target,
                                   const boost::json::value& body = nullptr);
  Result<int> status_of(std::string_view method, const std::string& target);
  // Polls until the condition holds; the error is that of the deadline or of a call. Without a
  // pause where the moment is measured.
  Status wait(const char* what, const std::function<Result<bool>()>& condition, double seconds = 60,
              std::chrono::milliseconds pause = {});
  harness::DaemonProcess& process() { return *process_; }
  int port() const { return port_; }

 private:
  BenchDevice(std::unique_ptr<harness::DaemonProcess> process, int port)
      : process_(std::move(process)), client_(process_->client()), port_(port) {}

  std::unique_ptr<harness::DaemonProcess> process_;
  harness::UnixClient client_;
  int port_;
};

Result<int> free_port();
// Joins `newcomer` to `member`'s box by code, both with sync on.
Status pair(BenchDevice& member, BenchDevice& newcomer);
Status share(BenchDevice& device, const std::string& drawer);

}  // namespace kartei::bench
