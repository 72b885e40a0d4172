// Pairing over TCP: PairingHost at the member that shows a code, PairingGuest at the newcomer.
//
// Threads: any call from any thread, posted to `net`; callbacks are posted to `owner`, which must
// run one at a time; after cancel() returned on `owner`, none runs for what was cancelled.
// Ownership: borrow listener, discovery and random until destroyed (on `net`, or after its
// io_context has stopped). Failure: exactly one on_end for each offer or join, unless it was
// cancelled.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <functional>
#include <memory>
#include <string>

#include "sync/discovery_driver.h"
#include "sync/listener.h"
#include "sync/pairing.h"

namespace kartei::sync {

struct PairingLimits {
  std::size_t connections_max = 4;  // at once, at the member
  std::chrono::milliseconds step_timeout{10'000};
  std::chrono::milliseconds approval_timeout{3'600'000};  // for the owner and a second device
  std::chrono::milliseconds reminder{20'000};             // the member says that it still waits
  std::chrono::milliseconds silence_timeout{60'000};      // a member that says nothing is gone
  std::chrono::milliseconds search_timeout{60'000};       // the newcomer without an address
};

// Empty: it worked.
using PairingEnd = std::optional<PairingFailed>;

struct PairingHostCallbacks {
  // Answer with waiting(), welcome() or refuse(); waiting() may be followed by the others, even
  // much later.
  std::function<void(Newcomer)> on_join;
  std::function<void(PairingEnd)> on_end;
};

class PairingHost {
 public:
  PairingHost(boost::asio::any_io_executor net, boost::asio::any_io_executor owner,
              Listener& listener, Discovery& discovery, PairingLimits limits,
              PairingHostCallbacks callbacks, crypto::Random& random);
  ~PairingHost();

  // Waits for one newcomer; ends an earlier wait. Listens also while sharing is off.
  void offer(PairingCode code, std::chrono::seconds valid, store::BoxId box, PairingSelf self);
  void cancel();
  void waiting();
  void welcome(Bytes welcome);
  void refuse(std::string why);

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

struct PairingGuestCallbacks {
  std::function<void(PairingSponsor)> on_sponsor;
  std::function<void()> on_waiting;
  // Answer with accepted().
  std::function<void(Bytes welcome)> on_welcome;
  std::function<void(PairingEnd)> on_end;
};

class PairingGuest {
 public:
  PairingGuest(boost::asio::any_io_executor net, boost::asio::any_io_executor owner,
               Discovery& discovery, PairingLimits limits, PairingGuestCallbacks callbacks,
               crypto::Random& random);
  ~PairingGuest();

  // `address`: "host:port" of the member; empty: whoever on this network waits for a newcomer.
  void join(PairingCode code, std::string address, PairingSelf self);
  // From Discovery's on_pairing, which whoever wires both passes on.
  void found(const BeaconTag& session, const boost::asio::ip::tcp::endpoint& where);
  void accepted(Status taken);  // what accept_welcome said
  void cancel();

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace kartei::sync
