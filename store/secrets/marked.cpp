#include "store/secrets/marked.h"

#include <algorithm>
#include <array>

#include "store/secrets/checks.h"
#include "store/secrets/service_keys.h"
#include "store/secrets/shape.h"

namespace kartei::secrets {
namespace {

constexpr std::size_t kLabelMax = 64;
constexpr std::size_t kPemMax = 64 << 10;
constexpr std::size_t kHeadersMax = 1024;  // of a PEM block, before its first line
constexpr std::size_t kLineLeast = 16;  // of base64, for a key to be there and not only its frame
constexpr std::size_t kTokenMax = 16 << 10;
constexpr std::size_t kAddressMax = 256;
constexpr std::size_t kJwkAround = 1024;
constexpr std::string_view kPemEnd = "-----END";

constexpr std::string_view kNoPasswords[] = {
    "password", "passwd", "pass", "pwd",      "pw",        "passwort",   "kennwort",
    "secret",   "token",  "user", "username", "pass_word", "mypassword", "mypass",
    "guest",    "admin",  "root", "test",     "postgres",  "example"};

bool same(std::string_view text, std::string_view small) {
  return std::equal(text.begin(), text.end(), small.begin(), small.end(),
                    [](char a, char b) { return lower(a) == b; });
}

Finding finding(std::size_t begin, std::size_t end, Kind kind, const char* what) {
  return {begin, end, kind, what};
}

}  // namespace

std::optional<Finding> Marked::at(std::size_t at, AnchorKind kind) {
  switch (kind) {
    case AnchorKind::kPem:
      return pem(at);
    case AnchorKind::kPutty:
      return putty(at);
    case AnchorKind::kJwk:
      return jwk(at);
    case AnchorKind::kJwt:
      return jwt(at);
    case AnchorKind::kUrl:
      return url(at);
    case AnchorKind::kOtp:
      return otp(at);
    case AnchorKind::kDiscord:
      return discord(at);
    case AnchorKind::kAzureSecret:
      return azure_secret(at);
    case AnchorKind::kAzureKey:
      return azure_key(at);
    case AnchorKind::kTerraform:
      return terraform(at);
    case AnchorKind::kService:
    case AnchorKind::kTelling:
    case AnchorKind::kMask:
      break;
  }
  return std::nullopt;
}

std::size_t Marked::run(std::size_t at, unsigned set, std::size_t most) const {
  const std::size_t stop = at + std::min(most, plain_.size() - std::min(at, plain_.size()));
  while (at < stop && (class_of(plain_[at]) & set) != 0) ++at;
  return at;
}

// Behind the last line of base64 from `at` on; `at` where there is none. Line breaks may be written
// as "\n".
std::size_t Marked::end_of_lines(std::size_t at) const {
  std::size_t end = at;
  const std::size_t stop = std::min(plain_.size(), at + kPemMax);
  while (at < stop) {
    while (at < stop && (plain_[at] == '\n' || plain_[at] == '\r' || plain_[at] == ' ')) ++at;
    while (at + 1 < stop && plain_[at] == '\\' && (plain_[at + 1] == 'n' || plain_[at + 1] == 'r'))
      at += 2;
    const std::size_t line = run(at, kWord | kBase64Sign | kPad, stop - at);
    // The last line may be short.
    if (line - at < (end > 0 && end + 4 >= at ? 4 : kLineLeast)) break;
    at = end = line;
  }
  return end;
}

std::optional<Finding> Marked::pem(std::size_t at) {
  const std::size_t label = at + 10;
  const std::size_t behind = plain_.substr(label, kLabelMax).find("-----");
  if (behind == std::string_view::npos) return std::nullopt;
  if (plain_.substr(label, behind).find("PRIVATE KEY") == std::string_view::npos)
    return std::nullopt;
  const std::size_t body = label + behind + 5;
  if (pem_end_ < body) pem_end_ = std::min(plain_.find(kPemEnd, body), plain_.size());
  const bool whole = pem_end_ < plain_.size() && pem_end_ - body <= kPemMax;
  const std::size_t stop = whole ? pem_end_ : std::min(plain_.size(), body + kPemMax);
  // Its headers ("Proc-Type: ...") are short words; a line of the key is not.
  std::size_t last = 0;
  for (std::size_t i = body; i < stop;) {
    const std::size_t line = run(i, kWord | kBase64Sign | kPad, stop - i);
    if (line - i >= kLineLeast) last = line;
    if (last == 0 && i > body + kHeadersMax) break;
    if (!whole && last != 0 && line - i < kLineLeast && i > last + 8) break;
    i = line + 1;
  }
  if (last == 0) return std::nullopt;
  std::size_t end = last;
  if (whole) {
    end = pem_end_ + kPemEnd.size();
    const std::size_t close = plain_.substr(end, kLabelMax).find("-----");
    if (close != std::string_view::npos) end += close + 5;
  }
  return finding(at, end, Kind::kPrivateKey, "private key");
}

std::optional<Finding> Marked::putty(std::size_t at) const {
  std::size_t lines = run(at + 14, 0, 0);
  while (lines < plain_.size() && lines < at + 32 &&
         (plain_[lines] == ' ' || is_digit(plain_[lines])))
    ++lines;
  const std::size_t end = end_of_lines(lines);
  if (end == lines) return std::nullopt;
  return finding(at, end, Kind::kPrivateKey, "private key");
}

std::optional<Finding> Marked::jwk(std::size_t at) const {
  std::size_t value = at + 3;
  while (value < plain_.size() && value < at + 8 && (plain_[value] == ' ' || plain_[value] == ':'))
    ++value;
  if (value >= plain_.size() || plain_[value] != '"') return std::nullopt;
  const std::size_t end = run(++value, kWord | kUrlSign, 1024);
  if (end - value < 40 || end >= plain_.size() || plain_[end] != '"') return std::nullopt;
  const std::size_t from = at - std::min(at, kJwkAround);
  const std::string_view around = plain_.substr(from, end + kJwkAround - from);
  if (around.find("\"kty\"") == std::string_view::npos) return std::nullopt;
  return finding(value, end, Kind::kPrivateKey, "private key");
}

// Only where a run of its characters begins: else each mark within one long run would read it to
// its end.
std::optional<Finding> Marked::jwt(std::size_t at) const {
  constexpr unsigned kSet = kWord | kUrlSign;
  if (!free_before(plain_, at) || (at > 0 && (class_of(plain_[at - 1]) & (kUrlSign | kDot)) != 0))
    return std::nullopt;
  std::size_t end = at;
  std::size_t part_ends[3] = {};
  for (std::size_t& part_end : part_ends) {
    const std::size_t begin = end + (&part_end != part_ends ? 1 : 0);
    part_end = end = run(begin, kSet, kTokenMax);
    if (end == begin) return std::nullopt;
    if (&part_end != &part_ends[2] && (end >= plain_.size() || plain_[end] != '.'))
      return std::nullopt;
  }
  if (part_ends[2] - part_ends[1] < kLineLeast) return std::nullopt;
  const auto header = base64(plain_.substr(at, part_ends[0] - at));
  if (!header || !header->starts_with('{') || header->find("\"alg\"") == std::string::npos)
    return std::nullopt;
  return finding(at, end, Kind::kJwt, "signed token (JWT)");
}

std::optional<Finding> Marked::url(std::size_t at) const {
  if (at == 0 || !is_letter(plain_[at - 1])) return std::nullopt;
  const std::string_view rest = plain_.substr(at + 3, kAddressMax);
  const std::string_view address = rest.substr(0, rest.find_first_of(" \t\r\n\"'<>/?#\\`|"));
  const std::size_t host = address.rfind('@');
  const std::size_t colon = address.find(':');
  if (host == std::string_view::npos || colon >= host || host + 1 >= address.size())
    return std::nullopt;
  const std::string_view password = address.substr(colon + 1, host - colon - 1);
  if (password.size() < 3 || is_placeholder(password) || password.starts_with('[') ||
      password.starts_with('%'))
    return std::nullopt;
  for (const std::string_view none : kNoPasswords)
    if (same(password, none)) return std::nullopt;
  const std::size_t begin = at + 3 + colon + 1;
  return finding(begin, begin + password.size(), Kind::kUrlPassword, "password in an address");
}

std::optional<Finding> Marked::otp(std::size_t at) const {
  const std::string_view rest = plain_.substr(at, kAddressMax);
  const std::string_view address = rest.substr(0, rest.find_first_of(" \t\r\n\"'<>`"));
  const std::size_t secret = address.find("secret=");
  if (secret == std::string_view::npos) return std::nullopt;
  const std::size_t begin = at + secret + 7;
  const std::size_t end = run(begin, kBase32, kAddressMax);
  if (end - begin < kLineLeast || is_placeholder(plain_.substr(begin, end - begin)))
    return std::nullopt;
  return finding(begin, end, Kind::kServiceKey, "seed of one-time codes");
}

std::optional<Finding> Marked::discord(std::size_t at) const {
  constexpr unsigned kSet = kWord | kUrlSign;
  if (!free_before(plain_, at)) return std::nullopt;
  const std::size_t user = run(at, kSet, 32);
  if (user - at < 22 || user >= plain_.size() || plain_[user] != '.') return std::nullopt;
  const std::size_t time = run(user + 1, kSet, 8);
  if (time - user - 1 < 5 || time >= plain_.size() || plain_[time] != '.') return std::nullopt;
  const std::size_t end = run(time + 1, kSet, 48);
  const auto number = base64(plain_.substr(at, user - at));
  if (end - time - 1 < 25 || !number || !std::all_of(number->begin(), number->end(), is_digit))
    return std::nullopt;
  return finding(at, end, Kind::kServiceKey, "Discord bot token");
}

// Three characters, a digit, "Q~", and 31 to 34 more; `at` is the digit.
std::optional<Finding> Marked::azure_secret(std::size_t at) const {
  constexpr unsigned kSet = kWord | kUrlSign | kDot | kTilde;
  if (at < 3 || run(at - 3, kSet, 3) != at || !free_before(plain_, at - 3)) return std::nullopt;
  const std::size_t end = run(at + 3, kSet, 34);
  if (end - at - 3 < 31 || !is_jumbled(plain_.substr(at + 3, end - at - 3))) return std::nullopt;
  return finding(at - 3, end, Kind::kServiceKey, "Azure client secret");
}

// 52 characters before the mark, 26 behind it.
std::optional<Finding> Marked::azure_key(std::size_t at) const {
  if (at < 52 || run(at - 52, kWord, 84) != at + 32 || !free_before(plain_, at - 52))
    return std::nullopt;
  return finding(at - 52, at + 32, Kind::kServiceKey, "Azure key");
}

std::optional<Finding> Marked::terraform(std::size_t at) const {
  if (at < 14 || run(at - 14, kWord, 14) != at || !free_before(plain_, at - 14))
    return std::nullopt;
  const std::size_t end = run(at + 9, kWord | kUrlSign, 80);
  if (end - at - 9 < 60) return std::nullopt;
  return finding(at - 14, end, Kind::kServiceKey, "Terraform Cloud token");
}

}  // namespace kartei::secrets
