// Secrets in a text: keys of services, private keys, passwords, PINs, card numbers, seed phrases.
// What counts, and what is let through, is in README.md.
//
// Threads: pure, any number at once. Any bytes are accepted; the work is linear in the text.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace kartei::secrets {

enum class Kind : std::uint8_t {
  kServiceKey,   // by its known form
  kPrivateKey,   // PEM, age, OpenPGP, PuTTY, JWK
  kJwt,          // a signed token
  kUrlPassword,  // https://user:password@host
  kPassword,     // beside a word that tells so
  kPin,          // the same, of digits
  kKey,          // high entropy beside a word that tells so
  kCardNumber,   // with its checksum
  kSeedPhrase,   // 12 to 24 words with their checksum
  kRecoveryKey,  // of a box of Kartei
};
inline constexpr std::size_t kKinds = 10;
const char* to_text(Kind kind);  // "service_key"

struct Finding {
  std::size_t begin = 0, end = 0;  // its bytes in the text
  Kind kind = Kind::kServiceKey;
  const char* what = "";  // "GitHub token"
};

// In the text's order, without overlaps.
std::vector<Finding> find(std::string_view text);

// What of a secret stays the same when it is written otherwise: letters and digits alone, without
// invisible characters. For comparing; it is as secret as the secret.
std::string essence(std::string_view secret);

// The text with "[secret removed: password]" in place of each secret that `allowed` does not take
// (by its essence).
using Allowed = std::function<bool(std::string_view essence)>;
std::string masked(std::string_view text, const Allowed& allowed = {});
// The same in place; false: there was nothing to mask, and the text is as it was.
bool mask(std::string& text, const Allowed& allowed = {});

}  // namespace kartei::secrets
