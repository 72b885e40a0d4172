// Passphrases: what one must be, what guessing one costs, and the wrapping key made of it.
#pragma once

#include "crypto/keyring/key_source.h"

namespace kartei::keyring {

inline constexpr std::size_t kPassphraseBytesMax = 1024;
inline constexpr std::size_t kPassphraseLettersMin = 8;

// libsodium's MODERATE (3 passes over 256 MiB), and INTERACTIVE (2 over 64 MiB) for phones.
Stretch stretch_for(bool phone);

// Of a new one; the error says what is missing.
Status check_new_passphrase(const crypto::Secret& passphrase);

// Argon2id. Takes up to seconds and all of the memory that the stretch names: never on a thread
// that others wait for.
class PassphraseSource final : public KeySource {
 public:
  // `for_new`: what a wrap that is made will cost; of one that is there its own cost counts.
  PassphraseSource(crypto::Secret passphrase, Stretch for_new)
      : passphrase_(std::move(passphrase)), for_new_(for_new) {}
  Backend backend() const override { return Backend::kPassphrase; }
  Result<crypto::Secret> key_of(const Wrap& wrap) override;
  Result<crypto::Secret> make_key(Wrap& wrap, crypto::Random& random) override;
  Status forget(const WrapId&) override { return {}; }
  Error refused() const override;

 private:
  const crypto::Secret passphrase_;
  const Stretch for_new_;
};

}  // namespace kartei::keyring
