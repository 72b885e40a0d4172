#include "crypto/hash.h"

#include <sodium.h>

#include <stdexcept>

#include "crypto/numbers.h"

namespace kartei::crypto {

namespace {

// The running hash; wiped when it goes, since with a key its state is as good as the key.
class Blake2b {
 public:
  explicit Blake2b(ByteView key) {
    crypto_generichash_init(&state_, key.data(), key.size(), sizeof(Hash32));
  }
  ~Blake2b() { sodium_memzero(&state_, sizeof state_); }
  Blake2b(const Blake2b&) = delete;
  Blake2b& operator=(const Blake2b&) = delete;

  void part(ByteView bytes) {
    std::array<std::uint8_t, 8> length;
    put_little_endian(length.data(), bytes.size());
    crypto_generichash_update(&state_, length.data(), length.size());
    crypto_generichash_update(&state_, bytes.data(), bytes.size());
  }
  void finish(std::span<std::uint8_t> out) {
    crypto_generichash_final(&state_, out.data(), out.size());
  }

 private:
  crypto_generichash_state state_;
};

void hash_into(std::span<std::uint8_t> out, ByteView key, std::string_view domain,
               std::initializer_list<ByteView> parts) {
  Blake2b state(key);
  state.part(as_bytes(domain));
  for (ByteView bytes : parts) state.part(bytes);
  state.finish(out);
}

void require_key(ByteView key) {
  if (key.size() != 32) throw std::logic_error("a hash key must be 32 bytes");
}

}  // namespace

Hash32 hash(std::string_view domain, std::initializer_list<ByteView> parts) {
  Hash32 out;
  hash_into(out, {}, domain, parts);
  return out;
}

Hash32 keyed_hash(ByteView key32, std::string_view domain, std::initializer_list<ByteView> parts) {
  require_key(key32);
  Hash32 out;
  hash_into(out, key32, domain, parts);
  return out;
}

Secret derive_key(const Secret& key32, std::string_view domain,
                  std::initializer_list<ByteView> parts) {
  require_key(key32.view());
  Secret out(sizeof(Hash32));
  hash_into(out.writable(), key32.view(), domain, parts);
  return out;
}

}  // namespace kartei::crypto
