// Cards that are one another's copies: a card that is moved becomes a new one in the other drawer,
// and the old one stays, archived.
#include "store/box_impl.h"
#include "store/fold.h"
#include "store/rows.h"

namespace kartei::store {

namespace {

Result<std::vector<CardId>> ids_of(Query query) {
  std::vector<CardId> ids;
  while (query.next()) ids.push_back(query.id<CardId>(0));
  KARTEI_TRY(query.status());
  return ids;
}

}  // namespace

Status Box::note_move(CardId original, CardId copy) {
  return impl_->change(
      [&] { return impl_->db->run("INSERT OR REPLACE INTO moves VALUES(?, ?)", copy, original); });
}

// A move that this device does not know of (another device's, or an older Kartei's) is told by the
// words: a copy keeps them and the moment at which they were recorded, and one of the two is
// archived.
Result<std::vector<CardId>> Box::copies_of(CardId id) {
  return ids_of(impl_->db->query(
      "WITH RECURSIVE kin(id) AS (VALUES(?1) UNION SELECT m.original FROM moves m JOIN kin ON "
      "m.copy = kin.id UNION SELECT m.copy FROM moves m JOIN kin ON m.original = kin.id UNION "
      "SELECT o.id FROM kin JOIN cards c ON c.id = kin.id JOIN cards o ON o.state IN (0, 1, 2, 3, "
      "4, 5, 6) AND o.recorded_at = c.recorded_at AND o.text = c.text AND o.colour = c.colour AND "
      "o.said_by = c.said_by AND ?2 IN (o.origin, c.origin) AND ?3 IN (o.own_state, c.own_state) "
      "AND NOT EXISTS(SELECT 1 FROM moves m WHERE m.copy IN (c.id, o.id) OR m.original IN (c.id, "
      "o.id))) SELECT k.id FROM kin k JOIN cards c ON c.id = k.id WHERE k.id <> ?1",
      id, kOriginUser, static_cast<int>(CardState::kArchived)));
}

Result<std::vector<CardId>> Box::originals_of_erased() {
  return ids_of(impl_->db->query(
      "SELECT m.original FROM moves m JOIN cards c ON c.id = m.original WHERE EXISTS(SELECT 1 FROM "
      "tombstones t WHERE t.kind = ? AND t.id = m.copy AND t.over = 0)",
      kTombstoneCard));
}

}  // namespace kartei::store
