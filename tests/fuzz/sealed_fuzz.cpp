// Everything of crypto/ that parses bytes or text of others: sealed parts, key boxes, public
// identities, recovery texts. Traps when it accepts what it must not.
//
// Input: a byte for what is parsed; bytes that are taken raw, or (top bit) laid over a good
// example.
#include <sodium.h>

#include "crypto/sealed.h"
#include "tests/fuzz/input.h"

namespace {

using namespace kartei;
using namespace kartei::crypto;

struct Examples {
  SeededRandom random{1};
  Identity me = Identity::generate(random);
  Secret key = Secret::random(32, random);
  Bytes ad = to_bytes(as_bytes("associated"));
  Bytes sealed = seal(key, ad, as_bytes("a body"), random);
  Bytes key_box = seal_key(me.pub().box_key, ad, key, random);
  Bytes identity = me.pub().encode();
  std::string recovery = recovery_text(key);
};

void open_part(const Examples& good, const Bytes& sealed) {
  const auto body = open(good.key, good.ad, sealed);
  fuzz::require(body.has_value() == (sealed == good.sealed));
}

void open_key_box(const Examples& good, const Bytes& box) {
  const auto key = open_key(good.me, good.ad, box);
  fuzz::require(key.has_value() == (box == good.key_box));
}

void decode_identity(const Bytes& bytes) {
  const auto identity = PublicIdentity::decode(bytes);
  if (identity.has_value()) fuzz::require(identity->encode() == bytes && identity->verify());
}

void read_recovery(const Bytes& text) {
  const auto seed = recovery_seed_from_text(as_text(text));
  if (seed.has_error()) return;
  const auto again = recovery_seed_from_text(recovery_text(*seed));
  fuzz::require(again.has_value() && equal_in_constant_time(again->view(), seed->view()));
}

// A member with the key may seal any plain text: the inner parser alone.
void open_plain(const Examples& good, const Bytes& plain) {
  Bytes sealed(24 + plain.size() + 16);
  crypto_aead_xchacha20poly1305_ietf_encrypt(sealed.data() + 24, nullptr, plain.data(),
                                             plain.size(), nullptr, 0, nullptr, sealed.data(),
                                             good.key.view().data());
  const auto body = open(good.key, {}, sealed);
  if (body.has_error()) return;
  fuzz::require(padme(4 + body->size()) == plain.size());
  fuzz::require(std::equal(body->begin(), body->end(), plain.begin() + 4));
}

Bytes good_plain() {
  Bytes plain(256);
  plain[0] = 6;
  return plain;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Examples good;
  fuzz::Input input({data, size});
  const std::uint8_t choice = input.byte();
  const bool overlay = (choice & 0x80) != 0;
  const auto bytes = [&](ByteView example) {
    return overlay ? fuzz::xored(to_bytes(example), input.rest()) : to_bytes(input.rest());
  };
  switch ((choice & 0x7f) % 5) {
    case 0:
      open_part(good, bytes(good.sealed));
      break;
    case 1:
      open_key_box(good, bytes(good.key_box));
      break;
    case 2:
      decode_identity(bytes(good.identity));
      break;
    case 3:
      read_recovery(bytes(as_bytes(good.recovery)));
      break;
    default:
      open_plain(good, bytes(good_plain()));
      break;
  }
  return 0;
}
