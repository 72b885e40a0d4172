#include "store/salvage.h"

#include <sqlite3.h>

#include <limits>
#include <system_error>

#include "crypto/vault/examine.h"
#include "crypto/vault/vault.h"
#include "store/row_copy.h"
#include "store/rows.h"
#include "store/schema.h"

namespace kartei::store {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kPagesNamed = 20;
// How a gap is felt out, by how many rows it has so far.
constexpr std::int64_t kEachRow = 4096, kInSteps = 1 << 20, kStepRows = 16;
// What an export is made of. Numbered rows can be read around a gap; of the others those before
// the first gap and behind the last.
constexpr const char* kExported[] = {"drawers", "filed", "turns", "cards"};

std::string list_of(const std::vector<std::uint64_t>& numbers) {
  std::string list;
  for (std::size_t i = 0; i < numbers.size() && i < kPagesNamed; ++i)
    list += (i == 0 ? "" : ", ") + std::to_string(numbers[i]);
  return numbers.size() > kPagesNamed ? list + ", ..." : list;
}

std::string counted(std::uint64_t number, const char* what) {
  return std::to_string(number) + " " + what + (number == 1 ? "" : "s");
}

// As far as its log goes, nothing refused that can be done without.
Result<std::unique_ptr<Db>> open_damaged(const fs::path& file, const crypto::Secret& data_key) {
  vault::VaultOptions options;
  options.accept_damaged_log = true;
  BoxFile place{file, nullptr};
  KARTEI_ASSIGN(place.vault, vault::Vault::open(file, data_key, options));
  KARTEI_ASSIGN(auto db, open_for_check(place));
  sqlite3_db_config(db->handle(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
  return db;
}

// By SQLite's own walk through each table and its indexes.
Result<std::string> affected_tables(Db& db) {
  KARTEI_ASSIGN(const auto tables, table_shapes(db));
  std::string names;
  for (const TableShape& table : tables) {
    Query query = db.query("PRAGMA integrity_check('" + table.name + "')");
    const bool sound = query.next() && query.text(0) == "ok";
    if (!sound) names += (names.empty() ? "" : ", ") + table.name;
  }
  return names;
}

// The numbered rows of one table, around what cannot be read.
class NumberedRows {
 public:
  NumberedRows(Db& from, Db& to, const TableShape& table, std::uint64_t& gaps)
      : from_(from), to_(to), table_(table), gaps_(gaps) {}

  Status run() {
    for (;;) {
      KARTEI_ASSIGN(const bool whole, copy_on());
      if (whole) return {};
      ++gaps_;
      const auto next = behind_gap();
      if (!next) return {};
      next_ = *next;
    }
  }

 private:
  static constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

  // False: a row from next_ on cannot be read.
  Result<bool> copy_on() {
    Query query = from_.query(table_.select_from, next_);
    while (query.next()) {
      KARTEI_TRY(copy_row(query, table_, to_));
      const std::int64_t number = query.integer(table_.columns);
      if (number == kMost) return true;
      next_ = number + 1;
    }
    return query.status().has_value();
  }
  bool can_read_from(std::int64_t number) {
    Query query = from_.query(table_.select_from, number);
    static_cast<void>(query.next());
    return query.status().has_value();
  }
  // The next number to try behind a gap of so many: each, as long as a few good rows may stand
  // between two gaps, then in steps, and at last doubling, as rows may be numbered anyhow.
  static std::int64_t step_behind(std::int64_t gap) {
    if (gap < kEachRow) return 1;
    return gap < kInSteps ? kStepRows : gap;
  }
  // The smallest number from which on reading goes on; within the last step by halves.
  std::optional<std::int64_t> behind_gap() {
    std::int64_t bad = next_, good = next_;
    for (;;) {
      const std::int64_t step = step_behind(bad - next_);
      if (bad > kMost - step) return std::nullopt;
      good = bad + step;
      if (can_read_from(good)) break;
      bad = good;
    }
    while (good - bad > 1) {
      const std::int64_t middle = bad + (good - bad) / 2;
      (can_read_from(middle) ? good : bad) = middle;
    }
    return good;
  }

  Db& from_;
  Db& to_;
  const TableShape& table_;
  std::uint64_t& gaps_;
  std::int64_t next_ = 1;  // numbers begin with it
};

// From both ends up to what cannot be read.
Status copy_keyed_rows(Db& from, Db& to, const TableShape& table, std::uint64_t& gaps) {
  for (const std::string& select : {table.select, table.select_backwards}) {
    Query query = from.query(select);
    while (query.next()) KARTEI_TRY(copy_row(query, table, to));
    if (query.status().has_value()) return {};
    if (select == table.select) ++gaps;
  }
  return {};
}

Status copy_what_is_left(Db& from, Db& to, std::uint64_t& gaps) {
  KARTEI_ASSIGN(const auto tables, table_shapes(from));
  KARTEI_TRY(copy_schema(from, to, true));
  KARTEI_TRY(to.run("BEGIN"));
  for (const char* name : kExported) {
    for (TableShape table : tables) {
      if (table.name != name) continue;
      table.insert.replace(0, std::string_view("INSERT").size(), "INSERT OR IGNORE");
      KARTEI_TRY(table.has_rowid ? NumberedRows(from, to, table, gaps).run()
                                 : copy_keyed_rows(from, to, table, gaps));
    }
  }
  KARTEI_TRY(to.run(
      "INSERT OR IGNORE INTO drawers(id, name, shared, held, devices) SELECT DISTINCT drawer, "
      "'salvaged ' || lower(substr(hex(drawer), 1, 8)), 0, 1, x'' FROM (SELECT drawer FROM turns "
      "UNION SELECT drawer FROM cards)"));
  return to.run("COMMIT");
}

// The file beside the box in which the rest is put together; gone with the object.
class Scratch {
 public:
  static Result<std::unique_ptr<Scratch>> make(const fs::path& box, const crypto::Secret& key) {
    auto scratch = std::unique_ptr<Scratch>(new Scratch(box));
    scratch->remove();
    KARTEI_ASSIGN(const BoxFile place, open_box_file(scratch->file_, &key, true));
    KARTEI_ASSIGN(scratch->db_, open_unmade(place));
    return scratch;
  }
  ~Scratch() {
    db_.reset();
    remove();
  }
  Db& db() { return *db_; }

 private:
  explicit Scratch(fs::path box) : file_(std::move(box += ".salvage")) {}
  void remove() const {
    std::error_code ignored;
    fs::remove(file_, ignored);
    fs::remove(file_.string() + "-wal", ignored);
  }
  const fs::path file_;
  std::unique_ptr<Db> db_;
};

}  // namespace

Result<std::vector<std::string>> describe_damage(const fs::path& file,
                                                 const crypto::Secret& data_key) {
  KARTEI_ASSIGN(const vault::Examination found, vault::examine(file, data_key));
  std::vector<std::string> sentences;
  const std::uint64_t lost = found.damaged - found.held_by_log;
  if (lost > 0)
    sentences.push_back(counted(lost, "page") + " of " + std::to_string(found.pages) +
                        " cannot be read any more (" + list_of(found.damaged_pages) +
                        "): damaged, or changed by somebody");
  if (found.never_written > 0)
    sentences.push_back(counted(found.never_written, "page") + " of nothing but zeros");
  if (found.ends_within_a_page) sentences.emplace_back("The file ends in the midst of a page");
  if (found.log_damaged > 0 || found.log_header_damaged)
    sentences.push_back("The write-ahead log is damaged" +
                        (found.log_damaged > 0 ? " in " + counted(found.log_damaged, "place")
                                               : std::string(" at its beginning")) +
                        ": what was said from there on is lost");
  if (sentences.empty()) return sentences;
  auto db = open_damaged(file, data_key);
  auto tables = db ? affected_tables(**db) : Result<std::string>(db.error());
  if (!tables)
    sentences.push_back("Of which tables cannot be told: " + tables.error().what);
  else if (!tables->empty())
    sentences.push_back("Affected: " + *tables);
  return sentences;
}

Result<Salvaged> salvage_box(const fs::path& file, const crypto::Secret& data_key,
                             const TakeLine& line) {
  KARTEI_ASSIGN(auto damaged, open_damaged(file, data_key));
  KARTEI_ASSIGN(const auto scratch, Scratch::make(file, data_key));
  Salvaged salvaged;
  KARTEI_TRY(copy_what_is_left(*damaged, scratch->db(), salvaged.gaps));
  damaged.reset();
  const auto count = [&](const char* sql, std::uint64_t& out) -> Status {
    KARTEI_ASSIGN(const std::int64_t rows, scratch->db().integer(sql, 0));
    out = static_cast<std::uint64_t>(rows);
    return {};
  };
  KARTEI_TRY(count("SELECT count(*) FROM turns", salvaged.turns));
  const std::string cards =
      "SELECT count(*) FROM cards WHERE state <> " + std::to_string(kStateGaveWay);
  KARTEI_TRY(count(cards.c_str(), salvaged.cards));
  KARTEI_TRY(write_export(scratch->db(), line));
  return salvaged;
}

}  // namespace kartei::store
