// Everything as JSON lines, and the doctor's look at the file.
#include "store/export.h"

#include <boost/json.hpp>

#include "store/box_impl.h"
#include "store/rows.h"
#include "store/schema.h"
#include "store/time.h"

namespace kartei::store {

namespace {

namespace json = boost::json;

template <class IdType>
json::array texts_of(const std::vector<IdType>& ids) {
  json::array out;
  for (const IdType& id : ids) out.emplace_back(id.text());
  return out;
}

json::array strings(const std::vector<std::string>& items) {
  json::array out;
  for (const std::string& item : items) out.emplace_back(item);
  return out;
}

// Absent: null.
json::value moment(Time time) {
  if (to_ms(time) == 0) return nullptr;
  return json::string(format_rfc3339(time));
}
json::value date(const Date& date) {
  if (!date.known()) return nullptr;
  return json::string(date.text());
}
template <class IdType>
json::value reference(IdType id) {
  if (id.is_zero()) return nullptr;
  return json::string(id.text());
}

json::object to_json(const Drawer& drawer) {
  return {{"kind", "drawer"},
          {"id", drawer.id.text()},
          {"name", drawer.name},
          {"shared", drawer.shared},
          {"devices", texts_of(drawer.devices)}};
}

json::object to_json(const Turn& turn) {
  return {{"kind", "turn"},
          {"id", turn.id.text()},
          {"external_id", turn.external_id},
          {"conversation", turn.conversation},
          {"speaker", turn.speaker},
          {"role", to_text(turn.role)},
          {"trust", to_text(turn.trust)},
          {"text", turn.text},
          {"caption", turn.caption},
          {"time", format_rfc3339(turn.said_at.at, turn.said_at.zone_min)},
          {"recorded_at", moment(turn.recorded_at)},
          {"drawer", turn.drawer.text()},
          {"app", turn.app},
          {"device", turn.device.text()}};
}

json::object to_json(const Card& card) {
  return {{"kind", "card"},
          {"id", card.id.text()},
          {"text", card.text},
          {"colour", to_text(card.colour)},
          {"drawer", card.drawer.text()},
          {"sub_domain", card.sub_domain},
          {"micro_context", card.micro_context},
          {"subject", card.subject},
          {"relation", card.relation},
          {"object", card.object},
          {"valid_from", date(card.valid_from)},
          {"valid_to", date(card.valid_to)},
          {"recorded_at", moment(card.recorded_at)},
          {"closed_at", moment(card.closed_at)},
          {"replaced_by", reference(card.replaced_by)},
          {"why_closed", card.why_closed},
          {"conversation", card.conversation},
          {"sources", texts_of(card.sources)},
          {"trust", to_text(card.trust)},
          {"said_by", card.said_by},
          {"app", card.app},
          {"device", card.device.text()},
          {"importance", card.importance},
          {"flags", strings(flag_names(card.flags))},
          {"tags", strings(card.tags)},
          {"annotations", strings(card.annotations)},
          {"times_used", card.times_used},
          {"last_used", moment(card.last_used)},
          {"state", to_text(card.state)},
          {"user_made", card.user_made}};
}

// Says what is wrong where `sql` finds rows.
Status complain(Db& db, const char* sql, const char* what, std::vector<std::string>& out) {
  KARTEI_ASSIGN(const std::int64_t count, db.integer(sql, 0));
  if (count != 0) out.push_back(std::to_string(count) + " " + what);
  return {};
}

}  // namespace

Status write_export(Db& db, const TakeLine& line) {
  const auto say = [&](const json::object& object) { return line(json::serialize(object)); };
  if (!say({{"kind", "box"}, {"format", 1}})) return {};
  KARTEI_ASSIGN(const std::vector<Drawer> drawers, read_drawers(db));
  for (const Drawer& drawer : drawers) {
    if (!say(to_json(drawer))) return {};
  }
  Query turns = db.query(std::string("SELECT ") + kTurnColumns + " FROM turns t ORDER BY t.rid");
  while (turns.next()) {
    if (!say(to_json(read_turn(turns)))) return {};
  }
  KARTEI_TRY(turns.status());
  Query cards = db.query(std::string("SELECT ") + kCardColumns +
                         " FROM cards c WHERE c.state <> 6 ORDER BY c.rid");
  while (cards.next()) {
    if (!say(to_json(read_card(cards)))) return {};
  }
  return cards.status();
}

Exporter::Exporter(std::unique_ptr<Db> db) : db_(std::move(db)) {}
Exporter::~Exporter() = default;

Result<std::unique_ptr<Exporter>> Exporter::open(const std::filesystem::path& file) {
  KARTEI_ASSIGN(auto db, open_reader(file));
  return std::unique_ptr<Exporter>(new Exporter(std::move(db)));
}

Status Exporter::run(const TakeLine& line) {
  KARTEI_TRY(db_->run("BEGIN"));
  // SQLite's moment begins with the first row that is read.
  KARTEI_TRY(db_->run("SELECT tip FROM ledger"));
  Status written = write_export(*db_, line);
  static_cast<void>(db_->run("COMMIT"));  // a read transaction has nothing to lose
  return written;
}

Result<std::vector<std::string>> Box::check() {
  Db& db = *impl_->db;
  std::vector<std::string> wrong;
  Query query = db.query("PRAGMA integrity_check(20)");
  while (query.next()) {
    if (query.text(0) != "ok") wrong.emplace_back(query.text(0));
  }
  if (Status status = query.status(); status.has_error()) wrong.push_back(status.error().what);
  if (!wrong.empty()) return wrong;
  KARTEI_TRY(complain(db,
                      "SELECT count(*) FROM card_sources WHERE card NOT IN (SELECT id FROM cards)",
                      "sources of cards that are not there", wrong));
  KARTEI_TRY(complain(db, "SELECT count(*) FROM end_keys WHERE n NOT IN (SELECT n FROM ends)",
                      "keys of ends that are not there", wrong));
  KARTEI_TRY(complain(db,
                      "SELECT count(*) FROM cards WHERE id IN (SELECT id FROM tombstones WHERE "
                      "kind = 0)",
                      "cards that are there though erased", wrong));
  KARTEI_TRY(complain(db,
                      "SELECT count(*) FROM turns WHERE id IN (SELECT id FROM tombstones WHERE "
                      "kind = 2)",
                      "turns that are there though erased", wrong));
  KARTEI_TRY(complain(db,
                      "SELECT count(*) FROM feeds f WHERE f.end - f.start <> (SELECT count(*) FROM "
                      "records r WHERE r.place >= (f.number_here << 40) + f.start AND r.place < "
                      "(f.number_here << 40) + f.end)",
                      "feeds with records missing", wrong));
  KARTEI_TRY(complain(db,
                      "SELECT l.tip - l.forgotten - (SELECT count(*) FROM undo u WHERE u.slot > "
                      "l.forgotten AND u.slot <= l.tip) FROM ledger l",
                      "entries that could not be taken back", wrong));
  return wrong;
}

}  // namespace kartei::store
