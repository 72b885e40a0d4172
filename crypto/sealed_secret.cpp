#include "crypto/sealed_secret.h"

#include <stdexcept>

namespace kartei::crypto {

namespace {

constexpr std::size_t kNonce = crypto_aead_xchacha20poly1305_ietf_NPUBBYTES;

void require_secret_key(const Secret& key) {
  if (key.size() != crypto_aead_xchacha20poly1305_ietf_KEYBYTES)
    throw std::logic_error("a secret is sealed under a key of 32 bytes");
}

}  // namespace

void seal_secret(const Secret& key32, ByteView ad, const Secret& secret, Random& random,
                 std::span<std::uint8_t> out) {
  require_secret_key(key32);
  if (out.size() != secret.size() + kSealedSecretMore)
    throw std::logic_error("a sealed secret needs more room");
  random.fill(out.first(kNonce));
  crypto_aead_xchacha20poly1305_ietf_encrypt(out.data() + kNonce, nullptr, secret.view().data(),
                                             secret.size(), ad.data(), ad.size(), nullptr,
                                             out.data(), key32.view().data());
}

Secret open_secret(const Secret& key32, ByteView ad, ByteView sealed) {
  require_secret_key(key32);
  if (sealed.size() <= kSealedSecretMore) return {};
  Secret secret(sealed.size() - kSealedSecretMore);
  const ByteView text = sealed.subspan(kNonce);
  if (crypto_aead_xchacha20poly1305_ietf_decrypt(secret.writable().data(), nullptr, nullptr,
                                                 text.data(), text.size(), ad.data(), ad.size(),
                                                 sealed.data(), key32.view().data()) != 0)
    return {};
  return secret;
}

}  // namespace kartei::crypto
