#include "crypto/vault/format.h"

#include <sodium.h>

#include <cstring>
#include <mutex>
#include <stdexcept>

#include "crypto/vault/numbers.h"

namespace kartei::vault {

namespace {

static_assert(kNonceSize == crypto_aead_xchacha20poly1305_ietf_NPUBBYTES);
static_assert(kTagSize == crypto_aead_xchacha20poly1305_ietf_ABYTES);

constexpr std::size_t kKeySize = crypto_aead_xchacha20poly1305_ietf_KEYBYTES;
static_assert(kKeySize == crypto_kdf_KEYBYTES);
constexpr char kKdfContext[crypto_kdf_CONTEXTBYTES + 1] = "KarteiDB";

constexpr std::size_t kClearPart = kClearSize - kIdSize;
constexpr std::size_t kAdSize = 4 + 1 + kIdSize + 8 + kClearPart;

// Random bytes for many nonces at a time: one system call a write would be dear.
class NonceSource {
 public:
  explicit NonceSource(std::shared_ptr<crypto::Random> random) : random_(std::move(random)) {}
  void take(std::uint8_t* nonce) {
    const std::lock_guard lock(mutex_);
    if (used_ == pool_.size()) {
      random_->fill(pool_);
      used_ = 0;
    }
    std::memcpy(nonce, pool_.data() + used_, kNonceSize);
    used_ += kNonceSize;
  }

 private:
  std::mutex mutex_;
  std::shared_ptr<crypto::Random> random_;
  std::array<std::uint8_t, 64 * kNonceSize> pool_{};
  std::size_t used_ = pool_.size();
};

class SealedFormat final : public Format {
 public:
  SealedFormat(const crypto::Secret& data_key, const DatabaseId& id,
               std::shared_ptr<crypto::Random> random)
      : id_(id), main_key_(kKeySize), log_key_(kKeySize), nonces_(std::move(random)) {
    const std::uint8_t* key = data_key.view().data();
    crypto_kdf_derive_from_key(main_key_.writable().data(), kKeySize, 1, kKdfContext, key);
    crypto_kdf_derive_from_key(log_key_.writable().data(), kKeySize, 2, kKdfContext, key);
  }

  void seal(const Place& place, ByteView plain, std::uint8_t* cipher, std::uint8_t* nonce,
            std::uint8_t* tag) override {
    nonces_.take(nonce);
    const auto ad = associated(place);
    crypto_aead_xchacha20poly1305_ietf_encrypt_detached(cipher, tag, nullptr, plain.data(),
                                                        plain.size(), ad.data(), ad.size(), nullptr,
                                                        nonce, key_of(place.part));
  }

  bool open(const Place& place, ByteView cipher, const std::uint8_t* nonce, const std::uint8_t* tag,
            std::uint8_t* out) const override {
    const auto ad = associated(place);
    const bool fits = crypto_aead_xchacha20poly1305_ietf_decrypt_detached(
                          out, nullptr, cipher.data(), cipher.size(), tag, ad.data(), ad.size(),
                          nonce, key_of(place.part)) == 0;
    if (!fits) std::memset(out, 0, cipher.size());
    return fits;
  }

 private:
  std::array<std::uint8_t, kAdSize> associated(const Place& place) const {
    std::array<std::uint8_t, kAdSize> ad{};
    std::uint8_t* at = ad.data();
    put_little_endian(at, kFormatVersion, 4);
    at[4] = static_cast<std::uint8_t>(place.part);
    std::memcpy(at + 5, id_.data(), kIdSize);
    put_little_endian(at + 5 + kIdSize, place.number, 8);
    if (!place.clear.empty())
      std::memcpy(at + 13 + kIdSize, place.clear.data(), std::min(kClearPart, place.clear.size()));
    return ad;
  }
  const std::uint8_t* key_of(Part part) const {
    return (part == Part::kMainPage ? main_key_ : log_key_).view().data();
  }

  const DatabaseId id_;
  crypto::Secret main_key_;
  crypto::Secret log_key_;
  NonceSource nonces_;
};

}  // namespace

std::unique_ptr<Format> make_format(const crypto::Secret& data_key, const DatabaseId& id,
                                    std::shared_ptr<crypto::Random> random) {
  if (data_key.size() != kKeySize) throw std::logic_error("a data key has 32 bytes");
  return std::make_unique<SealedFormat>(data_key, id, std::move(random));
}

}  // namespace kartei::vault
