// A secret in guarded, locked memory (sodium_malloc), wiped when it goes. Move-only, has no
// conversion to text and no formatter, so that it cannot end up in a log.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "crypto/bytes.h"
#include "crypto/random.h"

namespace kartei::crypto {

class Secret {
 public:
  Secret() = default;
  explicit Secret(std::size_t size);  // zero-filled
  explicit Secret(ByteView bytes);    // copies
  static Secret random(std::size_t size, Random& random);
  Secret(Secret&& other) noexcept;
  Secret& operator=(Secret&& other) noexcept;
  Secret(const Secret&) = delete;
  Secret& operator=(const Secret&) = delete;
  ~Secret();

  Secret copy() const;
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  ByteView view() const { return {data_, size_}; }
  std::span<std::uint8_t> writable() { return {data_, size_}; }

 private:
  std::uint8_t* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace kartei::crypto
