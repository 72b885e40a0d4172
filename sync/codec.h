// Little-endian fields one after the other, for the few things that are not Cap'n Proto messages:
// record headers, because they are hashed and signed and must have one spelling only.
#pragma once

#include <cstring>

#include "crypto/bytes.h"
#include "store/ids.h"

namespace kartei::sync {

class ByteWriter {
 public:
  template <class Integer>
  void integer(Integer value) {
    for (std::size_t i = 0; i < sizeof(Integer); ++i)
      out_.push_back(static_cast<std::uint8_t>(static_cast<std::uint64_t>(value) >> (8 * i)));
  }
  void bytes(ByteView view) { out_.insert(out_.end(), view.begin(), view.end()); }
  void feed(const store::FeedId& feed) {
    bytes(feed.device.view());
    integer(feed.number);
    integer(feed.tag);
  }
  Bytes take() { return std::move(out_); }

 private:
  Bytes out_;
};

// After a short read every further one gives zeros, and ok() is false.
class ByteReader {
 public:
  explicit ByteReader(ByteView in) : in_(in) {}

  template <class Integer>
  Integer integer() {
    std::uint64_t value = 0;
    ByteView raw = bytes(sizeof(Integer));
    for (std::size_t i = 0; i < raw.size(); ++i)
      value |= static_cast<std::uint64_t>(raw[i]) << (8 * i);
    return static_cast<Integer>(value);
  }
  ByteView bytes(std::size_t size) {
    if (!ok_ || size > in_.size()) {
      ok_ = false;
      return {};
    }
    ByteView out = in_.first(size);
    in_ = in_.subspan(size);
    return out;
  }
  template <std::size_t N>
  std::array<std::uint8_t, N> array() {
    std::array<std::uint8_t, N> out{};
    ByteView raw = bytes(N);
    if (raw.size() == N) std::memcpy(out.data(), raw.data(), N);
    return out;
  }
  store::FeedId feed() {
    store::FeedId out;
    out.device.bytes = array<16>();
    out.number = integer<std::uint32_t>();
    out.tag = integer<std::uint64_t>();
    return out;
  }
  bool ok() const { return ok_; }
  bool at_end() const { return in_.empty(); }

 private:
  ByteView in_;
  bool ok_ = true;
};

}  // namespace kartei::sync
