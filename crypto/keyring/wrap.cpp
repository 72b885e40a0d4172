#include "crypto/keyring/wrap.h"

#include <sodium.h>

#include <algorithm>

#include "crypto/hash.h"

namespace kartei::keyring {

namespace {

constexpr std::size_t kNonceSize = crypto_aead_xchacha20poly1305_ietf_NPUBBYTES;

// All that is fixed about a wrap, in one hash.
Hash32 associated_data(const Wrap& wrap, const KeyId& key_id) {
  std::array<std::uint8_t, 9> numbers{static_cast<std::uint8_t>(wrap.backend)};
  for (std::size_t i = 0; i < 4; ++i) {
    numbers[1 + i] = static_cast<std::uint8_t>(wrap.stretch.passes >> 8 * i);
    numbers[5 + i] = static_cast<std::uint8_t>(wrap.stretch.memory_kib >> 8 * i);
  }
  return crypto::hash("kartei keyring wrap v1", {key_id, numbers, wrap.id});
}

}  // namespace

const char* to_text(Backend backend) {
  switch (backend) {
    case Backend::kSecretService:
      return "secret-service";
    case Backend::kPassphrase:
      return "passphrase";
    case Backend::kFile:
      break;
  }
  return "file";
}

KeyId key_id_of(const crypto::Secret& data_key) {
  const Hash32 whole = crypto::keyed_hash(data_key.view(), "kartei data key id", {});
  KeyId id;
  std::copy_n(whole.begin(), id.size(), id.begin());
  return id;
}

void seal_wrap(Wrap& wrap, const crypto::Secret& data_key, const crypto::Secret& wrapping_key,
               crypto::Random& random) {
  const Hash32 ad = associated_data(wrap, key_id_of(data_key));
  const std::span<std::uint8_t> nonce(wrap.sealed.data(), kNonceSize);
  random.fill(nonce);
  crypto_aead_xchacha20poly1305_ietf_encrypt(wrap.sealed.data() + kNonceSize, nullptr,
                                             data_key.view().data(), kKeySize, ad.data(), ad.size(),
                                             nullptr, nonce.data(), wrapping_key.view().data());
}

Result<crypto::Secret> open_wrap(const Wrap& wrap, const KeyId& key_id,
                                 const crypto::Secret& wrapping_key) {
  const Hash32 ad = associated_data(wrap, key_id);
  const ByteView sealed = wrap.sealed;
  crypto::Secret data_key(kKeySize);
  const bool opened = crypto_aead_xchacha20poly1305_ietf_decrypt(
                          data_key.writable().data(), nullptr, nullptr, sealed.data() + kNonceSize,
                          sealed.size() - kNonceSize, ad.data(), ad.size(), sealed.data(),
                          wrapping_key.view().data()) == 0;
  // The id commits to the key: a tag alone could be made to fit two keys.
  if (!opened || key_id_of(data_key) != key_id)
    return Error{Cause::kForbidden,
                 std::string("the ") + to_text(wrap.backend) +
                     " wrap of the keyring does not open with this key",
                 {}};
  return data_key;
}

}  // namespace kartei::keyring
