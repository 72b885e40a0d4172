// The encrypted file beside a plain one: the same work on both in turns, as medians and their
// ratio.
//
//   vault_bench [rows [folder]]
#include <fcntl.h>
#include <sqlite3.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>

#include "crypto/vault/vault.h"
#include "tests/bench/stats.h"

namespace {

using namespace kartei;
using bench::Clock;
using bench::Samples;
using bench::us_since;

struct Closer {
  void operator()(sqlite3* db) const { sqlite3_close_v2(db); }
};
using Connection = std::unique_ptr<sqlite3, Closer>;

[[noreturn]] void die(const char* what, sqlite3* db) {
  std::fprintf(stderr, "vault_bench: %s: %s\n", what, db != nullptr ? sqlite3_errmsg(db) : "");
  std::exit(1);
}

void run(sqlite3* db, const char* sql) {
  if (sqlite3_exec(db, sql, nullptr, nullptr, nullptr) != SQLITE_OK) die(sql, db);
}

std::uint64_t step(std::uint64_t& state) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return state >> 33;
}

class Statement {
 public:
  Statement(sqlite3* db, const char* sql) {
    if (sqlite3_prepare_v2(db, sql, -1, &statement_, nullptr) != SQLITE_OK) die(sql, db);
  }
  ~Statement() { sqlite3_finalize(statement_); }
  void run(std::uint64_t a, std::uint64_t b) {
    sqlite3_bind_int64(statement_, 1, static_cast<sqlite3_int64>(a));
    sqlite3_bind_int64(statement_, 2, static_cast<sqlite3_int64>(b));
    while (sqlite3_step(statement_) == SQLITE_ROW) sqlite3_column_bytes(statement_, 0);
    if (sqlite3_reset(statement_) != SQLITE_OK) die("a statement", nullptr);
  }

 private:
  sqlite3_stmt* statement_ = nullptr;
};

constexpr char kInsert[] =
    "INSERT INTO turns(word, said) VALUES(?1, printf('%s, said %d', ?2, ?1) || hex(zeroblob(150)))";

// One of the two files.
class Side {
 public:
  Side(std::filesystem::path file, bool sealed) : file_(std::move(file)) {
    if (!sealed) return;
    vault::VaultOptions options;
    options.create = true;
    auto opened = vault::Vault::open(file_, crypto::Secret(Bytes(32, 7)), options);
    if (opened.has_error()) die(opened.error().what.c_str(), nullptr);
    vault_ = std::move(*opened);
  }

  Connection connect(const char* cache) const {
    sqlite3* raw = nullptr;
    const char* vfs = vault_ != nullptr ? vault_->vfs_name() : nullptr;
    if (sqlite3_open_v2(file_.c_str(), &raw, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, vfs) !=
        SQLITE_OK)
      die("open", raw);
    Connection db(raw);
    run(raw, "PRAGMA journal_mode = WAL; PRAGMA temp_store = MEMORY; PRAGMA secure_delete = ON");
    run(raw, cache);
    return db;
  }

