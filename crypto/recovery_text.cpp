// The recovery key as text: 32 bytes of seed and 3 of checksum make 280 bits, 56 letters of 5 bits.
#include <sodium.h>

#include <algorithm>
#include <stdexcept>

#include "crypto/hash.h"
#include "crypto/identity.h"

namespace kartei::crypto {

namespace {

constexpr std::string_view kLetters = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";  // no I, L, O, U
constexpr std::size_t kRecoverySeedSize = 32, kChecksumSize = 3;
constexpr std::size_t kLetterCount = (kRecoverySeedSize + kChecksumSize) * 8 / 5;
constexpr std::size_t kGroupSize = 4;
static_assert((kRecoverySeedSize + kChecksumSize) * 8 % 5 == 0 && kLetterCount % kGroupSize == 0);

std::array<std::uint8_t, kChecksumSize> checksum(ByteView seed) {
  const Hash32 full = hash("kartei recovery text", {seed});
  return {full[0], full[1], full[2]};
}

bool is_separator(char c) {
  return c == '-' || c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

// 0 to 31, or -1 for a foreign character.
int letter_value(char c) {
  if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  if (c == 'O') c = '0';
  if (c == 'I' || c == 'L') c = '1';
  const std::size_t at = kLetters.find(c);
  return at == std::string_view::npos ? -1 : static_cast<int>(at);
}

Error bad_text(std::string what) {
  return bad_input(std::move(what), "recovery_key");
}

// Seed and checksum, which fits; the error names the first fault.
Status read_letters(std::string_view text, std::span<std::uint8_t> all) {
  std::size_t count = 0;
  for (const char c : text) {
    if (is_separator(c)) continue;
    const int value = letter_value(c);
    if (value < 0)
      return bad_text("group " + std::to_string(count / kGroupSize + 1) +
                      " has a character no recovery key has");
    if (count == kLetterCount) return bad_text("the recovery key has too many letters");
    for (std::size_t bit = count * 5; bit < count * 5 + 5; ++bit) {
      const unsigned set = static_cast<unsigned>(value) >> (4 - (bit - count * 5)) & 1u;
      all[bit / 8] |= static_cast<std::uint8_t>(set << (7 - bit % 8));
    }
    ++count;
  }
  if (count < kLetterCount)
    return bad_text("the recovery key has " + std::to_string(count) + " letters instead of " +
                    std::to_string(kLetterCount));
  if (!equal_in_constant_time(checksum(all.first(kRecoverySeedSize)),
                              all.subspan(kRecoverySeedSize)))
    return bad_text("the recovery key does not match its checksum: a letter is mistyped");
  return {};
}

}  // namespace

std::string recovery_text(const Secret& seed) {
  if (seed.size() != kRecoverySeedSize) throw std::logic_error("a recovery seed must be 32 bytes");
  Secret all(kRecoverySeedSize + kChecksumSize);
  const auto sum = checksum(seed.view());
  const auto at = std::copy_n(seed.view().begin(), kRecoverySeedSize, all.writable().begin());
  std::copy(sum.begin(), sum.end(), at);
  std::string text;
  text.reserve(kLetterCount + kLetterCount / kGroupSize);
  for (std::size_t letter = 0; letter < kLetterCount; ++letter) {
    unsigned value = 0;
    for (std::size_t bit = letter * 5; bit < letter * 5 + 5; ++bit) {
      value = value << 1 | (all.view()[bit / 8] >> (7 - bit % 8) & 1u);
    }
    if (letter > 0 && letter % kGroupSize == 0) text.push_back('-');
    text.push_back(kLetters[value]);
  }
  return text;
}

Result<Secret> recovery_seed_from_text(std::string_view text) {
  Secret all(kRecoverySeedSize + kChecksumSize);
  KARTEI_TRY(read_letters(text, all.writable()));
  return Secret(all.view().first(kRecoverySeedSize));
}

// Asked of many texts: guarded memory would cost more than all else.
bool is_recovery_text(std::string_view text) {
  std::array<std::uint8_t, kRecoverySeedSize + kChecksumSize> all{};
  const bool fits = read_letters(text, all).has_value();
  sodium_memzero(all.data(), all.size());
  return fits;
}

}  // namespace kartei::crypto
