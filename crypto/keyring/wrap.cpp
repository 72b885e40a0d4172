#include "crypto/keyring/wrap.h"

#include <algorithm>

#include "crypto/hash.h"
#include "crypto/numbers.h"
#include "crypto/sealed_secret.h"

namespace kartei::keyring {

namespace {

// All that is fixed about a wrap, in one hash.
Hash32 associated_data(const Wrap& wrap, const KeyId& key_id) {
  std::array<std::uint8_t, 9> numbers{static_cast<std::uint8_t>(wrap.backend)};
  put_little_endian(numbers.data() + 1, wrap.stretch.passes, 4);
  put_little_endian(numbers.data() + 5, wrap.stretch.memory_kib, 4);
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
  crypto::seal_secret(wrapping_key, ad, data_key, random, wrap.sealed);
}

Result<crypto::Secret> open_wrap(const Wrap& wrap, const KeyId& key_id,
                                 const crypto::Secret& wrapping_key) {
  const Hash32 ad = associated_data(wrap, key_id);
  crypto::Secret data_key = crypto::open_secret(wrapping_key, ad, wrap.sealed);
  // The id commits to the key: a tag alone could be made to fit two keys.
  if (data_key.empty() || key_id_of(data_key) != key_id)
    return Error{Cause::kForbidden,
                 std::string("the ") + to_text(wrap.backend) +
                     " wrap of the keyring does not open with this key",
                 {}};
  return data_key;
}

}  // namespace kartei::keyring
