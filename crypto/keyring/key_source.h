// Where wrapping keys come from: one class a backend. What they keep outside of the keyring file is
// made before the file names it and goes after the file has forgotten it.
//
// Threads: one at a time; a call may take as long as a passphrase is stretched (a second, 256 MiB)
// or a service is asked (up to a minute). A source borrows its files and outlives no call.
#pragma once

#include <optional>

#include "crypto/keyring/key_files.h"
#include "crypto/keyring/wrap.h"

namespace kartei::keyring {

class KeySource {
 public:
  virtual ~KeySource() = default;
  virtual Backend backend() const = 0;
  // The key of a wrap that is there. The error says what is wrong and what its owner can do.
  virtual Result<crypto::Secret> key_of(const Wrap& wrap) = 0;
  // A key for a new wrap, kept where it belongs when this returns; may set `wrap.stretch`.
  virtual Result<crypto::Secret> make_key(Wrap& wrap, crypto::Random& random) = 0;
  // After a make_key() that failed: surely nothing of it is kept anywhere.
  virtual bool kept_nothing() const { return false; }
  // What was kept for a wrap that the keyring does not have (any more).
  virtual Status forget(const WrapId& id) = 0;
  // What it means that a wrap does not open with the key of this source.
  virtual Error refused() const {
    return {Cause::kForbidden,
            std::string("The key that the keyring's wrap of the kind ") + to_text(backend()) +
                " is opened with does not fit: one of the two is of another time or device.",
            {}};
  }
};

// A random key in a file of 0600 beside the keyring, which says of itself that it does not protect
// from a stolen disk.
class FileSource final : public KeySource {
 public:
  explicit FileSource(KeyFiles& files) : files_(files) {}
  Backend backend() const override { return Backend::kFile; }
  Result<crypto::Secret> key_of(const Wrap& wrap) override;
  Result<crypto::Secret> make_key(Wrap& wrap, crypto::Random& random) override;
  Status forget(const WrapId& id) override;
  // Of which wrap this key file is; none: it is no whole key file.
  static std::optional<WrapId> wrap_of(const crypto::Secret& file);

 private:
  KeyFiles& files_;
};

}  // namespace kartei::keyring
