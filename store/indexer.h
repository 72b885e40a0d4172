// What the index keeps of a text: its tokens, and its bag, from which any question is
// scored exactly without reading the text again.
//
// A token is a stemmed word, a character or a pair of a script without spaces, or a name behind one
// private character that no text can bring along. Tokens hold no ASCII but letters and digits.
// One thread an Indexer.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "crypto/bytes.h"
#include "store/words.h"

namespace kartei::store {

// Changes whenever tokens or bags of the same text would: boxes are then indexed anew.
inline constexpr std::int64_t kIndexVersion = 4;

// The private characters (U+E000..) before the words of a name.
inline constexpr std::string_view kSubjectMark = "\xEE\x80\x80";  // a card is about it
inline constexpr std::string_view kMentionMark =
    "\xEE\x80\x81";  // a card's object, or named in its text
inline constexpr std::string_view kSpeakerMark = "\xEE\x80\x82";  // wrote the turn
inline constexpr std::string_view kAliasMark =
    "\xEE\x80\x83";  // another name, by a card that says so

struct Indexed {
  std::string tokens;        // joined by spaces, as often as they occur
  Bytes bag;                 // see BagView
  std::uint32_t length = 0;  // words, names left out
};

std::uint32_t token_hash(std::string_view token);

// Sorted (hash, times) pairs of 5 bytes. A view on a row's blob; a damaged blob is an empty bag.
class BagView {
 public:
  explicit BagView(ByteView bytes) : bytes_(bytes) {}
  std::uint32_t times(std::uint32_t hash) const;
  void append_hashes(std::vector<std::uint32_t>& hashes) const;
  std::size_t size() const;                     // different hashes
  std::uint32_t hash(std::size_t place) const;  // place < size()
  std::uint32_t times_at(std::size_t place) const;

 private:
  ByteView bytes_;
};

class Indexer {
 public:
  Indexed turn(std::string_view speaker, std::string_view text, std::string_view caption);
  // `more`: tags and annotations. `relation` tells cards that give somebody another name.
  Indexed card(std::string_view text, std::string_view more, std::string_view subject,
               std::string_view relation, std::string_view object);
  Stemmer& stemmer() { return stemmer_; }

 private:
  Stemmer stemmer_;
};

// "nickname", "also known as": the object is another name of the subject.
bool is_alias_relation(std::string_view relation);

}  // namespace kartei::store
