// One wrap: the data key of a device under a wrapping key, sealed with all that says how to get at
// that key. Values; any thread.
#pragma once

#include <array>
#include <cstdint>

#include "crypto/random.h"
#include "crypto/result.h"
#include "crypto/secret.h"

namespace kartei::keyring {

inline constexpr std::size_t kKeySize = 32;  // bytes; of the data key and of wrapping keys

// Who holds a wrapping key. The order is the one in which they are asked.
enum class Backend : std::uint8_t { kSecretService = 1, kFile = 2, kPassphrase = 3 };
inline constexpr Backend kBackends[] = {Backend::kSecretService, Backend::kFile,
                                        Backend::kPassphrase};

// "secret-service", "file", "passphrase": as the command line spells it.
const char* to_text(Backend backend);

using KeyId = std::array<std::uint8_t, 16>;   // tells data keys apart, and tells nothing of them
using WrapId = std::array<std::uint8_t, 16>;  // random; of a passphrase, the salt

// What Argon2id costs. Zeros where no passphrase is stretched.
struct Stretch {
  std::uint32_t passes = 0;
  std::uint32_t memory_kib = 0;
  bool operator==(const Stretch&) const = default;
};

struct Wrap {
  Backend backend = Backend::kFile;
  WrapId id{};
  Stretch stretch;
  std::array<std::uint8_t, 24 + kKeySize + 16> sealed{};  // nonce, ciphertext, tag
  bool operator==(const Wrap&) const = default;
};

KeyId key_id_of(const crypto::Secret& data_key);

// Fills `wrap.sealed`; what else stands in the wrap is authenticated.
void seal_wrap(Wrap& wrap, const crypto::Secret& data_key, const crypto::Secret& wrapping_key,
               crypto::Random& random);
// kForbidden: the wrapping key is another one, or the wrap was altered, or it holds another data
// key than `key_id` says.
Result<crypto::Secret> open_wrap(const Wrap& wrap, const KeyId& key_id,
                                 const crypto::Secret& wrapping_key);

}  // namespace kartei::keyring
