// Randomness is passed in: the system's in the daemon, a seeded one in tests, so that a failing
// seed replays exactly.
#pragma once

#include <cstdint>
#include <span>

namespace kartei::crypto {

class Random {
 public:
  virtual ~Random() = default;
  virtual void fill(std::span<std::uint8_t> out) = 0;
  std::uint64_t next_u64();
};

// The kernel's generator, through libsodium. Any thread.
class SystemRandom final : public Random {
 public:
  void fill(std::span<std::uint8_t> out) override;
};

// A ChaCha20 stream from a seed. For tests and simulations only. One thread.
class SeededRandom final : public Random {
 public:
  explicit SeededRandom(std::uint64_t seed);
  void fill(std::span<std::uint8_t> out) override;

 private:
  std::uint64_t seed_;
  std::uint64_t block_ = 0;
};

// Call once before anything else of crypto/; idempotent, any thread. False: libsodium is unusable.
bool init();

}  // namespace kartei::crypto
