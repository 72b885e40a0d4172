#include "store/row_bytes.h"

#include <sqlite3.h>

#include <cstring>

namespace kartei::store {

namespace {

void put_real(Bytes& out, double real) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &real, sizeof bits);
  put_number(out, bits, 8);
}

void put_bytes(Bytes& out, ByteView bytes) {
  put_number(out, bytes.size(), 4);
  out.insert(out.end(), bytes.begin(), bytes.end());
}

}  // namespace

void put_number(Bytes& out, std::uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) out.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
}

void put_value(Bytes& out, const Query& row, int column) {
  const int type = row.type(column);
  out.push_back(static_cast<std::uint8_t>(type));
  if (type == SQLITE_INTEGER) {
    put_number(out, static_cast<std::uint64_t>(row.integer(column)), 8);
  } else if (type == SQLITE_FLOAT) {
    put_real(out, row.real(column));
  } else if (type != SQLITE_NULL) {
    put_bytes(out, row.blob(column));
  }
}

void put_value(Bytes& out, sqlite3_value* value) {
  const int type = sqlite3_value_type(value);
  out.push_back(static_cast<std::uint8_t>(type));
  if (type == SQLITE_INTEGER) {
    put_number(out, static_cast<std::uint64_t>(sqlite3_value_int64(value)), 8);
  } else if (type == SQLITE_FLOAT) {
    put_real(out, sqlite3_value_double(value));
  } else if (type != SQLITE_NULL) {
    const auto* start = static_cast<const std::uint8_t*>(sqlite3_value_blob(value));
    put_bytes(out, {start, static_cast<std::size_t>(sqlite3_value_bytes(value))});
  }
}

void RowBytes::fail() {
  sound_ = false;
  rest_ = {};
}

ByteView RowBytes::take(std::size_t size) {
  if (size > rest_.size()) {
    fail();
    return {};
  }
  const ByteView taken = rest_.first(size);
  rest_ = rest_.subspan(size);
  return taken;
}

std::uint64_t RowBytes::number(int bytes) {
  std::uint64_t value = 0;
  const ByteView taken = take(static_cast<std::size_t>(bytes));
  for (std::size_t i = taken.size(); i > 0; --i) value = value << 8 | taken[i - 1];
  return value;
}

RowBytes::Value RowBytes::value() {
  Value value;
  value.type = static_cast<int>(number(1));
  switch (value.type) {
    case SQLITE_INTEGER:
      value.integer = static_cast<std::int64_t>(number(8));
      break;
    case SQLITE_FLOAT: {
      const std::uint64_t bits = number(8);
      std::memcpy(&value.real, &bits, sizeof bits);
      break;
    }
    case SQLITE_TEXT:
    case SQLITE_BLOB:
      value.bytes = take(number(4));
      break;
    case SQLITE_NULL:
      break;
    default:
      fail();
  }
  return value;
}

void bind_value(Query& query, const RowBytes::Value& value) {
  switch (value.type) {
    case SQLITE_INTEGER:
      return query.bind(value.integer);
    case SQLITE_FLOAT:
      return query.bind(value.real);
    case SQLITE_TEXT:
      return query.bind(as_text(value.bytes));
    case SQLITE_BLOB:
      return query.bind(value.bytes);
    default:
      return query.bind(nullptr);
  }
}

}  // namespace kartei::store
