// Pairing with an attacker in between, or alone with one side, who does not know the code. Traps
// when the member takes in anyone but the newcomer, when the newcomer gets a welcome that was not
// sent.
//
// Input: a byte (whether the newcomer has the right code), then per step a byte (direction; as
// sent, xored with the chunk, replaced by it, said twice) and a chunk of a 16-bit length.
#include <utility>

#include "crypto/identity.h"
#include "sync/pairing.h"
#include "tests/fuzz/input.h"

namespace {

using namespace kartei;
using namespace kartei::sync;

struct Scene {
  explicit Scene(bool right_code)
      : code(PairingCode::generate(random)),
        typed(right_code ? code : PairingCode::generate(random)),
        right(right_code) {}
  crypto::SeededRandom random{9};
  PairingCode code, typed;
  bool right;
  PairingSelf at_member{crypto::Identity::generate(random), "laptop"};
  PairingSelf at_newcomer{crypto::Identity::generate(random), "phone"};
  const Bytes welcome{1, 2, 3, 4};
  PairingOffer offer{code, 1000};
};

void at_member(const Scene& scene, PairingMember& member, ByteView bytes) {
  for (const auto& event : member.receive(bytes, 0)) {
    if (const auto* join = std::get_if<PairingJoin>(&event)) {
      fuzz::require(scene.right && join->newcomer.keys == scene.at_newcomer.identity.pub());
      fuzz::require(member.welcome(scene.welcome).has_value());
    }
  }
}

void at_newcomer(const Scene& scene, PairingNewcomer& newcomer, ByteView bytes) {
  for (const auto& event : newcomer.receive(bytes, 0)) {
    if (const auto* sponsor = std::get_if<PairingSponsor>(&event)) {
      fuzz::require(scene.right && sponsor->keys == scene.at_member.identity.pub());
    } else if (const auto* welcome = std::get_if<PairingWelcome>(&event)) {
      fuzz::require(scene.right && welcome->welcome == scene.welcome);
      // What an attacker puts behind the welcome may have closed the line by now.
      fuzz::require(newcomer.closed() || newcomer.done().has_value());
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const bool ready = crypto::init();
  fuzz::require(ready);
  fuzz::Input input({data, size});
  Scene scene((input.byte() & 1) != 0);
  PairingMember member(scene.offer, store::BoxId{}, scene.at_member, scene.random);
  PairingNewcomer newcomer(scene.typed, scene.at_newcomer, scene.random);
  Bytes greeting = newcomer.take_output();
  Bytes first(greeting.begin() + 4, greeting.end());

  for (int step = 0; step < 32 && !input.empty(); ++step) {
    const std::uint8_t what = input.byte();
    const bool to_member = what & 1;
    const ByteView chunk = input.chunk();
    Bytes bytes = to_member ? std::exchange(first, {}) : member.take_output();
    if (to_member) {
      const Bytes more = newcomer.take_output();
      bytes.insert(bytes.end(), more.begin(), more.end());
    }
    if ((what & 6) == 2) bytes = fuzz::xored(std::move(bytes), chunk);
    if ((what & 6) == 4) bytes = to_bytes(chunk);
    for (int times = (what & 6) == 6 ? 2 : 1; times > 0; --times) {
      if (to_member) {
        at_member(scene, member, bytes);
      } else {
        at_newcomer(scene, newcomer, bytes);
      }
    }
  }
  return 0;
}
