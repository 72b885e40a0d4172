// The doctor's look at a box: SQLite's own check, what the tables say of each other, and the sums
// of what is stored word for word.
#include "store/check.h"

#include "crypto/vault/vault.h"
#include "store/box_impl.h"
#include "store/schema.h"
#include "store/word_index.h"

namespace kartei::store {

namespace {

// Says what is wrong where `sql` finds rows.
Status complain(Db& db, const char* sql, const char* what, std::vector<std::string>& out) {
  KARTEI_ASSIGN(const std::int64_t count, db.integer(sql, 0));
  if (count != 0) out.push_back(std::to_string(count) + " " + what);
  return {};
}

Result<std::vector<std::string>> check_tables(Db& db, const BoxFile& file) {
  std::vector<std::string> wrong;
  Query query = db.query("PRAGMA integrity_check(20)");
  while (query.next()) {
    if (query.text(0) != "ok") wrong.emplace_back(query.text(0));
  }
  if (Status status = query.status(); status.has_error()) wrong.push_back(status.error().what);
  if (!wrong.empty()) {
    // SQLite says that it could not get a page; the vault knows why.
    const auto damage = file.vault ? file.vault->damage() : std::vector<std::string>();
    wrong.insert(wrong.begin(), damage.begin(), damage.end());
    return wrong;
  }
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
  KARTEI_TRY(complain(db,
                      "SELECT count(*) FROM (SELECT f.drawer, t.conversation, t.recorded_at, t.rid "
                      "FROM filed f JOIN turns t ON t.id = f.turn WHERE f.read = 0 EXCEPT SELECT "
                      "drawer, conversation, recorded_at, rid FROM unread)",
                      "unread turns that nobody would read", wrong));
  KARTEI_TRY(
      complain(db,
               "SELECT count(*) FROM (SELECT s.turn FROM card_sources s JOIN cards c ON c.id "
               "= s.card WHERE c.state = 1 UNION SELECT s.turn FROM confirmations s JOIN "
               "cards c ON c.id = s.card WHERE c.state = 1 EXCEPT SELECT turn FROM "
               "closed_turns)",
               "turns of closed cards that would still answer", wrong));
  return wrong;
}

}  // namespace

Result<std::vector<std::string>> Box::check() {
  return check_tables(*impl_->db, impl_->file);
}

Result<std::vector<std::string>> Box::check_words() {
  std::vector<std::string> wrong;
  KARTEI_TRY(check_sums(*impl_->db, wrong));
  KARTEI_ASSIGN(const std::size_t damaged, damaged_lists(*impl_->db));
  if (damaged == 0) return wrong;
  // What they say follows from the rest.
  KARTEI_ASSIGN(Transaction transaction, begin());
  KARTEI_TRY(scrub_word_index(writer()));
  KARTEI_TRY(transaction.commit(Transaction::Durability::kSynced));
  wrong.push_back("The word index was damaged in " + std::to_string(damaged) +
                  " places; it has been made anew");
  return wrong;
}

Result<std::vector<std::string>> check_box_file(const std::filesystem::path& file,
                                                const crypto::Secret* data_key) {
  KARTEI_ASSIGN(const BoxFile place, open_box_file(file, data_key, false));
  KARTEI_ASSIGN(auto db, open_for_check(place));
  KARTEI_ASSIGN(auto wrong, check_tables(*db, place));
  if (!wrong.empty()) return wrong;
  KARTEI_TRY(check_sums(*db, wrong));
  KARTEI_ASSIGN(const std::size_t damaged, damaged_lists(*db));
  if (damaged != 0)
    wrong.push_back("The word index is damaged in " + std::to_string(damaged) + " places");
  return wrong;
}

}  // namespace kartei::store
