// Keys of services that are known by their form: the table, and how one is recognised.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "store/secrets/secrets.h"

namespace kartei::secrets {

// What the letters behind the prefix must show beside their form.
enum class Proof : std::uint8_t {
  kRandom,   // as a generator writes
  kJumbled,  // random, of mixed cases and digits: where the form alone could be words
  kCrc32     // their last six are a checksum; a wrong one needs kJumbled and a free-standing key
};

// `form`, behind `prefix`: d digits, h hex in lower case, H hex, w letters and digits, l letters
// and digits in lower case, U in upper case, u as w and - _, b as w and + /, p as b and %, t
// base32, x bech32, a as u and . ~; other characters stand for themselves. Each is followed by
// {n}, {n,m}, ? (none or one) or nothing (one).
struct ServiceKey {
  const char* prefix;
  const char* form;
  Proof proof;
  const char* what;
  Kind kind = Kind::kServiceKey;
};
std::span<const ServiceKey> service_keys();

// The key that begins at `at` with the rule's prefix; its end. `plain` is PlainText::view().
std::optional<std::size_t> end_of_key(std::string_view plain, std::size_t at,
                                      std::size_t rule_index);

// What may stand before something: nothing that makes it a part of a longer word.
bool free_before(std::string_view plain, std::size_t at);

}  // namespace kartei::secrets
