// Pairing, as the API sees it: one offer or one join at a time for the whole daemon. Behind it
// stand the pairing drivers (pairing_desk.cpp). Threads: the writer thread.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "crypto/result.h"
#include "daemon/box_host.h"

namespace kartei::daemon {

class PairingDesk {
 public:
  struct State {
    std::string name = "idle";  // idle, offering, joining, waiting, done, failed
    std::string role;           // "", "member", "newcomer"
    std::string box;            // by name
    std::string detail;         // failed: why; waiting: for what
    std::string peer;           // the other device's name, once it is known
  };

  virtual ~PairingDesk() = default;
  // At a member: the code to type at the newcomer. Replaces an earlier offer.
  virtual Result<std::string> offer(std::shared_ptr<BoxHost> host, std::int64_t seconds) = 0;
  // At the newcomer. `address` empty: searched on the local network.
  virtual Status join(std::shared_ptr<BoxHost> host, const std::string& code,
                      const std::string& address) = 0;
  // Ends what is under way, and lets go of its box.
  virtual void cancel() = 0;
  virtual State state() const = 0;
  virtual std::uint16_t port() const = 0;  // 0: not listening, or not yet
  // Calls back once the offer made before can be reached, with the port; or with why it cannot.
  virtual void when_reachable(std::function<void(Result<std::uint16_t>)> then) = 0;
  // A device was admitted to the box: if it waits for its welcome here, it gets it.
  virtual void admitted(BoxHost& host, store::DeviceId device) = 0;
};

}  // namespace kartei::daemon
