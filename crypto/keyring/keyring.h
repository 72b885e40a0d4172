// The keyring of a device: one random data key, wrapped once or more, in `$KARTEI_HOME/keyring`.
// Wraps come and go by rewriting that file; the data key never changes.
//
// Threads: one at a time. Ownership: borrows files, randomness and sources; data keys go out by
// value, in guarded memory. Failure: after an error the file is the old one or the new one, whole,
// and what it names opens.
#pragma once

#include <initializer_list>

#include "crypto/keyring/forget_list.h"
#include "crypto/keyring/key_source.h"
#include "crypto/keyring/keyring_file.h"

namespace kartei::keyring {

class Keyring {
 public:
  // Reads the file; no key is needed. kNotFound: there is none. kCorrupt: empty or damaged.
  static Result<Keyring> open(KeyFiles& files, crypto::Random& random);
  // A new data key with one wrap. Never in the place of a keyring that is there (kConflict): make
  // sure first that nothing in the home needs one that was lost.
  struct Made;
  static Result<Made> make(KeyFiles& files, crypto::Random& random, KeySource& source);

  // What a crash left of a change, or a source could not do at the time; for the one program that
  // makes changes. Of what is still needed nothing goes, also where the file was replaced by hand.
  void remove_leftovers(std::initializer_list<KeySource*> sources);

  const KeyId& key_id() const { return content_.key_id; }
  const std::vector<Wrap>& wraps() const { return content_.wraps; }
  bool has(Backend backend) const { return content_.find(backend) != nullptr; }
  // True: only a person can open it.
  bool needs_passphrase() const { return content_.wraps.size() == 1 && has(Backend::kPassphrase); }

  // The data key, by the wrap of the source's backend. kNotFound: there is no such wrap.
  Result<crypto::Secret> unlock(KeySource& source) const;
  // A further wrap, or a passphrase in the place of the one before. The file that is there stays
  // until the new one was read back and has given the data key.
  Status add(const crypto::Secret& data_key, KeySource& source);
  // The last one stays (kConflict). What the source kept goes, too; where that fails, the error
  // says so and the wrap is gone all the same.
  Status remove(KeySource& source);

 private:
  Keyring(KeyFiles& files, crypto::Random& random) : files_(&files), random_(&random) {}
  Status put(const crypto::Secret& data_key, KeySource& source);
  Result<Wrap> make_wrap(const crypto::Secret& data_key, KeySource& source);
  Result<ForgetList> read_forget_list() const;
  Status adopt_forget_list();
  Status write_forget_list(const ForgetList& list);
  Status will_forget(const Wrap& wrap);
  Status forget(const ForgetList::Entry& entry, KeySource& source);
  void forgot(const ForgetList::Entry& entry);
  Status replace(KeyringContent next, const crypto::Secret* data_key, KeySource* source);

  KeyFiles* files_;
  crypto::Random* random_;
  KeyringContent content_;
};

struct Keyring::Made {
  Keyring keyring;
  crypto::Secret data_key;
};

}  // namespace kartei::keyring
