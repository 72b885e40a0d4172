// The pairing desk over TCP. Threads: the writer thread; sockets live on the event loop's.
// Ownership: borrows the network; destroyed after the loop has stopped.
#pragma once

#include <memory>

#include "crypto/random.h"
#include "daemon/pairing_desk.h"

namespace kartei::daemon {

class LinkNetwork;

std::unique_ptr<PairingDesk> make_link_pairing(LinkNetwork& network, CurrentConfig& config,
                                               crypto::Random& random);

}  // namespace kartei::daemon
