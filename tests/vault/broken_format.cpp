#include "tests/vault/broken_format.h"

#include <sodium.h>

#include <algorithm>
#include <cstring>

namespace kartei::vault_test {

namespace {

class BrokenFormat final : public vault::Format {
 public:
  BrokenFormat(Defect defect, const crypto::Secret& key, const vault::DatabaseId& id,
               std::shared_ptr<crypto::Random> random)
      : defect_(defect), key_(key.copy()), id_(id), random_(std::move(random)) {}

  void seal(const vault::Place& place, ByteView plain, std::uint8_t* cipher, std::uint8_t* nonce,
            std::uint8_t* tag) override {
    random_->fill({nonce, vault::kNonceSize});
    if (defect_ == Defect::kSameNonce) {
      std::memset(nonce, static_cast<int>(place.part), vault::kNonceSize);
      std::memcpy(nonce, &place.number, sizeof place.number);
    }
    const Bytes ad = associated(place);
    crypto_aead_xchacha20poly1305_ietf_encrypt_detached(cipher, tag, nullptr, plain.data(),
                                                        plain.size(), ad.data(), ad.size(), nullptr,
                                                        nonce, key_.view().data());
    if (defect_ == Defect::kSwappedNonce) std::swap_ranges(nonce, nonce + 12, nonce + 12);
  }

  bool open(const vault::Place& place, ByteView cipher, const std::uint8_t* nonce,
            const std::uint8_t* tag, std::uint8_t* out) const override {
    const Bytes ad = associated(place);
    const Bytes sealed(cipher.begin(), cipher.end());
    if (defect_ == Defect::kSkippedTag || defect_ == Defect::kShortTag) {
      // Decrypting is encrypting the stream's other half; the tag is computed anew.
      Bytes plain(sealed.size());
      unauthenticated(sealed, nonce, plain.data());
      Bytes again(sealed.size()), new_tag(vault::kTagSize);
      crypto_aead_xchacha20poly1305_ietf_encrypt_detached(
          again.data(), new_tag.data(), nullptr, plain.data(), plain.size(), ad.data(), ad.size(),
          nullptr, nonce, key_.view().data());
      if (defect_ == Defect::kShortTag && !std::equal(tag, tag + 8, new_tag.begin())) return false;
      std::copy(plain.begin(), plain.end(), out);
      return true;
    }
    return crypto_aead_xchacha20poly1305_ietf_decrypt_detached(
               out, nullptr, sealed.data(), sealed.size(), tag, ad.data(), ad.size(), nonce,
               key_.view().data()) == 0;
  }

  std::uint64_t frame_on_disk(std::uint64_t frame) const override {
    if (defect_ == Defect::kSlotOffByOne) return frame > 0 ? frame - 1 : 0;
    if (defect_ == Defect::kSlotOverlap && frame >= 9) return frame - 1;
    return frame;
  }

 private:
  Bytes associated(const vault::Place& place) const {
    Bytes ad{1, 0, 0, 0};
    ad.push_back(static_cast<std::uint8_t>(place.part));
    if (defect_ != Defect::kNoId) ad.insert(ad.end(), id_.begin(), id_.end());
    if (defect_ != Defect::kNoNumber) {
      for (int i = 0; i < 8; ++i) ad.push_back(static_cast<std::uint8_t>(place.number >> (8 * i)));
    }
    ad.insert(ad.end(), place.clear.begin(), place.clear.end());
    return ad;
  }
  // XChaCha20 from its second block on, as the AEAD uses it.
  void unauthenticated(const Bytes& cipher, const std::uint8_t* nonce, std::uint8_t* out) const {
    crypto_stream_xchacha20_xor_ic(out, cipher.data(), cipher.size(), nonce, 1, key_.view().data());
  }

  const Defect defect_;
  crypto::Secret key_;
  vault::DatabaseId id_;
  std::shared_ptr<crypto::Random> random_;
};

}  // namespace

const char* name_of(Defect defect) {
  switch (defect) {
    case Defect::kNone:
      return "none";
    case Defect::kSwappedNonce:
      return "swapped nonce";
    case Defect::kSameNonce:
      return "same nonce again";
    case Defect::kSkippedTag:
      return "skipped tag";
    case Defect::kShortTag:
      return "half a tag";
    case Defect::kNoNumber:
      return "associated data without number";
    case Defect::kNoId:
      return "associated data without database";
    case Defect::kSlotOffByOne:
      return "log slot off by one";
    case Defect::kSlotOverlap:
      return "log slot off by one from the tenth on";
  }
  return "";
}

vault::FormatMaker broken_format(Defect defect) {
  return [defect](const crypto::Secret& key, const vault::DatabaseId& id,
                  std::shared_ptr<crypto::Random> random) -> std::unique_ptr<vault::Format> {
    return std::make_unique<BrokenFormat>(defect, key, id, std::move(random));
  };
}

}  // namespace kartei::vault_test
