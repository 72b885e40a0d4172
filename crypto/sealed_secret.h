// One secret sealed under another, the way it lies in files: nonce(24) | XChaCha20-Poly1305 of it |
// tag(16). Pure, but for the nonce.
#pragma once

#include <sodium.h>

#include "crypto/random.h"
#include "crypto/secret.h"

namespace kartei::crypto {

inline constexpr std::size_t kSealedSecretMore =
    crypto_aead_xchacha20poly1305_ietf_NPUBBYTES + crypto_aead_xchacha20poly1305_ietf_ABYTES;

// `out` has kSealedSecretMore bytes more than the secret. A key of another size than 32 is a defect
// of the caller, here and below.
void seal_secret(const Secret& key32, ByteView ad, const Secret& secret, Random& random,
                 std::span<std::uint8_t> out);
// Empty: another key, other associated data, or altered.
Secret open_secret(const Secret& key32, ByteView ad, ByteView sealed);

}  // namespace kartei::crypto
