// Secrets at the door of a box: what may come in, and what goes out. A secret that its owner
// allowed once may be said again and is handed out; of it a keyed hash is kept, in this box on this
// device.
//
// Threads: the functions and a SecretsAllowed are pure and read by any; a box's own set is replaced
// whole by the writer. Failure: none but the disk's.
#pragma once

#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "crypto/bytes.h"
#include "crypto/secret.h"
#include "store/box.h"
#include "store/delta.h"
#include "store/secrets/secrets.h"

namespace kartei::daemon {

// A secret in something that is to be stored.
struct SecretSeen {
  std::string field;  // "text", "tags[2]"
  secrets::Finding finding;
  std::string essence;
};

// The fields of one thing, looked through: texts, in which secrets may be allowed, and names, which
// are shown everywhere and may hold none.
class SecretsSeen {
 public:
  void text(const std::string& field, std::string_view value);
  void texts(const std::string& field, const std::vector<std::string>& values);
  void name(const std::string& field, std::string_view value);

  bool any() const { return !in_texts_.empty() || !in_names_.empty(); }
  const std::vector<SecretSeen>& in_texts() const { return in_texts_; }
  const std::vector<SecretSeen>& in_names() const { return in_names_; }

 private:
  std::vector<SecretSeen> in_texts_, in_names_;
};

class SecretsAllowed {
 public:
  // `key32`: this device's own, of this box.
  SecretsAllowed(crypto::Secret key32, std::set<Hash32> hashes)
      : key_(std::move(key32)), hashes_(std::move(hashes)) {}
  static Result<SecretsAllowed> load(store::Box& box, crypto::Secret key32);

  bool has(std::string_view essence) const;
  bool empty() const { return hashes_.empty(); }
  // With these, or without them; written down by the caller's transaction.
  SecretsAllowed with(std::span<const std::string> essences) const;
  SecretsAllowed without(std::span<const std::string> essences) const;
  Status save(store::Box& box) const;

  // What of it may not be stored: all in names, and those in texts that are not allowed yet.
  std::vector<SecretSeen> refused(const SecretsSeen& seen) const;

  // In place, before they are handed out.
  void mask(std::string& text) const;
  void mask(store::Card& card) const;
  void mask(store::Turn& turn) const;

 private:
  Hash32 hash_of(std::string_view essence) const;
  crypto::Secret key_;
  std::set<Hash32> hashes_;
};

// All that a card or a turn says.
SecretsSeen look_for_secrets(const store::Card& card);
SecretsSeen look_for_secrets(const store::Turn& turn);
// "It holds a password (`text`, bytes 15 to 22)."; never the secret itself.
std::string describe(std::span<const SecretSeen> secrets);
// The secretary's cards that hold a secret which is not allowed stay out.
void drop_secret_cards(store::UnitFiled& unit, const SecretsAllowed& allowed);

}  // namespace kartei::daemon
