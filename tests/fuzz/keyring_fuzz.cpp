// The keyring file of a home, as somebody may have prepared it: the parser, its bounds, its one
// form of each content, and that no altered wrap gives the data key.
//
// Input: a byte whose lowest bit says that the checksum is made to fit and whose top bit that the
// rest is laid over a good example; the rest.
#include "crypto/hash.h"
#include "crypto/keyring/keyring_file.h"
#include "tests/fuzz/input.h"

namespace {

using namespace kartei;
using namespace kartei::keyring;
using crypto::Secret;

struct Examples {
  crypto::SeededRandom random{1};
  Secret data_key = Secret::random(kKeySize, random);
  Secret key = Secret::random(kKeySize, random);
  KeyringContent content = make();
  Bytes good = encode_keyring(content);

  KeyringContent make() {
    KeyringContent out;
    out.key_id = key_id_of(data_key);
    for (const Backend backend : kBackends) {
      Wrap wrap;
      wrap.backend = backend;
      random.fill(wrap.id);
      if (backend == Backend::kPassphrase) wrap.stretch = {3, 256 << 10};
      seal_wrap(wrap, data_key, key, random);
      out.put(wrap);
    }
    return out;
  }
};

void resum(Bytes& bytes) {
  if (bytes.size() < 32) return;
  bytes.resize(bytes.size() - 32);
  const Hash32 sum = crypto::hash("kartei keyring file", {bytes});
  bytes.insert(bytes.end(), sum.begin(), sum.end());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Examples good;
  fuzz::Input input({data, size});
  const std::uint8_t choice = input.byte();
  Bytes bytes =
      (choice & 0x80) != 0 ? fuzz::xored(good.good, input.rest()) : to_bytes(input.rest());
  if ((choice & 1) != 0) resum(bytes);
  const auto content = decode_keyring(bytes);
  if (!content) return 0;
  fuzz::require(encode_keyring(*content) == bytes && bytes.size() <= kKeyringSizeMax);
  fuzz::require(!content->wraps.empty());
  for (const Wrap& wrap : content->wraps) {
    fuzz::require((wrap.stretch == Stretch{}) != (wrap.backend == Backend::kPassphrase));
    fuzz::require(wrap.stretch == Stretch{} || stretch_allowed(wrap.stretch));
    const Wrap* own = good.content.find(wrap.backend);
    const bool opens = open_wrap(wrap, content->key_id, good.key).has_value();
    fuzz::require(opens == (*own == wrap && content->key_id == good.content.key_id));
  }
  return 0;
}
