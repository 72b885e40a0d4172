#include "store/secrets/phrases.h"

#include <sodium.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "crypto/identity.h"
#include "store/secrets/shape.h"

namespace kartei::secrets {
namespace {

// The English list of BIP 39, in its order; a word is known by its first four letters.
constexpr std::string_view kWordList =
#include "store/secrets/seed_words.inc"
    ;
constexpr std::size_t kListed = 2048;
constexpr std::size_t kWordLeast = 3, kWordMost = 8;
constexpr std::size_t kWordsLeast = 12, kWordsMost = 24;
constexpr std::size_t kRowMost = 256;    // words in a row that are looked at together
constexpr std::size_t kSeedStride = 40;  // no phrase is shorter
constexpr std::size_t kBetweenMost = 6;  // signs between two words: "3. "
constexpr std::size_t kGroup = 4, kGroups = 14, kStep = kGroup + 1;  // of a recovery key
constexpr std::size_t kRecoveryStride = 32;

class SeedWords {
 public:
  static const SeedWords& all() {
    static const SeedWords kWords;
    return kWords;
  }
  std::optional<std::uint16_t> find(std::string_view word) const {
    if (word.size() < kWordLeast || word.size() > kWordMost) return std::nullopt;
    std::array<char, kWordMost> small{};
    for (std::size_t i = 0; i < word.size(); ++i) small[i] = lower(word[i]);
    const std::string_view wanted(small.data(), word.size());
    for (std::size_t slot = slot_of(wanted); slots_[slot] != 0; slot = (slot + 1) % kSlots)
      if (words_[slots_[slot] - 1U] == wanted) return static_cast<std::uint16_t>(slots_[slot] - 1);
    return std::nullopt;
  }

