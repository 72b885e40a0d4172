#include "store/pack.h"

#include <array>

#include "crypto/utf8.h"
#include "store/names.h"

namespace kartei::store {

namespace {

constexpr std::size_t kSpeakerBytes = 60;
constexpr std::size_t kUnbounded = std::size_t{1} << 40;

const char* origin_of(Trust trust) {
  switch (trust) {
    case Trust::kUser:
      return "";
    case Trust::kAssistant:
      return "said by the assistant";
    case Trust::kTool:
      return "from a tool, unverified";
    case Trust::kWebPage:
      return "from a web page, unverified";
  }
  return "";
}

std::string period_of(const Card& card, const std::optional<Time>& known_at) {
  const bool ended_later = known_at && card.closed_at > *known_at;
  const Date to = ended_later ? Date{} : card.valid_to;
  if (card.colour == Colour::kEvent)
    return card.valid_from.known() ? short_date(card.valid_from) : "";
  if (card.valid_from.known() && to.known())
    return short_date(card.valid_from) + " to " + short_date(to);
  if (to.known()) return "until " + short_date(to);
  const bool closed = card.state == CardState::kClosed && !ended_later;
  if (card.valid_from.known()) {
    return (closed ? "from " : "since ") + short_date(card.valid_from) +
           (closed ? ", no longer true" : "");
  }
  return closed ? "no longer true" : "";
}

}  // namespace

std::string short_date(const Date& date) {
  constexpr std::array<const char*, 13> kMonths = {"",    "Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                   "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  std::string out;
  if (date.day != 0) out += std::to_string(date.day) + " ";
  if (date.month != 0 && date.month <= 12) out += std::string(kMonths[date.month]) + " ";
  return out + std::to_string(date.year);
}

std::string card_line(const Card& card, const std::optional<Time>& known_at) {
  std::string head = to_text(card.colour);
  if (const std::string period = period_of(card, known_at); !period.empty()) head += ", " + period;
  const bool own_words = card.trust == Trust::kUser;
  if (!own_words) head += std::string(", ") + origin_of(card.trust);
  std::string line = "- [" + head + "] ";
  if (own_words) return line + one_line(card.text, false);
  return line + '"' + one_line(card.text, true) + '"';
}

std::string turn_opening(const Turn& turn, std::int16_t zone_min) {
  const std::string speaker(utf8_prefix(one_line(turn.speaker, true), kSpeakerBytes));
  std::string line = "- " + short_date(Date::day_of(turn.said_at.at, zone_min)) + ", " + speaker;
  const bool says_so = folded_text(speaker) == to_text(turn.role);
  if (turn.trust == Trust::kTool || turn.trust == Trust::kWebPage) {
    line += std::string(" (") + origin_of(turn.trust) + ")";
  } else if (turn.role == Role::kAssistant && !says_so) {
    line += " (assistant)";
  }
  return line + ": ";
}

std::size_t Packer::left() const {
  if (budget_ == 0) return kUnbounded;
  const std::size_t spoken_for = used_ + reserved_;
  return spoken_for < budget_ ? budget_ - spoken_for : 0;
}

bool Packer::add(RecallItem& item) {
  // With its line break, so that the sum is never below the estimate of the whole.
  const std::size_t cost = estimate_tokens(item.text + "\n");
  if (full() || cost > left()) return false;
  item.tokens = cost;
  used_ += cost;
  items_.push_back(std::move(item));
  return true;
}

RecallAnswer Packer::take() {
  RecallAnswer answer;
  for (const RecallItem& item : items_) {
    if (!answer.text.empty()) answer.text += '\n';
    answer.text += item.text;
  }
  answer.tokens = used_;
  answer.items = std::move(items_);
  return answer;
}

}  // namespace kartei::store
