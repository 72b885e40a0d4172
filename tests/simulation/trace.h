// What happened in a run: a rolling hash of every event (the same seed must give the same hash),
// and the lines themselves where somebody wants to read them. Also the counts that show that a run
// was not idle.
#pragma once

#include <cstdint>
#include <cstdio>
#include <map>
#include <string>
#include <string_view>

#include "crypto/bytes.h"
#include "crypto/result.h"

namespace kartei::sim {

// Thrown by checkers and by the world: a rule does not hold. Caught by run_seed.
struct Violation {
  std::string what;
};

// What cannot fail in a sound run.
template <class T>
T must(Result<T> result, const char* what) {
  if (result.has_error()) throw Violation{std::string(what) + ": " + result.error().what};
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

class Trace {
 public:
  explicit Trace(bool print) : print_(print) {}

  void mix(std::uint64_t word) { hash_ = (hash_ ^ word) * 0x100000001b3ull; }
  void mix(ByteView bytes) {
    for (const std::uint8_t b : bytes) hash_ = (hash_ ^ b) * 0x100000001b3ull;
  }
  // `what` is a literal; `detail` is made by the caller only if wanted() (it is not hashed).
  void note(std::int64_t at_ms, std::size_t device, std::string_view what, std::uint64_t a = 0,
            std::uint64_t b = 0, const std::string& detail = {}) {
    mix(static_cast<std::uint64_t>(at_ms));
    mix(device);
    mix(as_bytes(what));
    mix(a);
    mix(b);
    if (!print_) return;
    std::printf("%8lld ms  %zu  %-14.*s %llu %llu %s\n", static_cast<long long>(at_ms), device + 1,
                static_cast<int>(what.size()), what.data(), static_cast<unsigned long long>(a),
                static_cast<unsigned long long>(b), detail.c_str());
  }
  bool wanted() const { return print_; }
  std::uint64_t hash() const { return hash_; }

 private:
  bool print_;
  std::uint64_t hash_ = 0xcbf29ce484222325ull;
};

using Coverage = std::map<std::string, std::uint64_t, std::less<>>;

}  // namespace kartei::sim
