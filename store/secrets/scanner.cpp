#include <algorithm>

#include "store/secrets/anchors.h"
#include "store/secrets/marked.h"
#include "store/secrets/numbers.h"
#include "store/secrets/phrases.h"
#include "store/secrets/plain_text.h"
#include "store/secrets/secrets.h"
#include "store/secrets/service_keys.h"
#include "store/secrets/shape.h"
#include "store/secrets/telling.h"

namespace kartei::secrets {
namespace {

constexpr std::size_t kMaskMax = 48, kMaskWordMax = 12;

// One pass over a text as PlainText has it.
class Scan {
 public:
  explicit Scan(std::string_view plain) : plain_(plain), marked_(plain) {}

  std::vector<Finding> run() {
    const Anchors& anchors = Anchors::all();
    std::size_t at = 0;
    while (at + 3 <= plain_.size()) {
      if (!anchors.may_begin(Anchors::three_at(plain_.data() + at))) {
        ++at;
        continue;
      }
      at = look(anchors, at);
    }
    find_phrases(plain_, found_);
    return std::move(found_);
  }

 private:
  // All that may begin here; where to go on.
  std::size_t look(const Anchors& anchors, std::size_t at) {
    std::size_t next = at + 1;
    if (is_digit(plain_[at]) && (at == 0 || !is_digit(plain_[at - 1])) &&
        is_digit(plain_[at + 1]) && is_digit(plain_[at + 2])) {
      std::size_t end = 0;
      const auto number = number_at(plain_, at, end);
      if (number) found_.push_back(*number);
      return number ? number->end : std::max(next, end - 2);
    }
    anchors.at(plain_, at, [&](const Anchor& anchor) {
      if (anchor.kind == AnchorKind::kMask) {
        next = std::max(next, end_of_mask(at));
        return;
      }
      // What stands beside a telling word may be known better by its own form.
      if (anchor.kind == AnchorKind::kTelling)
        return find_told(plain_, at, at + anchor.text.size(), telling_words()[anchor.index],
                         found_);
      const auto found = secret_at(anchor, at);
      if (!found) return;
      found_.push_back(*found);
      next = std::max(next, found->end);
    });
    return next;
  }

  // Only a short one: nothing may hide in it.
  std::size_t end_of_mask(std::size_t at) const {
    const std::size_t begin = at + kMaskBegin.size();
    std::size_t end = begin, word = 0;
    while (end < plain_.size() && end < begin + kMaskMax && plain_[end] != ']') {
      word = is_word(plain_[end]) ? word + 1 : 0;
      if (word > kMaskWordMax) return at;
      ++end;
    }
    return end < plain_.size() && plain_[end] == ']' ? end : at;
  }

  std::optional<Finding> secret_at(const Anchor& anchor, std::size_t at) {
    if (anchor.kind != AnchorKind::kService) return marked_.at(at, anchor.kind);
    const auto end = end_of_key(plain_, at, anchor.index);
    if (!end) return std::nullopt;
    const ServiceKey& key = service_keys()[anchor.index];
    return Finding{at, *end, key.kind, key.what};
  }

  std::string_view plain_;
  Marked marked_;
  std::vector<Finding> found_;
};

bool counts_in_essence(char c) {
  return is_word(c) || static_cast<signed char>(c) < 0;
}

// Of two that overlap, the one that is known by its own form stays, else the longer one.
bool by_telling(const Finding& finding) {
  return finding.kind == Kind::kPassword || finding.kind == Kind::kKey ||
         finding.kind == Kind::kPin;
}

void drop_overlaps(std::vector<Finding>& found) {
  std::sort(found.begin(), found.end(), [](const Finding& a, const Finding& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
  });
  std::vector<Finding> kept;
  for (const Finding& one : found) {
    if (kept.empty() || one.begin >= kept.back().end) {
      kept.push_back(one);
      continue;
    }
    Finding& before = kept.back();
    if (by_telling(before) && !by_telling(one)) {
      before.kind = one.kind;
      before.what = one.what;
    }
    before.end = std::max(before.end, one.end);
  }
  found = std::move(kept);
}

}  // namespace

const char* to_text(Kind kind) {
  switch (kind) {
    case Kind::kServiceKey:
      return "service_key";
    case Kind::kPrivateKey:
      return "private_key";
    case Kind::kJwt:
      return "jwt";
    case Kind::kUrlPassword:
      return "url_password";
    case Kind::kPassword:
      return "password";
    case Kind::kPin:
      return "pin";
    case Kind::kKey:
      return "key";
    case Kind::kCardNumber:
      return "card_number";
    case Kind::kSeedPhrase:
      return "seed_phrase";
    case Kind::kRecoveryKey:
      break;
  }
  return "recovery_key";
}

std::vector<Finding> find(std::string_view text) {
  const PlainText plain(text);
  std::vector<Finding> found = Scan(plain.view()).run();
  // Signs alone have no essence, and are no secrets.
  std::erase_if(found, [&](const Finding& one) {
    const std::string_view words = plain.view().substr(one.begin, one.end - one.begin);
    return std::none_of(words.begin(), words.end(), counts_in_essence);
  });
  if (found.empty()) return found;
  drop_overlaps(found);
  for (Finding& one : found) {
    one.begin = plain.begin_of(one.begin);
    one.end = plain.end_of(one.end);
  }
  return found;
}

std::string essence(std::string_view secret) {
  const PlainText plain(secret);
  std::string out;
  for (const char c : plain.view())
    if (counts_in_essence(c)) out.push_back(c);
  return out;
}

bool mask(std::string& text, const Allowed& allowed) {
  std::vector<Finding> found = find(text);
  std::erase_if(found, [&](const Finding& one) {
    return allowed &&
           allowed(essence(std::string_view(text).substr(one.begin, one.end - one.begin)));
  });
  if (found.empty()) return false;
  std::string out;
  std::size_t copied = 0;
  for (const Finding& one : found) {
    out.append(text, copied, one.begin - copied);
    out.append(kMaskBegin).append(one.what).append("]");
    copied = one.end;
  }
  out.append(text, copied);
  text = std::move(out);
  return true;
}

std::string masked(std::string_view text, const Allowed& allowed) {
  std::string out(text);
  mask(out, allowed);
  return out;
}

}  // namespace kartei::secrets
