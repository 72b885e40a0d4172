// Stands between the product's code and libsodium by the linker's --wrap. Which signatures were
// made or found good is remembered for the process, since every device of a run checks what the
// others sign; and secrets lie in plain memory, without guard pages. Nothing else is left out: the
// engine, the sealing and the hashes are the product's.
#include <sodium.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string_view>
#include <unordered_map>

namespace {

constexpr std::size_t kRememberedMax = 100'000;

struct Signed {
  std::array<unsigned char, crypto_sign_BYTES> signature;
  std::array<unsigned char, crypto_sign_PUBLICKEYBYTES> key;
  std::size_t message;  // its hash
};

std::size_t hash_of(const unsigned char* message, unsigned long long size) {
  return std::hash<std::string_view>{}(
      {reinterpret_cast<const char*>(message), static_cast<std::size_t>(size)});
}

std::unordered_map<std::size_t, Signed>& remembered() {
  static std::unordered_map<std::size_t, Signed> all;
  return all;
}

void remember(const unsigned char* signature, const unsigned char* message, unsigned long long size,
              const unsigned char* key) {
  Signed one{};
  std::memcpy(one.signature.data(), signature, one.signature.size());
  std::memcpy(one.key.data(), key, one.key.size());
  one.message = hash_of(message, size);
  if (remembered().size() >= kRememberedMax) remembered().clear();
  remembered().insert_or_assign(hash_of(signature, one.signature.size()), one);
}

}  // namespace

// NOLINTBEGIN(bugprone-reserved-identifier): the linker gives the names
extern "C" {

int __real_crypto_sign_detached(unsigned char* signature, unsigned long long* size,
                                const unsigned char* message, unsigned long long message_size,
                                const unsigned char* secret);
int __real_crypto_sign_verify_detached(const unsigned char* signature, const unsigned char* message,
                                       unsigned long long message_size, const unsigned char* key);
int __wrap_crypto_sign_detached(unsigned char* signature, unsigned long long* size,
                                const unsigned char* message, unsigned long long message_size,
                                const unsigned char* secret);
int __wrap_crypto_sign_verify_detached(const unsigned char* signature, const unsigned char* message,
                                       unsigned long long message_size, const unsigned char* key);
void* __wrap_sodium_malloc(std::size_t size);
void __wrap_sodium_free(void* memory);

int __wrap_crypto_sign_detached(unsigned char* signature, unsigned long long* size,
                                const unsigned char* message, unsigned long long message_size,
                                const unsigned char* secret) {
  const int done = __real_crypto_sign_detached(signature, size, message, message_size, secret);
  // libsodium's secret key ends with the public one.
  if (done == 0) remember(signature, message, message_size, secret + crypto_sign_SEEDBYTES);
  return done;
}

int __wrap_crypto_sign_verify_detached(const unsigned char* signature, const unsigned char* message,
                                       unsigned long long message_size, const unsigned char* key) {
  const auto known = remembered().find(hash_of(signature, crypto_sign_BYTES));
  if (known != remembered().end() &&
      std::memcmp(known->second.signature.data(), signature, crypto_sign_BYTES) == 0 &&
      std::memcmp(known->second.key.data(), key, crypto_sign_PUBLICKEYBYTES) == 0 &&
      known->second.message == hash_of(message, message_size))
    return 0;
  const int good = __real_crypto_sign_verify_detached(signature, message, message_size, key);
  if (good == 0) remember(signature, message, message_size, key);
  return good;
}

void* __wrap_sodium_malloc(std::size_t size) {
  return std::malloc(size);
}

void __wrap_sodium_free(void* memory) {
  std::free(memory);
}

}  // extern "C"
// NOLINTEND(bugprone-reserved-identifier)
