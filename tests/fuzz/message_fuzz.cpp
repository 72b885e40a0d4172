// Messages and all that is read from peers as Cap'n Proto; then a whole engine is given the
// message.
#include <cstdlib>

#include "store/box.h"
#include "sync/engine.h"
#include "sync/wire.h"

namespace {

using namespace kartei;

struct Target {
  crypto::SeededRandom random{1};
  std::unique_ptr<crypto::Identity> identity;
  std::unique_ptr<store::Box> box;
  std::unique_ptr<sync::Engine> engine;

  Target() {
    if (!crypto::init()) std::abort();
    identity = std::make_unique<crypto::Identity>(crypto::Identity::generate(random));
    box = *store::Box::open({});
    engine = *sync::Engine::open(*box, *identity, random, {}, {});
  }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static Target target;
  const ByteView bytes(data, size);
  (void)sync::decode_snapshot(bytes);
  (void)sync::decode_welcome(bytes);
  (void)sync::decode_base(bytes);
  auto message = sync::decode_message(bytes);
  if (!message) return 0;
  message->box = target.engine->status({}).box;
  store::DeviceId peer;
  peer.bytes[0] = 1;
  if (target.engine->receive(peer, sync::encode(*message), {}).has_error()) std::abort();
  return 0;
}
