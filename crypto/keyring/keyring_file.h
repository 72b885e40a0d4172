// The bytes of the keyring file, canonical: one list of wraps has one form. Pure.
#pragma once

#include <vector>

#include "crypto/keyring/wrap.h"

namespace kartei::keyring {

inline constexpr std::size_t kKeyringSizeMax = 1024;

struct KeyringContent {
  KeyId key_id{};
  std::vector<Wrap> wraps;  // one a backend at most, in the order of backends; never none

  const Wrap* find(Backend backend) const;
  void put(Wrap wrap);  // in the place of the one of its backend
  void drop(Backend backend);
  bool operator==(const KeyringContent&) const = default;
};

Bytes encode_keyring(const KeyringContent& content);
// kVersion: made by a newer Kartei. kCorrupt: damaged, or with a stretch that cannot be meant.
Result<KeyringContent> decode_keyring(ByteView bytes);

// What a passphrase may cost: less would be too easy to guess, more no phone can pay.
bool stretch_allowed(const Stretch& stretch);

}  // namespace kartei::keyring
