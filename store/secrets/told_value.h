// Whether what stands beside a telling word is a secret: judged by its form alone. Pure.
#pragma once

#include <cstdint>
#include <string_view>

#include "store/secrets/telling.h"

namespace kartei::secrets {

// How a value is tied to the word.
enum class Tie : std::uint8_t {
  kBeside,  // it stands there: "the password Kaffee-2291 works"
  kWord,    // "is", "lautet"
  kMark     // ":", "="
};

struct Told {
  std::string_view value;
  Tie tie = Tie::kBeside;
  bool loose = false;  // tied by a word that often means something else: "en", "to"
  bool quoted = false;
  bool ends = false;       // the statement ends behind it
  bool next_line = false;  // the value stands on the line behind
  bool owned = false;      // "my password is"
  bool postal = false;     // the telling word is "PIN code", which is a postal code in India
  bool shouted = false;    // the telling word in capitals: "PIN"
};

bool is_told_secret(const Told& told, Tells tells);

// Words that say how a secret is, and not what it is: "my password is wrong".
bool is_plain_word(std::string_view word);

}  // namespace kartei::secrets
