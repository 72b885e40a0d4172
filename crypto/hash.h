// BLAKE2b, plain and keyed. (HMAC for Noise is built inside noise.cpp: keyed BLAKE2b is not HMAC.)
#pragma once

#include <initializer_list>

#include "crypto/bytes.h"
#include "crypto/secret.h"

namespace kartei::crypto {

// 32-byte BLAKE2b over the parts one after the other, each preceded by its length (8 bytes,
// little-endian), so that ("ab","c") and ("a","bc") differ. `domain` separates uses.
Hash32 hash(std::string_view domain, std::initializer_list<ByteView> parts);
// Keys are 32 bytes; any other size is a defect of the caller (std::logic_error).
Hash32 keyed_hash(ByteView key32, std::string_view domain, std::initializer_list<ByteView> parts);
// The same bytes as keyed_hash, where the result is itself a key: never outside guarded memory.
Secret derive_key(const Secret& key32, std::string_view domain,
                  std::initializer_list<ByteView> parts);

}  // namespace kartei::crypto
