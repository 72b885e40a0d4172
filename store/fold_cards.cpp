// The part of the fold that keeps what is derived of a card: whether it may be there at all,
// whether it is ended, and by what, whether it gave way. All of it is a function of the other
// tables, computed anew whenever one of them changed; so neither order nor repetition matters.
#include <algorithm>

#include "crypto/hash.h"
#include "store/fold.h"
#include "store/forgotten.h"

namespace kartei::store {

namespace {

// What settle() derives.
struct Derived {
  std::int64_t state = 0, valid_to = 0, closed_at = 0, times_used = 0, last_used = 0;
  CardId replaced_by;
  std::string why;
  Bytes sources;
  bool operator==(const Derived&) const = default;
};

struct Standing {
  CardId id;
  DrawerId drawer;
  std::int64_t origin = 0, own_state = 0, own_valid_to = 0, touched_n = 0, reopened_n = 0;
  Bytes own_sources;
};

constexpr std::size_t kSourcesShown = 3;

// The first end counts, a user's before the secretary's; what replaced the card is filled in from a
// later one where the first names nothing.
Result<bool> find_end(Db& db, const Standing& card, Derived& out) {
  Query query = db.query(
      "SELECT n, by_user, valid_to, closed_at, replaced_by, why FROM ends WHERE card = ?1 AND "
      "drawer = ?2 UNION "
      "SELECT e.n, e.by_user, e.valid_to, e.closed_at, e.replaced_by, e.why FROM card_sources s "
      "JOIN end_keys k ON k.turn_key = s.turn_key JOIN ends e ON e.n = k.n WHERE s.card = ?1 AND "
      "e.drawer = ?2 ORDER BY 2 DESC, 1",
      card.id, card.drawer);
  bool ended = false;
  while (query.next()) {
    const std::int64_t n = query.integer(0);
    const bool by_user = query.integer(1) != 0;
    const auto replaced_by = query.id<CardId>(4);
    if (card.reopened_n != 0 && n < card.reopened_n) continue;
    if (replaced_by == card.id) continue;
    // The secretary never ends what a user made, or had touched by then.
    if (!by_user && card.origin == kOriginUser) continue;
    if (!by_user && card.touched_n != 0 && n > card.touched_n) continue;
    if (!ended) {
      ended = true;
      if (query.integer(2) != 0) out.valid_to = query.integer(2);
      out.closed_at = query.integer(3);
      out.why = query.text(5);
    }
    if (out.replaced_by.is_zero()) out.replaced_by = replaced_by;
  }
  KARTEI_TRY(query.status());
  return ended;
}

// A card that a user's edit brought back, says the same from a common turn, and has not been ended.
Result<CardId> gives_way_to(Db& db, const Standing& card) {
  Query query = db.query(
      "SELECT m.id FROM card_sources s JOIN card_sources o ON o.turn_key = s.turn_key JOIN cards m "
      "ON m.id = o.card WHERE s.card = ?1 AND o.card <> ?1 AND m.origin = ?2 AND m.drawer = ?3 AND "
      "NOT EXISTS(SELECT 1 FROM ends e WHERE e.card = m.id AND e.drawer = ?3 AND e.by_user AND "
      "(m.reopened_n = 0 OR e.n > m.reopened_n)) ORDER BY m.id LIMIT 1",
      card.id, kOriginRevived, card.drawer);
  const CardId other = query.next() ? query.id<CardId>(0) : CardId{};
  KARTEI_TRY(query.status());
  return other;
}

constexpr std::int64_t kStateArchived = static_cast<int>(CardState::kArchived);

// What forgetting made of it and others of its kind.
Result<CardId> stands_for(Db& db, const Standing& card) {
  Query query = db.query(
      "SELECT stands_in FROM forgotten WHERE card = ? AND drawer = ? AND step = ? ORDER BY n DESC",
      card.id, card.drawer, static_cast<int>(Forgotten::kCondensed));
  const CardId other = query.next() ? query.id<CardId>(0) : CardId{};
  KARTEI_TRY(query.status());
  return other;
}

Result<Bytes> shown_sources(Db& db, const Standing& card) {
  std::vector<TurnId> sources = split_ids<TurnId>(card.own_sources);
  if (sources.size() >= kSourcesShown) return card.own_sources;
  Query query = db.query("SELECT turn FROM confirmations WHERE card = ? AND drawer = ? ORDER BY n",
                         card.id, card.drawer);
  while (sources.size() < kSourcesShown && query.next()) {
    const auto turn = query.id<TurnId>(0);
    if (std::find(sources.begin(), sources.end(), turn) == sources.end()) sources.push_back(turn);
  }
  KARTEI_TRY(query.status());
  return join_ids(sources);
}

CardState own_state_of(const Card& card, int origin) {
  const bool untrusted = card.trust == Trust::kTool || card.trust == Trust::kWebPage;
  if (card.state == CardState::kClosed || card.state == CardState::kErased ||
      card.state == CardState::kOpen) {
    return origin == kOriginExtracted && untrusted ? CardState::kQuarantined : CardState::kOpen;
  }
  return card.state;
}

}  // namespace

std::vector<Fold::TurnKey> Fold::turn_keys(const std::vector<TurnId>& sources,
                                           std::string_view key) {
  std::vector<TurnKey> keys;
  if (key.empty()) return keys;
  for (TurnId turn : sources) {
    const Hash32 hash = crypto::hash("kartei turn and key", {turn.view(), as_bytes(key)});
    TurnKey one;
    std::copy_n(hash.begin(), one.size(), one.begin());
    if (std::find(keys.begin(), keys.end(), one) == keys.end()) keys.push_back(one);
  }
  return keys;
}

Result<std::vector<Fold::TurnKey>> Fold::stored_keys(CardId card) {
  std::vector<TurnKey> keys;
  Query query =
      db_.query("SELECT turn_key FROM card_sources WHERE card = ? AND turn_key IS NOT NULL", card);
  while (query.next()) {
    const ByteView blob = query.blob(0);
    TurnKey key{};
    std::copy_n(blob.begin(), std::min(blob.size(), key.size()), key.begin());
    keys.push_back(key);
  }
  KARTEI_TRY(query.status());
  return keys;
}

// Nothing under a tombstone is ever stored again. A user's own card is hit by its id only.
Result<bool> Fold::erased(const Card& card, DrawerId drawer, int origin,
                          const std::vector<TurnKey>& keys) {
  constexpr std::string_view kFind =
      "SELECT 1 FROM tombstones WHERE kind = ? AND id = ? AND drawer = ?";
  KARTEI_ASSIGN(const bool by_id, db_.exists(kFind, kTombstoneCard, card.id, drawer));
  if (by_id || origin == kOriginUser) return by_id;
  for (const TurnKey& key : keys) {
    KARTEI_ASSIGN(const bool by_key, db_.exists(kFind, kTombstoneKey, ByteView(key), drawer));
    if (by_key) return true;
  }
  for (TurnId turn : card.sources) {
    KARTEI_ASSIGN(const bool by_turn, db_.exists(kFind, kTombstoneTurn, turn, drawer));
    if (by_turn) return true;
  }
  return false;
}

Status Fold::add_card(Card card, DrawerId drawer, int origin) {
  std::vector<TurnId> sources;  // each once, in order
  for (TurnId turn : card.sources) {
    if (std::find(sources.begin(), sources.end(), turn) == sources.end()) sources.push_back(turn);
  }
  card.sources = sources;
  const std::string key = origin == kOriginUser ? std::string() : card_key(card);
  const std::vector<TurnKey> keys = turn_keys(card.sources, key);
  KARTEI_ASSIGN(const bool gone, erased(card, drawer, origin, keys));
  if (gone) return {};
  KARTEI_ASSIGN(const std::int64_t there,
                db_.integer("SELECT origin FROM cards WHERE id = ?", -1, card.id));
  KARTEI_ASSIGN(const bool here, is_of(card.id, drawer));
  if (there == origin || !here) return {};
  if (there >= 0) {
    if (origin != kOriginUser) return {};
    // Brought back from a copy before the user's own record arrived.
    KARTEI_ASSIGN(const std::vector<TurnKey> stored, stored_keys(card.id));
    KARTEI_TRY(db_.run("UPDATE cards SET origin = ? WHERE id = ?", origin, card.id));
    KARTEI_TRY(db_.run("UPDATE card_sources SET turn_key = NULL WHERE card = ?", card.id));
    KARTEI_TRY(settle(card.id));
    return settle_keys(stored);
  }
  const int shown_as = layer_ == Layer::kPending   ? kShownPending
                       : layer_ == Layer::kWaiting ? kShownWaiting
                                                   : kShownFolded;
  const CardState state = own_state_of(card, origin);
  const std::int64_t own_valid_to = to_ms(card.closed_at) == 0 ? pack_date(card.valid_to) : 0;
  // A copy with flags is of a card that its user had touched before.
  const std::int64_t touched_n = origin == kOriginRevived && card.flags != 0 ? n_++ : 0;
  const Bytes joined = join_ids(card.sources);
  const std::string tags = join_list(card.tags), annotations = join_list(card.annotations);
  const std::string subject_key = normalised_text(card.subject);
  KARTEI_TRY(db_.run(
      "INSERT INTO cards(id, drawer, text, colour, sub_domain, micro_context, subject, relation, "
      "object, valid_from, valid_to, recorded_at, closed_at, replaced_by, why_closed, "
      "conversation, sources, trust, said_by, app, device, importance, flags, tags, annotations, "
      "times_used, last_used, state, shown_as, origin, own_state, own_valid_to, own_sources, "
      "touched_n, reopened_n, subject_key) VALUES(?,?,?,?,?,?,?,?,?,?,?,?,0,zeroblob(16),'',"
      "?,?,?,?,?,?,?,?,?,?,0,0,?,?,?,?,?,?,?,0,?)",
      card.id, drawer, card.text, static_cast<int>(card.colour), card.sub_domain,
      card.micro_context, card.subject, card.relation, card.object, pack_date(card.valid_from),
      own_valid_to, to_ms(card.recorded_at), card.conversation, joined,
      static_cast<int>(card.trust), card.said_by, card.app, card.device,
      bounded_importance(card.importance), card.flags, tags, annotations, static_cast<int>(state),
      shown_as, origin, static_cast<int>(state), own_valid_to, joined, touched_n, subject_key));
  for (TurnId turn : card.sources) {
    const std::vector<TurnKey> one = turn_keys({turn}, key);
    Query query = db_.query("INSERT INTO card_sources VALUES(?, ?, ?, ?)", turn, card.id, drawer);
    if (!one.empty()) query.bind(ByteView(one.front()));
    KARTEI_TRY(query.run());
  }
  KARTEI_TRY(settle(card.id));
  return origin == kOriginRevived ? settle_keys(keys) : Status{};
}

Status Fold::remove_card(CardId card) {
  KARTEI_ASSIGN(const std::vector<TurnKey> keys, stored_keys(card));
  KARTEI_TRY(db_.run("DELETE FROM cards WHERE id = ?", card));
  KARTEI_TRY(db_.run("DELETE FROM card_sources WHERE card = ?", card));
  KARTEI_TRY(db_.run("DELETE FROM confirmations WHERE card = ?", card));
  KARTEI_TRY(db_.run("DELETE FROM usage WHERE card = ?", card));
  KARTEI_TRY(db_.run("DELETE FROM forgotten WHERE card = ?", card));
  // Why it was ended may tell what it said.
  KARTEI_TRY(db_.run("UPDATE ends SET why = '' WHERE card = ? AND why <> ''", card));
  for (const TurnKey& key : keys) {
    KARTEI_TRY(
        db_.run("UPDATE ends SET why = '' WHERE why <> '' AND n IN (SELECT n FROM end_keys "
                "WHERE turn_key = ?)",
                ByteView(key)));
  }
  return settle_keys(keys);
}

Status Fold::settle(CardId id) {
  Query query = db_.query(
      "SELECT origin, own_state, own_valid_to, touched_n, reopened_n, own_sources, state, "
      "valid_to, "
      "closed_at, replaced_by, why_closed, sources, times_used, last_used, drawer FROM cards WHERE "
      "id = ?",
      id);
  if (!query.next()) return query.status();
  Standing card{id,
                query.id<DrawerId>(14),
                query.integer(0),
                query.integer(1),
                query.integer(2),
                query.integer(3),
                query.integer(4),
                to_bytes(query.blob(5))};
  Derived before;
  before.state = query.integer(6);
  before.valid_to = query.integer(7);
  before.closed_at = query.integer(8);
  before.replaced_by = query.id<CardId>(9);
  before.why = query.text(10);
  before.sources = to_bytes(query.blob(11));
  before.times_used = query.integer(12);
  before.last_used = query.integer(13);

  Derived now;
  now.state = card.own_state;
  now.valid_to = card.own_valid_to;
  KARTEI_ASSIGN(const bool ended, find_end(db_, card, now));
  if (ended) now.state = static_cast<int>(CardState::kClosed);
  if (!ended && card.origin == kOriginExtracted) {
    KARTEI_ASSIGN(const CardId other, gives_way_to(db_, card));
    if (!other.is_zero()) {
      now.state = kStateGaveWay;
      now.replaced_by = other;
    }
  }
  if (!ended && now.replaced_by.is_zero() && card.own_state == kStateArchived) {
    KARTEI_ASSIGN(now.replaced_by, stands_for(db_, card));
  }
  KARTEI_ASSIGN(now.sources, shown_sources(db_, card));
  Query used =
      db_.query("SELECT times, last FROM usage WHERE card = ? AND drawer = ?", id, card.drawer);
  if (used.next()) {
    now.times_used = used.integer(0);
    now.last_used = used.integer(1);
  }
  KARTEI_TRY(used.status());
  if (now == before) return {};
  return db_.run(
      "UPDATE cards SET state = ?, valid_to = ?, closed_at = ?, replaced_by = ?, why_closed = ?, "
      "sources = ?, times_used = ?, last_used = ? WHERE id = ?",
      now.state, now.valid_to, now.closed_at, now.replaced_by, now.why, now.sources, now.times_used,
      now.last_used, id);
}

Status Fold::settle_keys(const std::vector<TurnKey>& keys) {
  std::vector<CardId> cards;
  for (const TurnKey& key : keys) {
    Query query = db_.query("SELECT card FROM card_sources WHERE turn_key = ?", ByteView(key));
    while (query.next()) cards.push_back(query.id<CardId>(0));
    KARTEI_TRY(query.status());
  }
  std::sort(cards.begin(), cards.end());
  cards.erase(std::unique(cards.begin(), cards.end()), cards.end());
  for (CardId card : cards) KARTEI_TRY(settle(card));
  return {};
}

Status Fold::settle_around(CardId card) {
  KARTEI_TRY(settle(card));
  KARTEI_ASSIGN(const std::vector<TurnKey> keys, stored_keys(card));
  return settle_keys(keys);
}

}  // namespace kartei::store
