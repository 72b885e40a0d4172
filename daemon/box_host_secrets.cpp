// BoxHost: the secrets that its owner allowed.
#include "crypto/hash.h"
#include "daemon/box_host.h"

namespace kartei::daemon {

std::shared_ptr<const SecretsAllowed> BoxHost::allowed_secrets() const {
  std::lock_guard lock(mutex_);
  return allowed_secrets_;
}

// Under a key of this device's: another one's owner allows for itself what its apps may see.
Status BoxHost::load_secrets() {
  KARTEI_ASSIGN(auto allowed,
                SecretsAllowed::load(*box_, crypto::derive_key(identity_->box_secret(),
                                                               "kartei allowed secrets", {})));
  std::lock_guard lock(mutex_);
  allowed_secrets_ = std::make_shared<SecretsAllowed>(std::move(allowed));
  return {};
}

// Allowed first: a crash in between leaves more allowed than stored, and not words that their
// owner allowed behind a mask.
Status BoxHost::with_secrets(std::span<const std::string> essences,
                             const std::function<Status()>& work) {
  const auto before = allowed_secrets();
  KARTEI_TRY(allow_secrets(essences));
  Status done = work();
  if (!done && !essences.empty()) (void)keep_secrets(before->with({}));
  return done;
}

Status BoxHost::allow_secrets(std::span<const std::string> essences) {
  if (essences.empty()) return {};
  return keep_secrets(allowed_secrets()->with(essences));
}

Status BoxHost::take_back_secrets(std::span<const std::string> essences) {
  if (essences.empty() || allowed_secrets()->empty()) return {};
  return keep_secrets(allowed_secrets()->without(essences));
}

Status BoxHost::keep_secrets(SecretsAllowed allowed) {
  KARTEI_ASSIGN(auto transaction, box_->begin());
  KARTEI_TRY(allowed.save(*box_));
  KARTEI_TRY(transaction.commit(store::Box::Transaction::Durability::kSynced));
  std::lock_guard lock(mutex_);
  allowed_secrets_ = std::make_shared<SecretsAllowed>(std::move(allowed));
  return {};
}

}  // namespace kartei::daemon
