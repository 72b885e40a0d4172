// What the scan stops at: the first letters of all that a secret can begin with, or stand beside.
// One look-up of three bytes at each place of the text says whether any of them is there.
//
// Threads: made once, then read by any number.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace kartei::secrets {

enum class AnchorKind : std::uint8_t {
  kService,  // service_keys()[index]
  kTelling,  // telling_words()[index]
  kPem,
  kPutty,
  kJwk,
  kJwt,
  kUrl,
  kOtp,
  kDiscord,
  kAzureSecret,
  kAzureKey,
  kTerraform,
  kMask  // what stands where a secret was
};

// Of a secret: "[secret removed: password]".
inline constexpr std::string_view kMaskBegin = "[secret removed: ";

struct Anchor {
  std::string text;  // three bytes at least
  AnchorKind kind = AnchorKind::kService;
  bool any_case = false;  // `text` is in lower case
  std::uint16_t index = 0;
};

class Anchors {
 public:
  static const Anchors& all();

  // False: nothing begins with these three bytes. (True may mean nothing, too.)
  bool may_begin(std::uint32_t three) const {
    const std::uint32_t bit = bit_of(three);
    return (bits_[bit >> 6] >> (bit & 63) & 1) != 0;
  }
  static std::uint32_t three_at(const char* at) {
    return static_cast<unsigned char>(at[0]) | static_cast<unsigned char>(at[1]) << 8 |
           static_cast<std::uint32_t>(static_cast<unsigned char>(at[2])) << 16;
  }
  // Those that stand at `at`, each given to `take`.
  template <class Take>
  void at(std::string_view text, std::size_t at, const Take& take) const {
    const std::uint32_t three = fold(three_at(text.data() + at));
    for (std::uint16_t i = heads_[bit_of(three) % kHeads]; i != 0; i = next_[i]) {
      const Anchor& anchor = anchors_[i];
      if (stands(anchor, text, at)) take(anchor);
    }
  }

 private:
  static constexpr std::size_t kBits = 1 << 16, kHeads = 1 << 10;
  Anchors();
  void add(Anchor anchor);
  void add_service_keys();
  void add_telling_words();
  static bool stands(const Anchor& anchor, std::string_view text, std::size_t at);
  static std::uint32_t fold(std::uint32_t three) { return three | 0x202020; }
  static std::uint32_t bit_of(std::uint32_t three) { return fold(three) * 0x9E3779B1U >> 16; }

  std::array<std::uint64_t, kBits / 64> bits_{};
  std::array<std::uint16_t, kHeads> heads_{};  // 0: none
  std::vector<Anchor> anchors_;
  std::vector<std::uint16_t> next_;
};

}  // namespace kartei::secrets
