// The schema of a box's file, and the opening of a connection to it. store/README.md tells the
// tables one by one.
//
// Each folder part that keeps tables in the box contributes statements; together they are one
// numbered version. A later version appends a step to `kSteps` in schema.cpp and never changes an
// older one.
#pragma once

#include <memory>

#include "crypto/result.h"
#include "store/box_file.h"
#include "store/sql.h"

namespace kartei::store {

inline constexpr int kApplicationId = 0x4b617274;  // "Kart"
inline constexpr int kSchemaVersion = 7;

// Whether pages may go into the log before their commit; also within a transaction.
Status let_pages_spill(Db& db, bool on);
// The writer's connection: opened, made or brought up to date, its pragmas set.
Result<std::unique_ptr<Db>> open_writer(const BoxFile& file, bool create);
// Of a box that is there and of this format, as it is: nothing is written.
Result<std::unique_ptr<Db>> open_for_check(const BoxFile& file);
// A vault's file without a table, or with all of them; nothing is made in it.
Result<std::unique_ptr<Db>> open_unmade(const BoxFile& file);
// In memory: from an image where there is one, else new.
Result<std::unique_ptr<Db>> open_in_memory(ByteView image);
// A reader's own connection to a box that is there: never writes.
Result<std::unique_ptr<Db>> open_reader(const BoxFile& file);

}  // namespace kartei::store
