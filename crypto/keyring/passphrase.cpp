#include "crypto/keyring/passphrase.h"

#include <sodium.h>

#include <algorithm>

#include "crypto/keyring/keyring_file.h"

namespace kartei::keyring {

static_assert(sizeof(WrapId) == crypto_pwhash_SALTBYTES);

Stretch stretch_for(bool phone) {
  if (phone)
    return {crypto_pwhash_argon2id_OPSLIMIT_INTERACTIVE,
            crypto_pwhash_argon2id_MEMLIMIT_INTERACTIVE >> 10};
  return {crypto_pwhash_argon2id_OPSLIMIT_MODERATE, crypto_pwhash_argon2id_MEMLIMIT_MODERATE >> 10};
}

Status check_new_passphrase(const crypto::Secret& passphrase) {
  const ByteView bytes = passphrase.view();
  if (bytes.size() > kPassphraseBytesMax)
    return bad_input("A passphrase has at most " + std::to_string(kPassphraseBytesMax) + " bytes.",
                     "passphrase");
  // What cannot be typed at a terminal again would lock its owner out.
  if (std::any_of(bytes.begin(), bytes.end(),
                  [](std::uint8_t byte) { return byte < 0x20 || byte == 0x7f; }))
    return bad_input("A passphrase is one line, without control characters.", "passphrase");
  const auto letters = static_cast<std::size_t>(std::count_if(
      bytes.begin(), bytes.end(), [](std::uint8_t byte) { return (byte & 0xc0) != 0x80; }));
  if (letters < kPassphraseLettersMin)
    return bad_input("A passphrase has at least " + std::to_string(kPassphraseLettersMin) +
                         " characters; four or five random words are better.",
                     "passphrase");
  return {};
}

Result<crypto::Secret> PassphraseSource::key_of(const Wrap& wrap) {
  // The file's reader has checked this; nothing that comes another way may cost more either.
  if (!stretch_allowed(wrap.stretch))
    return corrupt("the passphrase wrap asks for a cost that cannot be meant");
  crypto::Secret key(kKeySize);
  if (crypto_pwhash(key.writable().data(), key.size(),
                    reinterpret_cast<const char*>(passphrase_.view().data()), passphrase_.size(),
                    wrap.id.data(), wrap.stretch.passes, std::size_t{wrap.stretch.memory_kib} << 10,
                    crypto_pwhash_ALG_ARGON2ID13) != 0)
    return Error{Cause::kUnavailable,
                 "There is not enough memory to check the passphrase: " +
                     std::to_string(wrap.stretch.memory_kib >> 10) +
                     " MiB are needed for a moment. Close something and try again.",
                 {}};
  return key;
}

Result<crypto::Secret> PassphraseSource::make_key(Wrap& wrap, crypto::Random&) {
  KARTEI_TRY(check_new_passphrase(passphrase_));
  wrap.stretch = for_new_;
  return key_of(wrap);
}

Error PassphraseSource::refused() const {
  return {Cause::kForbidden, "That is not this device's passphrase.", "passphrase"};
}

}  // namespace kartei::keyring
