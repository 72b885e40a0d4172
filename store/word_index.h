// What the librarian adds to the box's schema: the word index and the name index. Their tables are
// kept by triggers on `turns` and `cards` (rows are named by `rid`, which never changes and is
// never used twice), so that whatever changes those, an undo included, changes the indexes too.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "crypto/result.h"

struct sqlite3;

namespace kartei::store {

class Db;

// Tokenizers and SQL functions that the schema's triggers call: once on each new connection, before
// anything else is asked of it.
Status prepare_word_index(sqlite3* db);
// Statements that make the tables and triggers, after `turns` and `cards` are there.
std::vector<std::string> word_index_schema();
// For files of format 2: cards' rows that hold what ranking asks. All is to be indexed anew then.
std::string ranked_card_docs_sql();
// For files of format 3: a check sum of each row's words beside it, of what is there now.
std::string summed_docs_sql();
// Turns and cards whose words do not have the sum that they were stored with, by id.
Status check_sums(Db& db, std::vector<std::string>& wrong);
// How many blobs of the lists are not as they were written.
Result<std::size_t> damaged_lists(Db& db);
// Indexes all anew where another version of the words wrote the index or a part of it is missing;
// else does nothing. The
// writer calls it once, after the schema is there.
Status update_word_index(Db& db);
// A question looks into each piece of the lists (postings.h), so that not every commit may leave
// one: the newest rows are in none until there are many of them. A question looks through their
// bags instead (search.h).
class IndexTail {
 public:
  static constexpr std::int64_t kRows = 64, kBytes = 64 << 10;
  // Before each commit of the writer: takes the newest rows into the lists, all at once, if they
  // are that many. True: tidy_word_index has something to do now.
  Result<bool> settle(Db& db);

 private:
  struct Counted {
    std::int64_t to_rid = 0, bytes = 0;  // never too few: a transaction may be taken back
  };
  Result<bool> is_long(Db& db, int kind, std::int64_t mark, std::int64_t newest);
  Counted turns_, cards_;
};
// Takes all rows into the lists, and joins some of the pieces that many commits leave behind.
// Within a transaction, a few milliseconds. False: nothing is left.
Result<bool> tidy_word_index(Db& db);
// Stands for a conversation's name in the index.
std::int64_t conversation_key(std::string_view name);
// Rewrites the index so that erased words are gone from its pages too. Within a transaction.
Status scrub_word_index(sqlite3* db);

}  // namespace kartei::store