 private:
  static constexpr std::size_t kSlots = 8192;
  SeedWords() {
    std::string_view rest = kWordList;
    for (std::uint16_t i = 0; i < kListed; ++i) {
      const std::size_t end = std::min(rest.find(' '), rest.size());
      words_[i] = rest.substr(0, end);
      rest.remove_prefix(std::min(end + 1, rest.size()));
      std::size_t slot = slot_of(words_[i]);
      while (slots_[slot] != 0) slot = (slot + 1) % kSlots;
      slots_[slot] = static_cast<std::uint16_t>(i + 1);
    }
  }
  static std::size_t slot_of(std::string_view word) {
    std::uint32_t hash = 0;
    for (const char c : word.substr(0, kGroup)) hash = hash << 5 ^ static_cast<unsigned char>(c);
    return hash * 0x9E3779B1U >> 19;
  }
  std::array<std::string_view, kListed> words_;
  std::array<std::uint16_t, kSlots> slots_{};  // 0: empty; else one more than the word's number
};

struct Word {
  std::size_t begin = 0, end = 0;
  std::uint16_t number = 0;
};

bool is_between(char c) {
  return c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == ',' || c == '.' || c == ')' ||
         c == '-' || c == '(' || c == '|' || is_digit(c);
}

std::optional<Word> word_around(std::string_view plain, std::size_t at) {
  std::size_t begin = at, end = at;
  while (begin > 0 && is_letter(plain[begin - 1]) && at - begin <= kWordMost) --begin;
  while (end < plain.size() && is_letter(plain[end]) && end - begin <= kWordMost) ++end;
  const auto number = SeedWords::all().find(plain.substr(begin, end - begin));
  if (!number) return std::nullopt;
  return Word{begin, end, *number};
}

std::optional<Word> next_word(std::string_view plain, std::size_t at) {
  const std::size_t from = at;
  while (at < plain.size() && at - from <= kBetweenMost && is_between(plain[at])) ++at;
  if (at == from || at >= plain.size() || !is_letter(plain[at])) return std::nullopt;
  return word_around(plain, at);
}

std::optional<Word> word_before(std::string_view plain, std::size_t at) {
  const std::size_t from = at;
  while (at > 0 && from - at <= kBetweenMost && is_between(plain[at - 1])) --at;
  if (at == from || at == 0 || !is_letter(plain[at - 1])) return std::nullopt;
  return word_around(plain, at - 1);
}

// Eleven bits a word; of the last bits one in 33 is the hash's.
bool has_checksum(const Word* words, std::size_t count) {
  std::array<std::uint8_t, 33> bytes{};
  for (std::size_t bit = 0; bit < count * 11; ++bit) {
    const unsigned set = words[bit / 11].number >> (10 - bit % 11) & 1U;
    bytes[bit / 8] |= static_cast<std::uint8_t>(set << (7 - bit % 8));
  }
  const std::size_t entropy_bytes = count * 4 / 3, sum_bits = count / 3;
  std::array<std::uint8_t, crypto_hash_sha256_BYTES> hash{};
  crypto_hash_sha256(hash.data(), bytes.data(), entropy_bytes);
  return bytes[entropy_bytes] >> (8 - sum_bits) == hash[0] >> (8 - sum_bits);
}

bool begins_line(std::string_view plain, const std::vector<Word>& row, std::size_t i) {
  return i == 0 || plain.substr(row[i - 1].end, row[i].begin - row[i - 1].end).find('\n') !=
                       std::string_view::npos;
}

void find_in_row(std::string_view plain, const std::vector<Word>& row, std::vector<Finding>& out) {
  for (std::size_t i = 0; i + kWordsLeast <= row.size(); ++i) {
    // Words of a text that happen to be listed may stand before it, but rarely behind.
    for (std::size_t count = kWordsMost; count >= kWordsLeast; count -= 3) {
      if (i + count > row.size()) continue;
      const bool placed = begins_line(plain, row, i) || i + count == row.size();
      if (!placed || !has_checksum(&row[i], count)) continue;
      out.push_back({row[i].begin, row[i + count - 1].end, Kind::kSeedPhrase, "seed phrase"});
      return;
    }
  }
}

void find_seeds(std::string_view plain, std::vector<Finding>& out) {
  std::size_t done = 0;
  for (std::size_t at = kSeedStride / 2; at < plain.size(); at += kSeedStride) {
    std::size_t place = std::max(at, done);
    while (place < plain.size() && place < at + kBetweenMost && !is_letter(plain[place])) ++place;
    if (place >= plain.size() || place < done) continue;
    const auto word = word_around(plain, place);
    if (!word) continue;
    std::vector<Word> row{*word};
    while (row.size() < kRowMost) {
      const auto before = word_before(plain, row.back().begin);
      if (!before || before->begin < done) break;
      row.push_back(*before);
    }
    std::reverse(row.begin(), row.end());
    while (row.size() < kRowMost) {
      const auto next = next_word(plain, row.back().end);
      if (!next) break;
      row.push_back(*next);
    }
    done = row.back().end;
    if (row.size() >= kWordsLeast) find_in_row(plain, row, out);
  }
}

// ---- recovery keys

bool separates(char c) {
  return c == ' ' || c == '-' || c == '\n' || c == '\t';
}
bool is_group(std::string_view plain, std::size_t at) {
  if (at + kGroup > plain.size()) return false;
  return is_word(plain[at]) && is_word(plain[at + 1]) && is_word(plain[at + 2]) &&
         is_word(plain[at + 3]);
}

void find_recovery_in(std::string_view plain, std::size_t begin, std::size_t end,
                      std::vector<Finding>& out) {
  constexpr std::size_t kSize = kGroups * kStep - 1;
  for (std::size_t at = begin; at + kSize <= end; at += kStep) {
    const std::string_view text = plain.substr(at, kSize);
    // All letters or all digits: words or numbers, as good as certainly.
    const auto digits = std::count_if(text.begin(), text.end(), is_digit);
    if (digits < 3 || digits > 40) continue;
    if (!crypto::is_recovery_text(text)) continue;
    out.push_back({at, at + kSize, Kind::kRecoveryKey, "recovery key of a Kartei box"});
    at += kSize - kStep;
  }
}

void find_recovery_keys(std::string_view plain, std::vector<Finding>& out) {
  std::size_t done = 0;
  for (std::size_t at = 0; at + 4 * kStep < plain.size(); at += kRecoveryStride) {
    for (std::size_t shift = 0; shift < kStep; ++shift) {
      const std::size_t place = at + shift;
      if (place < done || place + 3 * kStep >= plain.size()) continue;
      if (!separates(plain[place]) || !separates(plain[place + kStep]) ||
          !separates(plain[place + 2 * kStep]))
        continue;
      std::size_t begin = place + 1, end = place;
      while (begin >= done + kStep && separates(plain[begin - 1]) && is_group(plain, begin - kStep))
        begin -= kStep;
      while (end < plain.size() && separates(plain[end]) && is_group(plain, end + 1)) end += kStep;
      done = end;
      find_recovery_in(plain, begin, end, out);
      break;
    }
  }
}

}  // namespace

void find_phrases(std::string_view plain, std::vector<Finding>& out) {
  find_seeds(plain, out);
  find_recovery_keys(plain, out);
}

}  // namespace kartei::secrets