  void make_tables() const {
    run(connect("").get(),
        "CREATE TABLE turns(id INTEGER PRIMARY KEY, word INTEGER, said TEXT);"
        "CREATE INDEX turns_word ON turns(word)");
  }
  // Rows are put in by the thousand.
  void insert_bulk(std::uint64_t rows) {
    const Connection db = connect("PRAGMA synchronous = NORMAL");
    Statement insert(db.get(), kInsert);
    const auto began = Clock::now();
    for (std::uint64_t i = 0; i < rows; ++i) {
      if (i % 1000 == 0) run(db.get(), "BEGIN");
      insert.run(step(random_) % 50000, i);
      if (i % 1000 == 999 || i + 1 == rows) run(db.get(), "COMMIT");
    }
    bulk.add(us_since(began) / static_cast<double>(rows));
    rows_ += rows;
  }
  void insert_durable(int count) {
    const Connection db = connect("PRAGMA synchronous = FULL");
    Statement insert(db.get(), kInsert);
    for (int i = 0; i < count; ++i) {
      const auto began = Clock::now();
      insert.run(step(random_) % 50000, static_cast<std::uint64_t>(i));
      durable.add(us_since(began));
      ++rows_;
    }
  }
  void read(const Connection& db, int count, Samples& samples) {
    Statement select(db.get(), "SELECT said FROM turns WHERE id = ?1 OR id = ?2");
    for (int i = 0; i < count; ++i) {
      const auto began = Clock::now();
      select.run(1 + step(random_) % rows_, 1 + step(random_) % rows_);
      samples.add(us_since(began));
    }
  }
  void read_warm(int count) {
    const Connection db = connect("PRAGMA cache_size = -500000");
    run(db.get(), "SELECT sum(length(said)) FROM turns");
    read(db, count, warm);
  }
  // The file in the kernel's memory, SQLite's cache much smaller than it: Kartei's readers.
  void read_small_cache(int count) { read(connect("PRAGMA cache_size = -4000"), count, small); }
  // The file on the disk only, as far as the kernel lets go of it.
  void read_cold(int count) {
    const Connection db = connect("PRAGMA cache_size = -4000");
    for (int i = 0; i < count; ++i) {
      forget();
      run(db.get(), "PRAGMA shrink_memory");
      read(db, 1, cold);
    }
  }
  void open_and_ask() {
    const auto began = Clock::now();
    const Connection db = connect("");
    run(db.get(), "SELECT count(*) FROM sqlite_master");
    opening.add(us_since(began));
  }

  Samples bulk, durable, warm, small, cold, opening;

 private:
  void forget() const {
    const int fd = ::open(file_.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) return;
    ::fdatasync(fd);
    ::posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
    ::close(fd);
  }

  std::filesystem::path file_;
  std::unique_ptr<vault::Vault> vault_;
  std::uint64_t rows_ = 0;
  std::uint64_t random_ = 42;
};

void print(const char* what, const Samples& plain, const Samples& sealed) {
  const double a = plain.percentile(.5), b = sealed.percentile(.5);
  std::printf("| %-44s | %10.2f | %10.2f | %5.2f |\n", what, a, b, a > 0 ? b / a : 0);
}

}  // namespace

int main(int argc, char** argv) {
  const std::uint64_t rows = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 30000;
  const std::filesystem::path base =
      argc > 2 ? std::filesystem::path(argv[2]) : std::filesystem::temp_directory_path();
  const auto folder = base / ("vault_bench." + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  {
    Side plain(folder / "plain.db", false), sealed(folder / "sealed.db", true);
    plain.make_tables();
    sealed.make_tables();
    for (int round = 0; round < 5; ++round) {
      for (Side* side : {&plain, &sealed}) side->insert_bulk(rows / 5);
      for (Side* side : {&plain, &sealed}) side->insert_durable(60);
    }
    for (int round = 0; round < 5; ++round) {
      for (Side* side : {&plain, &sealed}) side->read_warm(4000);
      for (Side* side : {&plain, &sealed}) side->read_small_cache(4000);
      for (Side* side : {&plain, &sealed}) side->read_cold(60);
      for (Side* side : {&plain, &sealed}) side->open_and_ask();
    }
    std::printf("%llu rows of some 330 bytes; medians in microseconds\n",
                static_cast<unsigned long long>(rows));
    std::printf("| %-44s | %10s | %10s | ratio |\n|---|---|---|---|\n", "what", "plain", "sealed");
    print("bulk insert, a row", plain.bulk, sealed.bulk);
    print("single durable insert", plain.durable, sealed.durable);
    print("two rows by key, all in SQLite's cache", plain.warm, sealed.warm);
    print("... in the kernel's, SQLite's of 4 MB", plain.small, sealed.small);
    print("... on the disk", plain.cold, sealed.cold);
    print("another connection and its first question", plain.opening, sealed.opening);
  }
  std::error_code ignored;
  std::filesystem::remove_all(folder, ignored);
  return 0;
}
