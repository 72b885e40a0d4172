#include <sodium.h>

#include "crypto/keyring/secret_service.h"

namespace kartei::keyring {

namespace {

constexpr std::size_t kBase64Size =
    sodium_base64_ENCODED_LEN(kKeySize, sodium_base64_VARIANT_ORIGINAL);

// Without the zero at its end.
crypto::Secret to_base64(const crypto::Secret& key) {
  crypto::Secret text(kBase64Size);
  sodium_bin2base64(reinterpret_cast<char*>(text.writable().data()), text.size(), key.view().data(),
                    key.size(), sodium_base64_VARIANT_ORIGINAL);
  return crypto::Secret(text.view().first(kBase64Size - 1));
}

crypto::Secret from_base64(const crypto::Secret& text) {
  crypto::Secret key(kKeySize);
  std::size_t size = 0;
  if (sodium_base642bin(key.writable().data(), key.size(),
                        reinterpret_cast<const char*>(text.view().data()), text.size(), nullptr,
                        &size, nullptr, sodium_base64_VARIANT_ORIGINAL) != 0 ||
      size != kKeySize)
    return {};
  return key;
}

}  // namespace

Result<crypto::Secret> SecretServiceSource::key_of(const Wrap& wrap) {
  auto value = service_.look_up(wrap.id);
  if (!value) {
    if (value.error().cause != Cause::kNotFound) return value.error();
    return Error{
        Cause::kUnavailable,
        "The Secret Service answers but does not have the key of this keyring. It was "
        "removed there, or this is another session's or desktop's service: go back to the "
        "one that was in use, or put its keyring back from a backup. The keyring's wrap is "
        "kept meanwhile.",
        {}};
  }
  crypto::Secret key = from_base64(*value);
  if (key.empty())
    return corrupt(
        "What the Secret Service has for this keyring is not a key: it was changed there.");
  return key;
}

Result<crypto::Secret> SecretServiceSource::make_key(Wrap& wrap, crypto::Random& random) {
  crypto::Secret key = crypto::Secret::random(kKeySize, random);
  KARTEI_TRY(service_.store(wrap.id, to_base64(key)));
  return key;
}

Status SecretServiceSource::forget(const WrapId& id) {
  const Status gone = service_.forget(id);
  return gone.has_error() && gone.error().cause == Cause::kNotFound ? Status() : gone;
}

}  // namespace kartei::keyring
