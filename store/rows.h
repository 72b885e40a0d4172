// Turns and cards as rows: which columns, in which order, and how values become them. For the files
// of store/, readers included.
#pragma once

#include <string>

#include "store/sql.h"
#include "store/values.h"

namespace kartei::store {

// SQL's `state` of a card: CardState's numbers, and one more. A card that gave way says the same as
// one that a user has touched: it reads as closed, replaced by that one, and is left out of every
// list.
inline constexpr int kStateGaveWay = 6;
// SQL's `origin`: the secretary's; brought back from the copy in a user's edit; a user's own.
inline constexpr int kOriginExtracted = 0, kOriginRevived = 1, kOriginUser = 2;
// SQL's `shown_as`.
inline constexpr int kShownFolded = 0, kShownPending = 1, kShownWaiting = 2;

// For "SELECT " + kTurnColumns + " FROM turns t ..."; read_turn takes them from `first` on.
inline constexpr char kTurnColumns[] =
    "t.id, t.external_id, t.conversation, t.speaker, t.role, t.trust, t.text, t.caption, "
    "t.said_at, "
    "t.zone_min, t.recorded_at, t.drawer, t.app, t.device";
inline constexpr int kTurnColumnCount = 14;
Turn read_turn(const Query& query, int first = 0);

// For "SELECT " + kCardColumns + " FROM cards c ...".
inline constexpr char kCardColumns[] =
    "c.id, c.drawer, c.text, c.colour, c.sub_domain, c.micro_context, c.subject, c.relation, "
    "c.object, c.valid_from, c.valid_to, c.recorded_at, c.closed_at, c.replaced_by, c.why_closed, "
    "c.conversation, c.sources, c.trust, c.said_by, c.app, c.device, c.importance, c.flags, "
    "c.tags, "
    "c.annotations, c.times_used, c.last_used, c.state, c.shown_as, c.origin";
inline constexpr int kCardColumnCount = 30;
Card read_card(const Query& query, int first = 0);

// A date in one integer, 0 for unknown; sorts by year, month, day and minute as they were said.
// Parts out of range are brought into it.
std::int64_t pack_date(const Date& date);
Date unpack_date(std::int64_t packed);

// Years 1 to 9999: what can be written as a date.
inline constexpr std::int64_t kTimeMinMs = -62'135'596'800'000, kTimeMaxMs = 253'402'300'799'999;

double bounded_importance(double importance);  // 0 to 1, whatever comes

// Lists in one text, divided by U+001F (which becomes a space within an item).
std::string join_list(const std::vector<std::string>& items);
std::vector<std::string> split_list(std::string_view joined);

template <class IdType>
Bytes join_ids(const std::vector<IdType>& ids) {
  Bytes joined;
  joined.reserve(ids.size() * 16);
  for (const IdType& id : ids) joined.insert(joined.end(), id.bytes.begin(), id.bytes.end());
  return joined;
}
template <class IdType>
std::vector<IdType> split_ids(ByteView joined) {
  std::vector<IdType> ids;
  for (std::size_t at = 0; at + 16 <= joined.size(); at += 16) {
    ids.push_back(*IdType::from_bytes(joined.subspan(at, 16)));
  }
  return ids;
}

Result<std::vector<Card>> read_cards(Query query);
Result<std::vector<Turn>> read_turns(Query query);

Result<std::vector<Drawer>> read_drawers(Db& db);

}  // namespace kartei::store
