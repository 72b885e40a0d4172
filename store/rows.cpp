#include "store/rows.h"

#include <algorithm>
#include <cmath>

namespace kartei::store {

namespace {

constexpr char kDivider = '\x1f';

}  // namespace

Turn read_turn(const Query& query, int first) {
  Turn turn;
  turn.id = query.id<TurnId>(first);
  turn.external_id = query.text(first + 1);
  turn.conversation = query.text(first + 2);
  turn.speaker = query.text(first + 3);
  turn.role = static_cast<Role>(query.integer(first + 4));
  turn.trust = static_cast<Trust>(query.integer(first + 5));
  turn.text = query.text(first + 6);
  turn.caption = query.text(first + 7);
  turn.said_at.at = time_from_ms(query.integer(first + 8));
  turn.said_at.zone_min = static_cast<std::int16_t>(query.integer(first + 9));
  turn.recorded_at = time_from_ms(query.integer(first + 10));
  turn.drawer = query.id<DrawerId>(first + 11);
  turn.app = query.text(first + 12);
  turn.device = query.id<DeviceId>(first + 13);
  return turn;
}

Card read_card(const Query& query, int first) {
  Card card;
  card.id = query.id<CardId>(first);
  card.drawer = query.id<DrawerId>(first + 1);
  card.text = query.text(first + 2);
  card.colour = static_cast<Colour>(query.integer(first + 3));
  card.sub_domain = query.text(first + 4);
  card.micro_context = query.text(first + 5);
  card.subject = query.text(first + 6);
  card.relation = query.text(first + 7);
  card.object = query.text(first + 8);
  card.valid_from = unpack_date(query.integer(first + 9));
  card.valid_to = unpack_date(query.integer(first + 10));
  card.recorded_at = time_from_ms(query.integer(first + 11));
  card.closed_at = time_from_ms(query.integer(first + 12));
  card.replaced_by = query.id<CardId>(first + 13);
  card.why_closed = query.text(first + 14);
  card.conversation = query.text(first + 15);
  card.sources = split_ids<TurnId>(query.blob(first + 16));
  card.trust = static_cast<Trust>(query.integer(first + 17));
  card.said_by = query.text(first + 18);
  card.app = query.text(first + 19);
  card.device = query.id<DeviceId>(first + 20);
  card.importance = query.real(first + 21);
  card.flags = static_cast<std::uint32_t>(query.integer(first + 22));
  card.tags = split_list(query.text(first + 23));
  card.annotations = split_list(query.text(first + 24));
  card.times_used = static_cast<std::uint32_t>(query.integer(first + 25));
  card.last_used = time_from_ms(query.integer(first + 26));
  const std::int64_t state = query.integer(first + 27);
  card.state = state == kStateGaveWay ? CardState::kClosed : static_cast<CardState>(state);
  const std::int64_t shown_as = query.integer(first + 28);
  card.pending = shown_as == kShownPending;
  card.waiting = shown_as == kShownWaiting;
  card.user_made = query.integer(first + 29) == kOriginUser;
  return card;
}

// year:16 | month:4 | day:5 | minute + 1:11 | zone_min + 2048:12
std::int64_t pack_date(const Date& date) {
  if (!date.known()) return 0;
  const int month = std::min<int>(date.month, 12);
  const int day = month == 0 ? 0 : std::min<int>(date.day, 31);
  const int minute = day == 0 ? 0 : std::clamp<int>(date.minute + 1, 0, 1440);
  std::int64_t packed = date.year;
  packed = packed * 16 + month;
  packed = packed * 32 + day;
  packed = packed * 2048 + minute;
  return packed * 4096 + std::clamp<int>(date.zone_min + 2048, 0, 4095);
}

Date unpack_date(std::int64_t packed) {
  Date date;
  if (packed == 0) return date;
  date.zone_min = static_cast<std::int16_t>((packed & 4095) - 2048);
  packed >>= 12;
  date.minute = static_cast<std::int16_t>((packed & 2047) - 1);
  packed >>= 11;
  date.day = static_cast<std::uint8_t>(packed & 31);
  packed >>= 5;
  date.month = static_cast<std::uint8_t>(packed & 15);
  date.year = static_cast<std::int16_t>(packed >> 4);  // out of range: does not pack to the same
  return date;
}

double bounded_importance(double importance) {
  return std::isfinite(importance) ? std::clamp(importance, 0.0, 1.0) : 0.5;
}

std::string join_list(const std::vector<std::string>& items) {
  std::string joined;
  for (const std::string& item : items) {
    if (&item != &items.front()) joined.push_back(kDivider);
    const std::size_t from = joined.size();
    joined += item;
    std::replace(joined.begin() + static_cast<std::ptrdiff_t>(from), joined.end(), kDivider, ' ');
  }
  return joined;
}

std::vector<std::string> split_list(std::string_view joined) {
  std::vector<std::string> items;
  while (!joined.empty()) {
    const std::size_t end = joined.find(kDivider);
    items.emplace_back(joined.substr(0, end));
    if (end == std::string_view::npos) break;
    joined.remove_prefix(end + 1);
  }
  return items;
}

Result<std::vector<Card>> read_cards(Query query) {
  std::vector<Card> cards;
  while (query.next()) cards.push_back(read_card(query));
  KARTEI_TRY(query.status());
  return cards;
}

Result<std::vector<Turn>> read_turns(Query query) {
  std::vector<Turn> turns;
  while (query.next()) turns.push_back(read_turn(query));
  KARTEI_TRY(query.status());
  return turns;
}

}  // namespace kartei::store
