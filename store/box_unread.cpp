// What the secretary still has to read. All of it goes along the table `unread`, so that nothing is
// sorted and no more is looked at than is handed out.
#include <limits>

#include "store/box_impl.h"
#include "store/rows.h"

namespace kartei::store {

namespace {

// The drawers of one side (1: local), one step along the table for each.
#define UNREAD_DRAWERS                                                                     \
  "WITH RECURSIVE d(id) AS (SELECT min(drawer) FROM unread UNION ALL SELECT (SELECT "      \
  "min(drawer) FROM unread WHERE drawer > d.id) FROM d WHERE d.id IS NOT NULL), s(id) AS " \
  "(SELECT id FROM d WHERE id IS NOT NULL AND (id IN (SELECT id FROM drawers WHERE NOT "   \
  "shared)) = ?1) "

}  // namespace

Result<std::vector<Turn>> Box::unextracted(bool local, std::size_t limit) {
  return read_turns(impl_->db->query(
      std::string(UNREAD_DRAWERS "SELECT ") + kTurnColumns +
          " FROM s JOIN unread u ON u.drawer = s.id JOIN turns t ON t.rid = u.rid ORDER BY "
          "u.recorded_at, u.rid LIMIT ?2",
      local, static_cast<std::int64_t>(limit)));
}

Result<bool> Box::anything_unextracted(bool local) {
  return impl_->db->exists(UNREAD_DRAWERS "SELECT 1 FROM s", local);
}

Result<std::uint64_t> Box::unextracted_count() {
  KARTEI_ASSIGN(const std::int64_t count, impl_->db->integer("SELECT count(*) FROM unread", 0));
  return static_cast<std::uint64_t>(count);
}

Result<std::vector<Turn>> Box::unread_of(std::string_view conversation, bool local,
                                         std::size_t limit) {
  // Whose oldest is the oldest; each drawer's is one step along the table. Where another drawer's
  // turns begin these end: what was said first is read first.
  constexpr const char* kFirstDrawers = UNREAD_DRAWERS
      "SELECT s.id, (SELECT u.recorded_at FROM unread u WHERE u.drawer = s.id AND u.conversation = "
      "?2 ORDER BY u.recorded_at, u.rid LIMIT 1) AS first, (SELECT u.rid FROM unread u WHERE "
      "u.drawer = s.id AND u.conversation = ?2 ORDER BY u.recorded_at, u.rid LIMIT 1) AS first_rid "
      "FROM s WHERE first IS NOT NULL ORDER BY first, first_rid LIMIT 2";
  constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();
  DrawerId drawer;
  std::int64_t before_ms = kNever, before_rid = kNever;
  {
    Query query = impl_->db->query(kFirstDrawers, local, conversation);
    if (!query.next()) {
      KARTEI_TRY(query.status());
      return std::vector<Turn>{};
    }
    drawer = query.id<DrawerId>(0);
    if (query.next()) {
      before_ms = query.integer(1);
      before_rid = query.integer(2);
    }
    KARTEI_TRY(query.status());
  }
  return read_turns(impl_->db->query(
      std::string("SELECT ") + kTurnColumns +
          " FROM unread u JOIN turns t ON t.rid = u.rid WHERE u.drawer = ? AND u.conversation = ? "
          "AND (u.recorded_at, u.rid) < (?, ?) ORDER BY u.recorded_at, u.rid LIMIT ?",
      drawer, conversation, before_ms, before_rid, static_cast<std::int64_t>(limit)));
}

Result<std::vector<UnreadConversation>> Box::unread_conversations(bool local, std::size_t limit) {
  std::vector<UnreadConversation> found;
  Query query = impl_->db->query(
      UNREAD_DRAWERS
      "SELECT u.conversation, count(*), min(u.recorded_at), ifnull((SELECT max(e.at) FROM "
      "conversations_ended e WHERE e.conversation = u.conversation), -1) >= min(u.recorded_at) AS "
      "asked FROM s JOIN unread u ON u.drawer = s.id GROUP BY u.conversation ORDER BY asked DESC "
      "LIMIT ?2",
      local, static_cast<std::int64_t>(limit));
  while (query.next()) {
    found.push_back({std::string(query.text(0)), static_cast<std::size_t>(query.integer(1)),
                     query.integer(3) != 0});
  }
  KARTEI_TRY(query.status());
  return found;
}

}  // namespace kartei::store
