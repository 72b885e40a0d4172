// What the tests of crypto/ share.
#pragma once

#include <rapidcheck.h>

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>

#include "crypto/bytes.h"
#include "crypto/random.h"
#include "crypto/secret.h"

namespace kartei::crypto {

// Hands out the given bytes, in order; running dry is a defect of the test.
class ScriptedRandom final : public Random {
 public:
  explicit ScriptedRandom(Bytes bytes) : bytes_(std::move(bytes)) {}
  void fill(std::span<std::uint8_t> out) override {
    if (out.size() > bytes_.size() - used_) throw std::logic_error("the script ran dry");
    std::copy_n(bytes_.begin() + static_cast<std::ptrdiff_t>(used_), out.size(), out.begin());
    used_ += out.size();
  }

 private:
  Bytes bytes_;
  std::size_t used_ = 0;
};

// A fresh directory, removed with all that is in it.
class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    std::string name = (std::filesystem::temp_directory_path() / "kartei-test-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
    path_ = name;
  }
  ~TemporaryDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

inline Bytes hex(std::string_view text) {
  return from_hex(text).value();
}

inline rc::Gen<Bytes> bytes_gen(std::size_t max_size) {
  return rc::gen::mapcat(rc::gen::inRange<std::size_t>(0, max_size + 1), [](std::size_t size) {
    return rc::gen::container<Bytes>(size, rc::gen::arbitrary<std::uint8_t>());
  });
}

// The bytes with one bit turned.
inline Bytes flipped(Bytes bytes, std::size_t bit) {
  bytes[bit / 8] ^= static_cast<std::uint8_t>(1u << bit % 8);
  return bytes;
}

}  // namespace kartei::crypto
