#include "daemon/secret_guard.h"

#include <algorithm>

#include "crypto/hash.h"

namespace kartei::daemon {
namespace {

constexpr const char* kAllowedKey = "daemon.allowed_secrets";  // hashes, one behind the other
constexpr const char* kAllowedDomain = "kartei allowed secret";
constexpr std::size_t kDescribed = 3;

void look(std::string_view value, const std::string& field, std::vector<SecretSeen>& out) {
  for (const secrets::Finding& one : secrets::find(value))
    out.push_back({field, one, secrets::essence(value.substr(one.begin, one.end - one.begin))});
}

}  // namespace

void SecretsSeen::text(const std::string& field, std::string_view value) {
  look(value, field, in_texts_);
}
void SecretsSeen::texts(const std::string& field, const std::vector<std::string>& values) {
  for (std::size_t i = 0; i < values.size(); ++i)
    look(values[i], field + "[" + std::to_string(i) + "]", in_texts_);
}
void SecretsSeen::name(const std::string& field, std::string_view value) {
  look(value, field, in_names_);
}

Result<SecretsAllowed> SecretsAllowed::load(store::Box& box, crypto::Secret key32) {
  KARTEI_ASSIGN(const auto kept, box.meta(kAllowedKey));
  std::set<Hash32> hashes;
  constexpr std::size_t kSize = std::tuple_size_v<Hash32>;
  for (std::size_t at = 0; kept && at + kSize <= kept->size(); at += kSize) {
    Hash32 hash{};
    std::copy_n(kept->begin() + static_cast<std::ptrdiff_t>(at), kSize, hash.begin());
    hashes.insert(hash);
  }
  return SecretsAllowed(std::move(key32), std::move(hashes));
}

Status SecretsAllowed::save(store::Box& box) const {
  Bytes all;
  for (const Hash32& hash : hashes_) all.insert(all.end(), hash.begin(), hash.end());
  return box.put_meta(kAllowedKey, all);
}

Hash32 SecretsAllowed::hash_of(std::string_view essence) const {
  return crypto::keyed_hash(key_.view(), kAllowedDomain, {as_bytes(essence)});
}

bool SecretsAllowed::has(std::string_view essence) const {
  return !hashes_.empty() && hashes_.contains(hash_of(essence));
}

SecretsAllowed SecretsAllowed::with(std::span<const std::string> essences) const {
  SecretsAllowed more(key_.copy(), hashes_);
  for (const std::string& essence : essences) more.hashes_.insert(hash_of(essence));
  return more;
}

SecretsAllowed SecretsAllowed::without(std::span<const std::string> essences) const {
  SecretsAllowed fewer(key_.copy(), hashes_);
  for (const std::string& essence : essences) fewer.hashes_.erase(hash_of(essence));
  return fewer;
}

std::vector<SecretSeen> SecretsAllowed::refused(const SecretsSeen& seen) const {
  std::vector<SecretSeen> out = seen.in_names();
  for (const SecretSeen& one : seen.in_texts())
    if (!has(one.essence)) out.push_back(one);
  return out;
}

void SecretsAllowed::mask(std::string& text) const {
  secrets::mask(text, [this](std::string_view essence) { return has(essence); });
}

void SecretsAllowed::mask(store::Card& card) const {
  for (std::string* text :
       {&card.text, &card.micro_context, &card.subject, &card.relation, &card.object,
        &card.why_closed, &card.sub_domain, &card.said_by, &card.conversation})
    mask(*text);
  for (std::string& tag : card.tags) mask(tag);
  for (std::string& note : card.annotations) mask(note);
}

void SecretsAllowed::mask(store::Turn& turn) const {
  for (std::string* text :
       {&turn.text, &turn.caption, &turn.speaker, &turn.conversation, &turn.external_id})
    mask(*text);
}

SecretsSeen look_for_secrets(const store::Card& card) {
  SecretsSeen seen;
  seen.text("text", card.text);
  seen.text("micro_context", card.micro_context);
  seen.text("object", card.object);
  seen.text("why_closed", card.why_closed);
  seen.texts("tags", card.tags);
  seen.texts("annotations", card.annotations);
  seen.name("subject", card.subject);
  seen.name("relation", card.relation);
  seen.name("sub_domain", card.sub_domain);
  seen.name("said_by", card.said_by);
  seen.name("conversation", card.conversation);
  return seen;
}

SecretsSeen look_for_secrets(const store::Turn& turn) {
  SecretsSeen seen;
  seen.text("text", turn.text);
  seen.text("caption", turn.caption);
  seen.name("id", turn.external_id);
  seen.name("speaker", turn.speaker);
  seen.name("conversation", turn.conversation);
  return seen;
}

std::string describe(std::span<const SecretSeen> secrets) {
  std::string out = "It holds ";
  for (std::size_t i = 0; i < std::min(secrets.size(), kDescribed); ++i) {
    const SecretSeen& one = secrets[i];
    out += (i == 0 ? "a secret: " : ", ") + std::string(one.finding.what) + " (`" + one.field +
           "`, bytes " + std::to_string(one.finding.begin) + " to " +
           std::to_string(one.finding.end) + ")";
  }
  if (secrets.size() > kDescribed)
    out += ", and " + std::to_string(secrets.size() - kDescribed) + " more";
  return out + ".";
}

void drop_secret_cards(store::UnitFiled& unit, const SecretsAllowed& allowed) {
  std::set<store::CardId> dropped;
  std::erase_if(unit.cards, [&](const store::Card& card) {
    const bool drops = !allowed.refused(look_for_secrets(card)).empty();
    if (drops) dropped.insert(card.id);
    return drops;
  });
  if (dropped.empty()) return;
  // What such a card would have replaced stays as it is.
  std::erase_if(unit.closes,
                [&](const store::CardClose& close) { return dropped.contains(close.replaced_by); });
  unit.unit = store::derive_unit_id(unit);
}

}  // namespace kartei::daemon
