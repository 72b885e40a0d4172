#include <limits>

#include "crypto/noise.h"
#include "crypto/noise_symmetric.h"

namespace kartei::crypto {

namespace {
constexpr std::uint64_t kReservedNonce = std::numeric_limits<std::uint64_t>::max();  // for rekey
}

NoiseTransport::NoiseTransport(Secret send_key, Secret receive_key, std::uint64_t first_nonce)
    : send_key_(std::move(send_key)),
      receive_key_(std::move(receive_key)),
      send_nonce_(first_nonce),
      receive_nonce_(first_nonce) {
  if (send_key_.size() != noise::kKeySize || receive_key_.size() != noise::kKeySize) die();
}

Status NoiseTransport::encrypt_onto(Bytes& out, ByteView plain) {
  if (dead()) return corrupt("this link has ended");
  if (plain.size() > kNoisePlainMax) return fail("a message for a link is too long");
  if (send_nonce_ == kReservedNonce) return fail("this link has sent all it may under one key");
  noise::append_encrypted(out, send_key_.view(), send_nonce_++, {}, plain);
  return {};
}

Result<Bytes> NoiseTransport::encrypt(ByteView plain) {
  Bytes out;
  KARTEI_TRY(encrypt_onto(out, plain));
  return out;
}

Result<Bytes> NoiseTransport::decrypt(ByteView cipher) {
  if (dead()) return corrupt("this link has ended");
  if (cipher.size() > kNoiseMessageMax) return fail("a message of a link is too long");
  if (receive_nonce_ == kReservedNonce) return fail("this link has read all it may under one key");
  Bytes plain;
  if (!noise::append_decrypted(plain, receive_key_.view(), receive_nonce_, {}, cipher)) {
    return fail("a message of a link does not verify");
  }
  ++receive_nonce_;
  return plain;
}

void NoiseTransport::die() {
  send_key_ = Secret();
  receive_key_ = Secret();
}

Error NoiseTransport::fail(const char* what) {
  die();
  return corrupt(what);
}

}  // namespace kartei::crypto
