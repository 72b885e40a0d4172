// Sealing: XChaCha20-Poly1305 with a random nonce over a PADME-padded body, and small boxes for
// keys.
#pragma once

#include "crypto/bytes.h"
#include "crypto/identity.h"
#include "crypto/random.h"
#include "crypto/result.h"
#include "crypto/secret.h"

namespace kartei::crypto {

// PADME (Nikitin et al., PURBs): at most 12 % longer, leaks O(log log n) bits; floor 256 bytes.
std::size_t padme(std::size_t size);

inline constexpr std::size_t kSealedBodyMax = 0xffffffff;  // bytes; the length field has 32 bits

// A key of another size than 32, or a body over kSealedBodyMax, is a defect of the caller.
// nonce(24) | ciphertext of (u32 length | body | zeros up to padme) | tag(16). `ad` is
// authenticated.
Bytes seal(const Secret& key32, ByteView ad, ByteView body, Random& random);
Result<Bytes> open(const Secret& key32, ByteView ad, ByteView sealed);

// A 32-byte key for one device: an ephemeral X25519 key, then XChaCha20-Poly1305 under
// BLAKE2b(shared, both public keys). Says nothing of its sender: whoever carries it signs it.
// ephemeral(32) | nonce(24) | ciphertext(32) | tag(16); `context` is authenticated. Empty, and thus
// never openable, when `to` is a point of low order (PublicIdentity::verify refuses such a one).
Bytes seal_key(const BoxKey& to, ByteView context, const Secret& key32, Random& random);
Result<Secret> open_key(const Identity& me, ByteView context, ByteView sealed);

}  // namespace kartei::crypto
