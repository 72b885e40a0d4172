// Tells when the machine's addresses or network interfaces change (Linux: rtnetlink), so that
// nothing has to poll. Bursts come as one call, a second after the first.
//
// Threads: `net`. Failure: where the system does not tell, the callback is never called.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <functional>
#include <memory>

namespace kartei::sync {

class NetworkWatch {
 public:
  NetworkWatch(boost::asio::any_io_executor net, std::function<void()> changed);
  ~NetworkWatch();

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace kartei::sync
