// A link between two members with an attacker in between who sees, alters, holds back, repeats and
// makes up bytes, or who dials on its own. Traps when a message arrives that was not sent, out of
// order, or when a side becomes ready towards anyone but the other.
//
// Input: per step a byte (direction; as sent, xored with the chunk, replaced by it, said twice;
// every eighth also sends a message) and a chunk of a 16-bit length.
#include "crypto/identity.h"
#include "sync/link.h"
#include "tests/fuzz/input.h"

namespace {

using namespace kartei;
using namespace kartei::sync;

struct Side {
  explicit Side(LinkSession s) : session(std::move(s)) {}
  LinkSession session;
  std::vector<Bytes> sent;
  std::size_t arrived = 0;
};

LinkBox box_of(const crypto::Identity& self, const crypto::Identity& peer) {
  LinkBox box;
  box.box.bytes.fill(1);
  box.box_secret = self.box_secret().copy();
  box.box_key = self.pub().box_key;
  box.link_key.fill(2);
  store::DeviceId id;
  id.bytes = peer.pub().id();
  box.members[peer.pub().box_key] = id;
  return box;
}

void take(Side& to, const Side& from, const crypto::Identity& peer, ByteView bytes) {
  for (const auto& event : to.session.receive(bytes)) {
    if (const auto* ready = std::get_if<LinkReady>(&event)) {
      fuzz::require(ready->key == peer.pub().box_key);
    } else if (const auto* message = std::get_if<LinkMessage>(&event)) {
      fuzz::require(to.arrived < from.sent.size());
      fuzz::require(message->message == from.sent[to.arrived++]);
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const bool ready = crypto::init();
  fuzz::require(ready);
  crypto::SeededRandom random(3);
  const auto anna = crypto::Identity::generate(random), ben = crypto::Identity::generate(random);
  const LinkBox at_anna = box_of(anna, ben);
  LinkBoxes at_ben;
  at_ben.emplace(at_anna.box, box_of(ben, anna));
  Side a(LinkSession::dial(at_anna, ben.pub().box_key, 0, random).value());
  Side b(LinkSession::accept(at_ben, random));

  fuzz::Input input({data, size});
  for (int step = 0; step < 64 && !input.empty(); ++step) {
    const std::uint8_t what = input.byte();
    Side& from = what & 1 ? a : b;
    Side& to = what & 1 ? b : a;
    const ByteView chunk = input.chunk();
    if ((what & 0x38) == 0x38 && from.session.ready()) {
      from.sent.push_back(to_bytes(chunk));
      fuzz::require(from.session.send(chunk).has_value());
    }
    Bytes bytes = from.session.take_output();
    if ((what & 6) == 2) bytes = fuzz::xored(std::move(bytes), chunk);
    if ((what & 6) == 4) bytes = to_bytes(chunk);
    take(to, from, what & 1 ? anna : ben, bytes);
    if ((what & 6) == 6) take(to, from, what & 1 ? anna : ben, bytes);
  }
  return 0;
}
