#include "store/secrets/anchors.h"

#include <algorithm>
#include <utility>

#include "store/secrets/service_keys.h"
#include "store/secrets/shape.h"
#include "store/secrets/telling.h"

namespace kartei::secrets {
namespace {

// What a Discord user's number, of digits alone, begins with in base64.
constexpr std::string_view kDigitPairs[] = {"MT", "Mj", "Mz", "ND", "NT", "Nj", "Nz", "OD", "OT"};
constexpr std::string_view kThirdOfDigits = "AEIMQUYcgk";

}  // namespace

const Anchors& Anchors::all() {
  static const Anchors kAnchors;
  return kAnchors;
}

Anchors::Anchors() : anchors_(1), next_(1) {
  add_service_keys();
  add_telling_words();
  add({"-----BEGIN", AnchorKind::kPem});
  add({"Private-Lines:", AnchorKind::kPutty});
  add({"\"d\"", AnchorKind::kJwk});
  add({"eyJ", AnchorKind::kJwt});
  add({"://", AnchorKind::kUrl});
  add({"otpauth://", AnchorKind::kOtp, true});
  add({"JQQJ99", AnchorKind::kAzureKey});
  add({std::string(kMaskBegin), AnchorKind::kMask});
  add({".atlasv1.", AnchorKind::kTerraform});
  for (const std::string_view pair : kDigitPairs)
    for (const char third : kThirdOfDigits) add({std::string(pair) + third, AnchorKind::kDiscord});
  for (char digit = '0'; digit <= '9'; ++digit) {
    add({std::string(1, digit) + "Q~", AnchorKind::kAzureSecret});
    // Three digits: numbers are read by their own rules.
    for (char second = '0'; second <= '9'; ++second)
      for (char third = '0'; third <= '9'; ++third) {
        const char three[] = {digit, second, third};
        const std::uint32_t bit = bit_of(three_at(three));
        bits_[bit >> 6] |= std::uint64_t{1} << (bit & 63);
      }
  }
}

void Anchors::add_service_keys() {
  const auto keys = service_keys();
  for (std::uint16_t i = 0; i < keys.size(); ++i) {
    const std::string prefix = keys[i].prefix;
    if (prefix.size() >= 3) {
      add({prefix, AnchorKind::kService, false, i});
      continue;
    }
    for (const char next : std::string_view("0123456789abcdef"))  // "SK" and hex digits
      add({prefix + next, AnchorKind::kService, false, i});
  }
}

void Anchors::add_telling_words() {
  const auto words = telling_words();
  for (std::uint16_t i = 0; i < words.size(); ++i)
    for (std::string& spelling : spellings(words[i].text))
      add({std::move(spelling), AnchorKind::kTelling, true, i});
}

void Anchors::add(Anchor anchor) {
  const std::uint32_t bit = bit_of(three_at(anchor.text.data()));
  bits_[bit >> 6] |= std::uint64_t{1} << (bit & 63);
  const auto index = static_cast<std::uint16_t>(anchors_.size());
  next_.push_back(std::exchange(heads_[bit % kHeads], index));
  anchors_.push_back(std::move(anchor));
}

bool Anchors::stands(const Anchor& anchor, std::string_view text, std::size_t at) {
  if (text.size() - at < anchor.text.size()) return false;
  if (!anchor.any_case) return text.substr(at, anchor.text.size()) == anchor.text;
  return std::equal(anchor.text.begin(), anchor.text.end(),
                    text.begin() + static_cast<std::ptrdiff_t>(at),
                    [](char a, char b) { return a == lower(b); });
}

}  // namespace kartei::secrets
