// What the librarian adds to the box's schema: the word index and the name index. Their tables are
// kept by triggers on `turns` and `cards` (rows are named by `rid`, which never changes and is
// never used twice), so that whatever changes those, an undo included, changes the indexes too.
#pragma once

#include <string>
#include <vector>

#include "crypto/result.h"

struct sqlite3;

namespace kartei::store {

// Tokenizers and SQL functions that the schema's triggers call: once on each new connection, before
// anything else is asked of it.
Status prepare_word_index(sqlite3* db);
// Statements that make the tables and triggers, after `turns` and `cards` are there.
std::vector<std::string> word_index_schema();
// Rewrites the index so that erased words are gone from its pages too. Within a transaction.
Status scrub_word_index(sqlite3* db);

}  // namespace kartei::store
