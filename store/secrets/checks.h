// Checksums and encodings that tell a secret from what only looks like one. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace kartei::secrets {

// The last six characters are the CRC-32 of those before, in base 62 (GitHub, npm).
bool has_crc32(std::string_view body);
std::string base62_crc32(std::string_view text);  // six characters

// The last digit is the check digit of those before (Luhn).
bool has_check_digit(std::string_view digits);

// Base64, plain or for URLs, padding or not; empty: it is none.
std::optional<std::string> base64(std::string_view text);

}  // namespace kartei::secrets
