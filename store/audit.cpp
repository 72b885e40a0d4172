// The audit of what was handed out: a table of its own beside the fold, bounded by age and length.
#include <sqlite3.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "store/fold.h"
#include "store/librarian.h"
#include "store/rows.h"
#include "store/sql.h"

namespace kartei::store {

namespace {

constexpr std::int64_t kLinesMax = 100'000;
constexpr const char* kDaysKey = "audit_days";  // digits
constexpr std::int64_t kPrunedAtOnce =
    256;  // of the old; each new line takes more away than it adds
// Looked at to tell whether there are old ones: more than one, since a clock may once have been
// ahead.
constexpr std::int64_t kOldestSeen = 16;
constexpr std::size_t kQueryKeptBytes = 4096;
// Of a longer list the first ones are kept, and not what was asked: it might name what is erased
// later, and could not be found by the items any more.
constexpr std::size_t kItemsKept = 100;

// The oldest come first: what is old enough stands at the beginning.
Status prune(Db& db, std::int64_t before_ms, std::size_t added) {
  KARTEI_ASSIGN(const std::int64_t oldest_ms,
                db.integer("SELECT min(at) FROM (SELECT at FROM audit ORDER BY id LIMIT ?)",
                           before_ms, kOldestSeen));
  if (oldest_ms >= before_ms) return {};
  return db.run(
      "DELETE FROM audit WHERE id IN (SELECT id FROM audit ORDER BY id LIMIT ?) AND at < ?",
      static_cast<std::int64_t>(added) * kPrunedAtOnce, before_ms);
}

Status write_lines(Box& box, std::span<const AuditLine> lines) {
  Db db(box.writer());
  KARTEI_ASSIGN(const std::int64_t days, audit_days(box));
  Time newest{};
  for (const AuditLine& line : lines) {
    newest = std::max(newest, line.at);
    std::string_view query = std::string_view(line.query).substr(0, kQueryKeptBytes);
    std::vector<std::string> items = line.items;
    if (items.size() > kItemsKept) {
      query = {};
      items.resize(kItemsKept);
      items.push_back("and " + std::to_string(line.items.size() - kItemsKept) + " more");
    }
    KARTEI_TRY(db.run("INSERT INTO audit(at, app, query, tokens, items) VALUES(?, ?, ?, ?, ?)",
                      to_ms(line.at), line.app, query, static_cast<std::int64_t>(line.tokens),
                      join_list(items)));
  }
  KARTEI_TRY(prune(db, to_ms(newest) - days * kDayMs, lines.size()));
  return db.run("DELETE FROM audit WHERE id <= (SELECT max(id) FROM audit) - ?", kLinesMax);
}

}  // namespace

Result<std::int64_t> audit_days(Box& box) {
  KARTEI_ASSIGN(const auto value, box.meta(kDaysKey));
  std::int64_t days = kAuditDaysUnlessSet;
  if (value) {
    const std::string_view text = as_text(*value);
    std::from_chars(text.data(), text.data() + text.size(), days);
  }
  return std::clamp<std::int64_t>(days, 0, kAuditDaysMax);
}

Status set_audit_days(Box& box, std::int64_t days) {
  const std::string digits = std::to_string(days);
  KARTEI_TRY(box.put_meta(kDaysKey, as_bytes(digits)));
  // At once, not with the next line: who shortens it means what is there.
  KARTEI_ASSIGN(const std::int64_t kept, audit_days(box));
  Db db(box.writer());
  return db.run("DELETE FROM audit WHERE at < (SELECT max(at) FROM audit) - ?", kept * kDayMs);
}

Status append_audit(Box& box, std::span<const AuditLine> lines) {
  if (lines.empty()) return {};
  // Within the caller's transaction, or in one of its own. It may be lost with a power cut.
  if (sqlite3_get_autocommit(box.writer()) == 0) return write_lines(box, lines);
  KARTEI_ASSIGN(Box::Transaction transaction, box.begin());
  KARTEI_TRY(write_lines(box, lines));
  return transaction.commit(Box::Transaction::Durability::kLazy);
}

Status blank_audit(Box& box) {
  Db db(box.writer());
  std::set<std::string, std::less<>> erased;
  Query tombs = db.query("SELECT id FROM tombstones WHERE kind = ?", kTombstoneCard);
  while (tombs.next()) erased.insert(tombs.id<CardId>(0).text());
  KARTEI_TRY(tombs.status());
  std::vector<std::int64_t> lines;
  Query query = db.query("SELECT id, items FROM audit WHERE query <> ''");
  while (!erased.empty() && query.next()) {
    for (const std::string& item : split_list(query.text(1))) {
      if (!erased.contains(item)) continue;
      lines.push_back(query.integer(0));
      break;
    }
  }
  KARTEI_TRY(query.status());
  if (lines.empty()) return {};
  KARTEI_ASSIGN(Box::Transaction transaction, box.begin());
  for (const std::int64_t id : lines)
    KARTEI_TRY(db.run("UPDATE audit SET query = '' WHERE id = ?", id));
  return transaction.commit(Box::Transaction::Durability::kLazy);
}

Result<std::vector<AuditLine>> read_audit(Box& box, std::int64_t before_id, std::size_t limit) {
  Db db(box.writer());
  std::vector<AuditLine> lines;
  Query query = db.query(
      "SELECT id, at, app, query, tokens, items FROM audit WHERE id < ? ORDER BY id DESC LIMIT ?",
      before_id > 0 ? before_id : INT64_MAX,
      static_cast<std::int64_t>(std::min<std::size_t>(limit, 500)));
  while (query.next()) {
    AuditLine line;
    line.id = query.integer(0);
    line.at = time_from_ms(query.integer(1));
    line.app = query.text(2);
    line.query = query.text(3);
    line.tokens = static_cast<std::size_t>(query.integer(4));
    line.items = split_list(query.text(5));
    lines.push_back(std::move(line));
  }
  KARTEI_TRY(query.status());
  return lines;
}

}  // namespace kartei::store
