#include "store/card_list.h"

#include <charconv>

#include "store/rows.h"

namespace kartei::store {

namespace {

constexpr std::size_t kLimitMax = 500;

// A cursor names the last card handed out: its time and its row.
struct Cursor {
  std::int64_t recorded_at = 0, rid = 0;
};

Result<Cursor> parse_cursor(std::string_view text) {
  Cursor cursor;
  const char* const end = text.data() + text.size();
  const auto first = std::from_chars(text.data(), end, cursor.recorded_at);
  if (first.ec == std::errc() && first.ptr != end && *first.ptr == '.') {
    const auto second = std::from_chars(first.ptr + 1, end, cursor.rid);
    if (second.ec == std::errc() && second.ptr == end) return cursor;
  }
  return bad_input("That cursor is not one of ours; begin without one", "cursor");
}

std::vector<std::string> filter_words(std::string_view text) {
  std::vector<std::string> words;
  const std::string normal = normalised_text(text);
  for (std::size_t at = 0; at < normal.size();) {
    const std::size_t end = std::min(normal.find(' ', at), normal.size());
    words.push_back(normal.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

bool holds_all(const Card& card, const std::vector<std::string>& words) {
  if (words.empty()) return true;
  const std::string text = normalised_text(card.text + " " + card.subject + " " + card.object +
                                           " " + card.sub_domain + " " + join_list(card.tags));
  for (const std::string& word : words) {
    if (text.find(word) == std::string::npos) return false;
  }
  return true;
}

}  // namespace

// Newest first.
Result<CardPage> list_cards(Db& db, const CardFilter& filter) {
  std::string sql = std::string("SELECT ") + kCardColumns + ", c.rid FROM cards c WHERE ";
  sql += filter.state ? "c.state = ?" : "c.state <> ?";
  if (filter.drawer) sql += " AND c.drawer = ?";
  if (filter.colour) sql += " AND c.colour = ?";
  if (filter.since) sql += " AND c.recorded_at >= ?";
  if (!filter.conversation.empty()) sql += " AND c.conversation = ?";
  if (filter.unreviewed) sql += " AND c.flags & ? = 0 AND c.origin <> ?";
  if (!filter.cursor.empty()) sql += " AND (c.recorded_at, c.rid) < (?, ?)";
  sql += " ORDER BY c.recorded_at DESC, c.rid DESC";
  Query query = db.query(sql, filter.state ? static_cast<int>(*filter.state) : kStateGaveWay);
  if (filter.drawer) query.bind(*filter.drawer);
  if (filter.colour) query.bind(static_cast<int>(*filter.colour));
  if (filter.since) query.bind(to_ms(*filter.since));
  if (!filter.conversation.empty()) query.bind(filter.conversation);
  if (filter.unreviewed) {
    query.bind(static_cast<std::int64_t>(kReviewed));
    query.bind(kOriginUser);
  }
  if (!filter.cursor.empty()) {
    KARTEI_ASSIGN(const Cursor cursor, parse_cursor(filter.cursor));
    query.bind(cursor.recorded_at);
    query.bind(cursor.rid);
  }
  const std::size_t limit = std::clamp<std::size_t>(filter.limit, 1, kLimitMax);
  const std::vector<std::string> words = filter_words(filter.q);
  CardPage page;
  std::string last;
  while (query.next()) {
    Card card = read_card(query);
    if (!holds_all(card, words)) continue;
    if (page.cards.size() == limit) {
      page.cursor = last;
      break;
    }
    last = std::to_string(to_ms(card.recorded_at)) + "." +
           std::to_string(query.integer(kCardColumnCount));
    page.cards.push_back(std::move(card));
  }
  KARTEI_TRY(query.status());
  return page;
}

}  // namespace kartei::store
