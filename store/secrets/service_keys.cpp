#include "store/secrets/service_keys.h"

#include <algorithm>
#include <array>
#include <string>

#include "store/secrets/checks.h"
#include "store/secrets/shape.h"

namespace kartei::secrets {
namespace {

constexpr std::size_t kWrapsMax = 2;       // line breaks within one key
constexpr std::size_t kWrappedLeast = 16;  // characters of a part that may be wrapped

struct Part {
  std::uint16_t set = 0;  // 0: the one character
  char literal = '\0';
  std::size_t least = 1, most = 1;
};
using Form = std::vector<Part>;

std::uint16_t set_of(char letter) {
  switch (letter) {
    case 'd':
      return kDigit;
    case 'h':
      return kHexLower;
    case 'H':
      return kHexLower | kHexUpper;
    case 'w':
      return kWord;
    case 'l':
      return kLower | kDigit;
    case 'U':
      return kUpper | kDigit;
    case 'u':
      return kWord | kUrlSign;
    case 'b':
      return kWord | kBase64Sign;
    case 'p':
      return kWord | kBase64Sign | kPercent;
    case 't':
      return kBase32;
    case 'x':
      return kBech32;
    case 'a':
      return kWord | kUrlSign | kDot | kTilde;
    default:
      return 0;
  }
}

std::size_t read_number(std::string_view& text) {
  std::size_t value = 0;
  while (!text.empty() && is_digit(text.front())) {
    value = value * 10 + static_cast<std::size_t>(text.front() - '0');
    text.remove_prefix(1);
  }
  return value;
}

// The table is ours and tested: no errors to report.
Form form_of(std::string_view text) {
  Form form;
  while (!text.empty()) {
    Part part;
    part.set = set_of(text.front());
    part.literal = text.front();
    text.remove_prefix(1);
    if (text.starts_with('?')) {
      part.least = 0;
      text.remove_prefix(1);
    } else if (text.starts_with('{')) {
      text.remove_prefix(1);
      part.least = part.most = read_number(text);
      if (text.starts_with(',')) {
        text.remove_prefix(1);
        part.most = read_number(text);
      }
      text.remove_prefix(1);
    }
    form.push_back(part);
  }
  return form;
}

const std::vector<Form>& forms() {
  static const std::vector<Form> kForms = [] {
    std::vector<Form> all;
    for (const ServiceKey& key : service_keys()) all.push_back(form_of(key.form));
    return all;
  }();
  return kForms;
}

// Reads one key, line breaks within it left out.
class Reader {
 public:
  Reader(std::string_view plain, std::size_t at) : plain_(plain), at_(at) {}

  bool read(const Form& form) {
    return std::all_of(form.begin(), form.end(), [&](const Part& part) { return read(part); });
  }
  std::size_t end() const { return at_; }
  const std::string& body() const { return body_; }
  // Nothing follows that would belong to it, had the form room for it.
  bool free_behind() const { return at_ >= plain_.size() || !is_word(plain_[at_]); }

 private:
  bool fits(const Part& part, std::size_t at) const {
    if (at >= plain_.size()) return false;
    return part.set == 0 ? plain_[at] == part.literal : (class_of(plain_[at]) & part.set) != 0;
  }
  bool read(const Part& part) {
    std::size_t count = 0;
    while (count < part.most) {
      if (!fits(part, at_) && !(count < part.least && part.least >= kWrappedLeast && wrap(part)))
        break;
      body_.push_back(plain_[at_++]);
      ++count;
    }
    return count >= part.least;
  }
  // A line break and the next line's indent, where the key goes on behind it.
  bool wrap(const Part& part) {
    if (wraps_ == kWrapsMax || body_.empty()) return false;
    std::size_t next = at_;
    if (next < plain_.size() && plain_[next] == '\r') ++next;
    if (next >= plain_.size() || plain_[next] != '\n') return false;
    ++next;
    while (next < plain_.size() && next < at_ + 40 && plain_[next] == ' ') ++next;
    if (!fits(part, next)) return false;
    at_ = next;
    ++wraps_;
    return true;
  }

  std::string_view plain_;
  std::size_t at_;
  std::size_t wraps_ = 0;
  std::string body_;
};

bool proven(Proof proof, std::string_view body, bool free) {
  switch (proof) {
    case Proof::kRandom:
      return free && is_random(body);
    case Proof::kJumbled:
      return free && is_jumbled(body);
    case Proof::kCrc32:
      return has_crc32(body) || (free && is_jumbled(body));
  }
  return free;
}

}  // namespace

bool free_before(std::string_view plain, std::size_t at) {
  if (at == 0 || !is_word(plain[at - 1])) return true;
  // "\n" and "%20" as they are written, not as they are meant.
  if (at >= 2 && plain[at - 2] == '\\') return true;
  return at >= 3 && plain[at - 3] == '%';
}

std::optional<std::size_t> end_of_key(std::string_view plain, std::size_t at,
                                      std::size_t rule_index) {
  const ServiceKey& rule = service_keys()[rule_index];
  const bool free = free_before(plain, at);
  if (!free && rule.proof != Proof::kCrc32) return std::nullopt;
  Reader reader(plain, at + std::string_view(rule.prefix).size());
  if (!reader.read(forms()[rule_index])) return std::nullopt;
  if (!proven(rule.proof, reader.body(), free && reader.free_behind())) return std::nullopt;
  return reader.end();
}

}  // namespace kartei::secrets
