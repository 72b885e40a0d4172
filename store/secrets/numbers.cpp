#include "store/secrets/numbers.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <vector>

#include "store/secrets/checks.h"
#include "store/secrets/shape.h"

namespace kartei::secrets {
namespace {

constexpr std::size_t kDigitsMax = 19, kDigitsLeast = 14;

struct Issuer {
  std::uint32_t first, last;  // of the first six digits
  std::uint8_t least, most;   // digits in all
  const char* what;
};
// Ranges as ISO/IEC 7812 and the issuers publish them. Left out: what is issued no more (Visa of 13
// digits looks like a bar code), and Maestro's wide ranges (order numbers fall into them).
constexpr Issuer kIssuers[] = {
    {220000, 220499, 16, 19, "Mir card number"},
    {222100, 272099, 16, 16, "Mastercard number"},
    {300000, 305999, 14, 14, "Diners Club card number"},
    {309500, 309599, 14, 14, "Diners Club card number"},
    {340000, 349999, 15, 15, "American Express card number"},
    {352800, 358999, 16, 16, "JCB card number"},
    {360000, 369999, 14, 14, "Diners Club card number"},
    {370000, 379999, 15, 15, "American Express card number"},
    {380000, 399999, 14, 14, "Diners Club card number"},
    {400000, 499999, 16, 16, "Visa card number"},
    {501800, 501899, 16, 16, "Maestro card number"},
    {502000, 502099, 16, 16, "Maestro card number"},
    {503800, 503899, 16, 16, "Maestro card number"},
    {510000, 559999, 16, 16, "Mastercard number"},
    {589300, 589399, 16, 16, "Maestro card number"},
    {601100, 601199, 16, 16, "Discover card number"},
    {620000, 629999, 16, 19, "UnionPay card number"},
    {630400, 630499, 16, 16, "Maestro card number"},
    {644000, 659999, 16, 16, "Discover card number"},
    {675900, 676399, 16, 16, "Maestro card number"},
};

// As cards have them printed: 4 by 4, American Express and Diners 4-6-5 and 4-6-4; or no groups.
bool as_printed(const std::vector<std::size_t>& groups) {
  if (groups.size() == 1) return true;
  if (groups.size() == 3 && groups[0] == 4 && groups[1] == 6)
    return groups[2] == 5 || groups[2] == 4;
  if (groups.size() == 2 && groups[0] == 6) return groups[1] == 13;
  for (std::size_t i = 0; i + 1 < groups.size(); ++i)
    if (groups[i] != 4) return false;
  return groups.size() >= 4 && groups.back() <= 4;
}

const char* issuer_of(std::string_view digits) {
  std::uint32_t six = 0;
  std::from_chars(digits.data(), digits.data() + 6, six);
  for (const Issuer& issuer : kIssuers)
    if (six >= issuer.first && six <= issuer.last && digits.size() >= issuer.least &&
        digits.size() <= issuer.most)
      return issuer.what;
  return nullptr;
}

// Behind a sign that makes it a part of something longer: "0.4111...", "x4111...", "#4111".
bool part_of_more(std::string_view plain, std::size_t at) {
  if (at == 0) return false;
  const char before = plain[at - 1];
  if (is_word(before) || before == '_' || before == '#') return true;
  const bool sign =
      before == '.' || before == ',' || before == '-' || before == '/' || before == '+';
  if (sign && at >= 2 && is_word(plain[at - 2])) return true;
  return before == '+';
}

bool goes_on(std::string_view plain, std::size_t end) {
  if (end >= plain.size()) return false;
  const char next = plain[end];
  if (is_word(next) || next == '_') return true;
  const bool sign = next == '.' || next == ',' || next == '-' || next == '/' || next == ':';
  return sign && end + 1 < plain.size() && is_digit(plain[end + 1]);
}

// What numbers that are none of a card's are called; the word stands before them.
constexpr std::string_view kOtherNumbers[] = {
    "order",   "tracking",  "imei",   "isbn",     "invoice", "ticket",   "parcel", "bestell",
    "sendung", "timestamp", "serial", "shipment", "pedido",  "commande", "iban"};
bool called_otherwise(std::string_view plain, std::size_t at) {
  const std::size_t from = at - std::min<std::size_t>(at, 32);
  const std::string_view before = plain.substr(from, at - from);
  return std::any_of(std::begin(kOtherNumbers), std::end(kOtherNumbers),
                     [&](std::string_view word) { return contains_word(before, word); });
}

std::optional<Finding> card(std::string_view plain, std::size_t at) {
  std::string digits;
  std::vector<std::size_t> groups(1);
  std::size_t end = at;
  char separator = '\0';
  for (std::size_t i = at; i < plain.size() && digits.size() <= kDigitsMax; ++i) {
    if (is_digit(plain[i])) {
      digits.push_back(plain[i]);
      ++groups.back();
      end = i + 1;
      continue;
    }
    const bool separates =
        plain[i] == ' ' || plain[i] == '-' || plain[i] == '.' || plain[i] == '\n';
    if (!separates || i + 1 >= plain.size() || !is_digit(plain[i + 1])) break;
    if (separator != '\0' && plain[i] != separator) break;
    separator = plain[i];
    groups.push_back(0);
  }
  if (digits.size() < kDigitsLeast || digits.size() > kDigitsMax) return std::nullopt;
  if (part_of_more(plain, at) || goes_on(plain, end) || !as_printed(groups)) return std::nullopt;
  const char* issuer = issuer_of(digits);
  if (issuer == nullptr || !has_check_digit(digits)) return std::nullopt;
  if (groups.size() == 1 && called_otherwise(plain, at)) return std::nullopt;
  return Finding{at, end, Kind::kCardNumber, issuer};
}

// 8 to 10 digits, a colon, "AA" and 33 more.
std::optional<Finding> telegram(std::string_view plain, std::size_t at, std::size_t end) {
  if (end - at < 8 || end - at > 10 || !plain.substr(end).starts_with(":AA")) return std::nullopt;
  std::size_t last = end + 1;
  while (last < plain.size() && last < end + 40 &&
         (class_of(plain[last]) & (kWord | kUrlSign)) != 0)
    ++last;
  if (last - end - 1 != 35 || !is_jumbled(plain.substr(end + 1, 35))) return std::nullopt;
  return Finding{at, last, Kind::kServiceKey, "Telegram bot token"};
}

}  // namespace

std::optional<Finding> number_at(std::string_view plain, std::size_t at, std::size_t& end) {
  end = at;
  while (end < plain.size() && is_digit(plain[end])) ++end;
  if (const auto found = telegram(plain, at, end)) return found;
  return card(plain, at);
}

}  // namespace kartei::secrets
