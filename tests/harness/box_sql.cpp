// Asks a stopped device's box: kartei_box_sql HOME FILE STATEMENT. Opens it with the home's
// keyring, prints rows as JSON arrays, one a line, and leaves the log as it is. With --plain in
// place of a statement: all bytes of the box and its log as they are beneath the encryption, also
// while a daemon has it open. Frames of the log that do not authenticate are left out, as SQLite
// leaves them; pages of the box that do not are a failure, perhaps one that passes: the daemon was
// writing just then.
#include <sqlite3.h>

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <fstream>
#include <iostream>

#include "crypto/vault/bare_file.h"
#include "crypto/vault/format.h"
#include "crypto/vault/vault.h"
#include "daemon/home_key.h"

namespace {

int fail(const std::string& what) {
  std::cerr << "kartei_box_sql: " << what << '\n';
  return 1;
}

boost::json::value value_of(sqlite3_stmt* statement, int column) {
  switch (sqlite3_column_type(statement, column)) {
    case SQLITE_INTEGER:
      return sqlite3_column_int64(statement, column);
    case SQLITE_NULL:
      return nullptr;
    default: {
      const auto* bytes = static_cast<const char*>(sqlite3_column_blob(statement, column));
      const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement, column));
      return boost::json::string(bytes == nullptr ? "" : bytes, size);
    }
  }
}

using kartei::Bytes;
using kartei::ByteView;
namespace vault = kartei::vault;

Bytes file_bytes(const std::string& name) {
  std::ifstream in(name, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

// Prints what is sealed in the slot, which ends with nonce and tag; false: that does not verify.
bool print_slot(const vault::Format& format, const vault::Place& place, ByteView slot,
                std::size_t clear = 0) {
  const std::size_t end = slot.size() - vault::kReserved;
  Bytes plain(end - clear);
  if (!format.open(place, slot.subspan(clear, end - clear), slot.data() + end,
                   slot.data() + end + vault::kNonceSize, plain.data()))
    return false;
  std::cout.write(reinterpret_cast<const char*>(plain.data()),
                  static_cast<std::streamsize>(plain.size()));
  return true;
}

int print_plain(const std::string& file, const kartei::crypto::Secret& key) {
  const Bytes main = file_bytes(file), log = file_bytes(file + "-wal");
  if (main.size() < vault::kClearSize) return fail(file + " is no box");
  vault::DatabaseId id;
  std::copy_n(main.begin(), id.size(), id.begin());
  const auto format = vault::make_format(key, id, std::make_shared<kartei::crypto::SystemRandom>());
  const std::size_t size = vault::page_size_of(main.data());
  std::size_t torn = main.size() % size == 0 ? 0 : 1;
  for (std::size_t page = 1; page * size <= main.size(); ++page) {
    const ByteView slot = ByteView(main).subspan((page - 1) * size, size);
    const std::size_t clear = page == 1 ? vault::kClearSize : 0;
    const ByteView known =
        page == 1 ? slot.subspan(vault::kIdSize, clear - vault::kIdSize) : ByteView();
    if (!print_slot(*format, {vault::Part::kMainPage, page, known}, slot, clear)) ++torn;
  }
  const vault::LogLayout layout{size};
  const auto frames = layout.frames_in(static_cast<std::int64_t>(log.size()));
  for (std::uint64_t frame = 0; frame < frames; ++frame) {
    const auto at = static_cast<std::size_t>(layout.frame_at(frame)) + vault::kFrameHeaderSlot;
    print_slot(*format, {vault::Part::kLogPage, frame},
               ByteView(log).subspan(at, layout.page_slot()));
  }
  if (torn == 0) return 0;
  return fail(std::to_string(torn) + " pages of " + file + " do not verify");
}

int ask(sqlite3* db, const char* sql) {
  sqlite3_db_config(db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
  sqlite3_exec(db, kartei::vault::Vault::kPragmas, nullptr, nullptr, nullptr);
  sqlite3_stmt* statement = nullptr;
  int code = sqlite3_prepare_v2(db, sql, -1, &statement, nullptr);
  if (code != SQLITE_OK) return fail(sqlite3_errmsg(db));
  while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
    boost::json::array row;
    for (int i = 0; i < sqlite3_column_count(statement); ++i) row.push_back(value_of(statement, i));
    std::cout << boost::json::serialize(row) << '\n';
  }
  const std::string what = sqlite3_errmsg(db);
  sqlite3_finalize(statement);
  return code == SQLITE_DONE ? 0 : fail(what);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return fail("HOME FILE STATEMENT");
  kartei::crypto::SystemRandom random;
  const auto key = kartei::daemon::existing_data_key(argv[1], random);
  if (!key) return fail(key.error().what);
  if (std::string(argv[3]) == "--plain") return print_plain(argv[2], *key);
  const auto opened = vault::Vault::open(argv[2], *key);
  if (!opened) return fail(opened.error().what);
  sqlite3* db = nullptr;
  int done = 1;
  if (sqlite3_open_v2((*opened)->file().c_str(), &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_URI,
                      (*opened)->vfs_name()) == SQLITE_OK)
    done = ask(db, argv[3]);
  else
    fail(sqlite3_errmsg(db));
  sqlite3_close(db);
  return done;
}
