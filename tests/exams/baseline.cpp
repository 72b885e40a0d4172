#include "tests/exams/baseline.h"

#include <sqlite3.h>

#include "store/librarian.h"
#include "store/pack.h"

namespace kartei::exams {

namespace {

Error sql_error(sqlite3* db) {
  return {Cause::kIo, ::sqlite3_errmsg(db), {}};
}

// The question's content words as an OR of quoted strings.
std::string match_of(const std::string& question) {
  ContentWords words;
  std::string match;
  for (const auto& word : words.of(question))
    match += (match.empty() ? "\"" : " OR \"") + word + "\"";
  return match;
}

// Not "bind": with a std::string that would be std::bind.
void bind_text(sqlite3_stmt* statement, int index, const std::string& text) {
  ::sqlite3_bind_text(statement, index, text.data(), static_cast<int>(text.size()),
                      SQLITE_TRANSIENT);
}

// "8 May 2023, ", as the daemon dates what it hands out.
std::string day_of(const std::string& time) {
  const auto said = store::parse_rfc3339(time);
  return said ? store::day_text(store::Date::day_of(said->at, said->zone_min)) + ", " : "";
}

std::string column(sqlite3_stmt* statement, int index) {
  const auto* text = reinterpret_cast<const char*>(::sqlite3_column_text(statement, index));
  return text == nullptr ? std::string() : text;
}

}  // namespace

Result<Baseline> Baseline::make(const ExamConversation& conversation) {
  Baseline baseline;
  if (::sqlite3_open(":memory:", &baseline.db_) != SQLITE_OK) return sql_error(baseline.db_);
  if (::sqlite3_exec(baseline.db_,
                     "CREATE VIRTUAL TABLE t USING fts5(id UNINDEXED, said UNINDEXED, body, "
                     "tokenize='porter unicode61')",
                     nullptr, nullptr, nullptr) != SQLITE_OK)
    return sql_error(baseline.db_);
  sqlite3_stmt* insert = nullptr;
  bool failed = ::sqlite3_prepare_v2(baseline.db_, "INSERT INTO t VALUES(?,?,?)", -1, &insert,
                                     nullptr) != SQLITE_OK;
  for (const auto& session : conversation.sessions)
    for (const auto& turn : session.turns) {
      bind_text(insert, 1, turn.id);
      bind_text(insert, 2, day_of(turn.time));
      bind_text(insert, 3,
                turn.speaker + ": " + turn.text +
                    (turn.caption.empty() ? "" : " [" + turn.caption + "]"));
      failed = failed || ::sqlite3_step(insert) != SQLITE_DONE;
      ::sqlite3_reset(insert);
    }
  ::sqlite3_finalize(insert);
  if (failed) return sql_error(baseline.db_);
  return baseline;
}

Baseline::~Baseline() {
  ::sqlite3_close(db_);
}

Result<Baseline::Answer> Baseline::ask(const std::string& question, std::size_t budget_tokens) {
  Answer answer;
  const std::string match = match_of(question);
  if (match.empty()) return answer;
  sqlite3_stmt* select = nullptr;
  if (::sqlite3_prepare_v2(db_,
                           "SELECT id, said || body FROM t WHERE t MATCH ? ORDER BY rank LIMIT 50",
                           -1, &select, nullptr) != SQLITE_OK)
    return sql_error(db_);
  bind_text(select, 1, match);
  bool full = false;
  int step = SQLITE_ROW;
  while ((step = ::sqlite3_step(select)) == SQLITE_ROW) {
    const std::string id = column(select, 0), body = column(select, 1);
    answer.unlimited.push_back({{id}});
    if (full) continue;
    const auto tokens = store::estimate_tokens(body + "\n");
    const auto left = static_cast<double>(budget_tokens) - answer.tokens;
    full = static_cast<double>(tokens) > left;
    // A turn that does not fit is cut in proportion, and counts as handed out.
    const double share = full ? left / static_cast<double>(tokens) : 1;
    answer.text +=
        body.substr(0, static_cast<std::size_t>(share * static_cast<double>(body.size()))) + "\n";
    answer.tokens += share * static_cast<double>(tokens);
    answer.within_budget.push_back({{id}});
  }
  ::sqlite3_finalize(select);
  if (step != SQLITE_DONE) return sql_error(db_);
  return answer;
}

}  // namespace kartei::exams
