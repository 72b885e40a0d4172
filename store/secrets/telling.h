// Words that tell of a secret beside them ("password", "Kennwort", "PIN", "client secret"), in the
// tongues that Kartei knows, and the secret that stands beside one.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "store/secrets/secrets.h"

namespace kartei::secrets {

enum class Tells : std::uint8_t {
  kPassword,
  kLabel,  // a password, where it stands as a label: "pass: ..."
  kPin,
  kCardCode,  // three or four digits on the back of a card
  kKey,
  kWeakKey  // "token", "secret": also of things that are none
};

// As PlainText has it. "~" is nothing, a space, "_" or "-". `joined`: may end a longer word
// ("Routerpasswort").
struct TellingWord {
  const char* text;
  Tells tells;
  bool joined = false;
};
std::span<const TellingWord> telling_words();
std::vector<std::string> spellings(std::string_view text);

// The secrets that the word at [begin, end) tells of: at most one behind it and one before it.
// Looked at are 160 bytes behind the word, up to 1,024 of a secret that begins there, 96 before.
void find_told(std::string_view plain, std::size_t begin, std::size_t end, const TellingWord& word,
               std::vector<Finding>& out);

}  // namespace kartei::secrets
