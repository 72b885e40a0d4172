// Everything as JSON lines, and the doctor's look at the file.
#include "store/export.h"

#include <boost/json.hpp>
#include <optional>
#include <utility>

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

// Line by line: the box, its drawers, turns, cards.
class ExportLines {
 public:
  explicit ExportLines(Db& db) : db_(db) {}

  // False: that was all.
  Result<bool> next(std::string& line) {
    if (!std::exchange(begun_, true)) {
      line = json::serialize(json::object{{"kind", "box"}, {"format", 1}});
      KARTEI_ASSIGN(drawers_, read_drawers(db_));
      return true;
    }
    if (next_drawer_ < drawers_.size()) {
      line = json::serialize(to_json(drawers_[next_drawer_++]));
      return true;
    }
    if (!turns_)
      turns_.emplace(
          db_.query(std::string("SELECT ") + kTurnColumns + " FROM turns t ORDER BY t.rid"));
    if (!cards_ && turns_->next()) {
      line = json::serialize(to_json(read_turn(*turns_)));
      return true;
    }
    if (!cards_) {
      KARTEI_TRY(turns_->status());
      cards_.emplace(db_.query(std::string("SELECT ") + kCardColumns +
                               " FROM cards c WHERE c.state <> 6 ORDER BY c.rid"));
    }
    if (cards_->next()) {
      line = json::serialize(to_json(read_card(*cards_)));
      return true;
    }
    KARTEI_TRY(cards_->status());
    return false;
  }

 private:
  Db& db_;
  bool begun_ = false;
  std::vector<Drawer> drawers_;
  std::size_t next_drawer_ = 0;
  std::optional<Query> turns_, cards_;
};

Status write_export(Db& db, const TakeLine& take) {
  ExportLines lines(db);
  std::string line;
  for (;;) {
    KARTEI_ASSIGN(const bool more, lines.next(line));
    if (!more || !take(line)) return {};
  }
}

Exporter::Exporter(std::unique_ptr<Db> db) : db_(std::move(db)) {}
Exporter::~Exporter() = default;

Result<std::unique_ptr<Exporter>> Exporter::open(const std::filesystem::path& file) {
  KARTEI_ASSIGN(auto db, open_reader(file));
  return std::unique_ptr<Exporter>(new Exporter(std::move(db)));
}

// SQLite's moment begins with the first row that is read.
Status Exporter::begin() {
  KARTEI_TRY(db_->run("BEGIN"));
  return db_->run("SELECT tip FROM ledger");
}

Status Exporter::run(const TakeLine& line) {
  KARTEI_TRY(begin());
  Status written = write_export(*db_, line);
  static_cast<void>(db_->run("COMMIT"));  // a read transaction has nothing to lose
  return written;
}

Result<bool> Exporter::next(std::string& out, std::size_t bytes) {
  if (!lines_) {
    KARTEI_TRY(begin());
    lines_ = std::make_unique<ExportLines>(*db_);
  }
  std::string line;
  while (out.size() < bytes) {
    KARTEI_ASSIGN(const bool more, lines_->next(line));
    if (!more) return false;
    out.append(line).push_back('\n');
  }
  return true;
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
