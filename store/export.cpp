#include "store/export.h"

#include <algorithm>
#include <boost/json.hpp>
#include <optional>
#include <span>
#include <utility>

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

// No local call takes a NUL, so none is given out: one that came from another device is a blank.
std::string plain(std::string text) {
  std::replace(text.begin(), text.end(), '\0', ' ');
  return text;
}

json::array strings(std::span<const std::string> items) {
  json::array out;
  for (const std::string& item : items) out.emplace_back(plain(item));
  return out;
}

// How many of a card's annotations fit into one line, so that each line fits into one call.
constexpr std::size_t kAnnotationBytes = 512 << 10;
std::size_t fitting(std::span<const std::string> annotations) {
  std::size_t count = 0, bytes = 0;
  while (count < annotations.size() && (count == 0 || bytes < kAnnotationBytes))
    bytes += annotations[count++].size() + 4;
  return count;
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
          {"name", plain(drawer.name)},
          {"shared", drawer.shared},
          {"devices", texts_of(drawer.devices)}};
}

json::object to_json(const Turn& turn, bool read) {
  return {{"kind", "turn"},
          {"id", turn.id.text()},
          {"external_id", plain(turn.external_id)},
          {"conversation", plain(turn.conversation)},
          {"speaker", plain(turn.speaker)},
          {"role", to_text(turn.role)},
          {"trust", to_text(turn.trust)},
          {"text", plain(turn.text)},
          {"caption", plain(turn.caption)},
          {"time", format_rfc3339(turn.said_at.at, turn.said_at.zone_min)},
          {"recorded_at", moment(turn.recorded_at)},
          {"drawer", turn.drawer.text()},
          {"app", plain(turn.app)},
          {"device", turn.device.text()},
          {"read", read}};
}

json::object to_json(const Card& card) {
  return {{"kind", "card"},
          {"id", card.id.text()},
          {"text", plain(card.text)},
          {"colour", to_text(card.colour)},
          {"drawer", card.drawer.text()},
          {"sub_domain", plain(card.sub_domain)},
          {"micro_context", plain(card.micro_context)},
          {"subject", plain(card.subject)},
          {"relation", plain(card.relation)},
          {"object", plain(card.object)},
          {"valid_from", date(card.valid_from)},
          {"valid_to", date(card.valid_to)},
          {"recorded_at", moment(card.recorded_at)},
          {"closed_at", moment(card.closed_at)},
          {"replaced_by", reference(card.replaced_by)},
          {"why_closed", plain(card.why_closed)},
          {"conversation", plain(card.conversation)},
          {"sources", texts_of(card.sources)},
          {"trust", to_text(card.trust)},
          {"said_by", plain(card.said_by)},
          {"app", plain(card.app)},
          {"device", card.device.text()},
          {"importance", card.importance},
          {"flags", strings(flag_names(card.flags))},
          {"tags", strings(card.tags)},
          {"annotations", strings(std::span(card.annotations).first(fitting(card.annotations)))},
          {"times_used", card.times_used},
          {"last_used", moment(card.last_used)},
          {"state", to_text(card.state)},
          {"user_made", card.user_made}};
}

}  // namespace

// Line by line: the box, its drawers, turns, cards, each followed by what did not fit into its
// line.
class ExportLines {
 public:
  ExportLines(Db& db, ExportHead head) : db_(db), head_(std::move(head)) {}

  // False: that was all.
  Result<bool> next(std::string& line) {
    if (!std::exchange(begun_, true)) {
      json::object box{{"kind", "box"}, {"format", kExportFormat}};
      if (!head_.owner.empty()) box["owner"] = head_.owner;
      if (!head_.zone.empty()) box["zone"] = head_.zone;
      line = json::serialize(box);
      KARTEI_ASSIGN(drawers_, read_drawers(db_));
      return true;
    }
    if (next_drawer_ < drawers_.size()) {
      line = json::serialize(to_json(drawers_[next_drawer_++]));
      return true;
    }
    if (!turns_)
      turns_.emplace(db_.query(std::string("SELECT ") + kTurnColumns +
                               ", EXISTS(SELECT 1 FROM filed f WHERE f.turn = t.id AND f.read <> 0)"
                               " FROM turns t ORDER BY t.rid"));
    if (!cards_ && turns_->next()) {
      const bool read = turns_->integer(kTurnColumnCount) != 0;
      line = json::serialize(to_json(read_turn(*turns_), read));
      return true;
    }
    if (!cards_) {
      KARTEI_TRY(turns_->status());
      cards_.emplace(db_.query(
          std::string("SELECT ") + kCardColumns + " FROM cards c WHERE c.state <> ? ORDER BY c.rid",
          kStateGaveWay));
    }
    if (next_annotation_ < card_.annotations.size()) {
      more_annotations(line);
      return true;
    }
    if (cards_->next()) {
      card_ = read_card(*cards_);
      next_annotation_ = fitting(card_.annotations);
      line = json::serialize(to_json(card_));
      return true;
    }
    KARTEI_TRY(cards_->status());
    return false;
  }

 private:
  void more_annotations(std::string& line) {
    const auto rest = std::span(card_.annotations).subspan(next_annotation_);
    const std::size_t count = fitting(rest);
    line = json::serialize(json::object{{"kind", "annotations"},
                                        {"card", card_.id.text()},
                                        {"from", next_annotation_},
                                        {"annotations", strings(rest.first(count))}});
    next_annotation_ += count;
  }

  Db& db_;
  const ExportHead head_;
  bool begun_ = false;
  Card card_;  // the one whose line came last
  std::size_t next_annotation_ = 0;
  std::vector<Drawer> drawers_;
  std::size_t next_drawer_ = 0;
  std::optional<Query> turns_, cards_;
};

Status write_export(Db& db, const TakeLine& take, ExportHead head) {
  ExportLines lines(db, std::move(head));
  std::string line;
  for (;;) {
    KARTEI_ASSIGN(const bool more, lines.next(line));
    if (!more || !take(line)) return {};
  }
}

Exporter::Exporter(std::unique_ptr<Db> db, ExportHead head)
    : db_(std::move(db)), head_(std::move(head)) {}
Exporter::~Exporter() = default;

Result<std::unique_ptr<Exporter>> Exporter::open(const BoxFile& file, ExportHead head) {
  KARTEI_ASSIGN(auto db, open_reader(file));
  return std::unique_ptr<Exporter>(new Exporter(std::move(db), std::move(head)));
}

// SQLite's moment begins with the first row that is read.
Status Exporter::begin() {
  KARTEI_TRY(db_->run("BEGIN"));
  return db_->run("SELECT tip FROM ledger");
}

Status Exporter::run(const TakeLine& line) {
  KARTEI_TRY(begin());
  Status written = write_export(*db_, line, head_);
  static_cast<void>(db_->run("COMMIT"));  // a read transaction has nothing to lose
  return written;
}

Result<bool> Exporter::next(std::string& out, std::size_t bytes) {
  if (!lines_) {
    KARTEI_TRY(begin());
    lines_ = std::make_unique<ExportLines>(*db_, head_);
  }
  std::string line;
  while (out.size() < bytes) {
    KARTEI_ASSIGN(const bool more, lines_->next(line));
    if (!more) return false;
    out.append(line).push_back('\n');
  }
  return true;
}

}  // namespace kartei::store
