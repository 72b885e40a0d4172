// SQL values as bytes: for undo records, snapshots and digests. Each value is a type, then its
// length where it has one, then its content, so that different rows never give the same bytes.
#pragma once

#include "store/sql.h"

struct sqlite3_value;

namespace kartei::store {

void put_number(Bytes& out, std::uint64_t value, int bytes);  // little-endian
void put_value(Bytes& out, const Query& row, int column);
void put_value(Bytes& out, sqlite3_value* value);

// Reads what those wrote. Bytes that are cut or foreign make it unsound; it then gives zeros.
class RowBytes {
 public:
  explicit RowBytes(ByteView bytes) : rest_(bytes) {}
  bool sound() const { return sound_; }
  bool at_end() const { return rest_.empty(); }
  std::size_t left() const { return rest_.size(); }
  void fail();

  ByteView take(std::size_t size);
  std::uint64_t number(int bytes);

  // One value; `bytes` is text's or a blob's and lives as long as what is read.
  struct Value {
    int type = 0;  // SQLITE_INTEGER ...
    std::int64_t integer = 0;
    double real = 0;
    ByteView bytes;
  };
  Value value();

 private:
  ByteView rest_;
  bool sound_ = true;
};

void bind_value(Query& query, const RowBytes::Value& value);

}  // namespace kartei::store
