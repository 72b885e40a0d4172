#include "crypto/secret.h"

#include <sodium.h>

#include <algorithm>
#include <new>
#include <utility>

namespace kartei::crypto {

Secret::Secret(std::size_t size) : size_(size) {
  if (size == 0) return;
  // Before sodium_init the guard canary would be constant.
  if (init()) data_ = static_cast<std::uint8_t*>(sodium_malloc(size));
  if (data_ == nullptr) throw std::bad_alloc();
  sodium_memzero(data_, size);
}

Secret::Secret(ByteView bytes) : Secret(bytes.size()) {
  std::copy(bytes.begin(), bytes.end(), data_);
}

Secret Secret::random(std::size_t size, Random& random) {
  Secret secret(size);
  random.fill(secret.writable());
  return secret;
}

Secret::Secret(Secret&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

Secret& Secret::operator=(Secret&& other) noexcept {
  if (this == &other) return *this;
  sodium_free(data_);
  data_ = std::exchange(other.data_, nullptr);
  size_ = std::exchange(other.size_, 0);
  return *this;
}

Secret::~Secret() {
  sodium_free(data_);
}  // wipes; nothing on null

Secret Secret::copy() const {
  return Secret(view());
}

}  // namespace kartei::crypto
