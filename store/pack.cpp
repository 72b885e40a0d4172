#include "store/pack.h"

#include <algorithm>

#include "crypto/utf8.h"
#include "store/names.h"
#include "store/time_phrase.h"

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
    return card.valid_from.known() ? day_text(card.valid_from) : "";
  if (card.valid_from.known() && to.known())
    return day_text(card.valid_from) + " to " + day_text(to);
  if (to.known()) return "until " + day_text(to);
  const bool closed = card.state == CardState::kClosed && !ended_later;
  if (card.valid_from.known()) {
    return (closed ? "from " : "since ") + day_text(card.valid_from) +
           (closed ? ", no longer true" : "");
  }
  return closed ? "no longer true" : "";
}

// The day, month or year that a phrase of this day means, or nothing: where it says its date
// itself, means today, a longer time, or one that comes again.
std::string date_beside(std::string_view text, const TimePhrase& phrase, const Date& today) {
  if (phrase.recurring || phrase.duration || phrase.until || !phrase.from.known()) return {};
  Date date = phrase.from;
  date.minute = -1;
  if (date == today || (phrase.to.known() && phrase.to.begin() > date.end())) return {};
  const std::string said = folded_text(text.substr(phrase.begin, phrase.end - phrase.begin));
  const std::string year = std::to_string(date.year);
  if (said.find(year) != std::string::npos) return {};
  if (date.month == 0) return year;
  Date month = date;
  month.day = 0;
  const std::string month_name = spoken(month).substr(0, spoken(month).find(' '));
  if (said.find(folded_text(month_name).substr(0, 3)) != std::string::npos) return {};
  if (date.year != today.year) return spoken(date);
  return (date.day != 0 ? std::to_string(date.day) + " " : "") + month_name;
}

}  // namespace

std::string day_text(Date date) {
  date.minute = -1;
  return spoken(date);
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

TurnOpening turn_opening(const Turn& turn, std::int16_t zone_min) {
  const std::string speaker(utf8_prefix(one_line(turn.speaker, true), kSpeakerBytes));
  TurnOpening opening{day_text(Date::day_of(turn.said_at.at, zone_min)), speaker};
  const bool says_so = folded_text(speaker) == to_text(turn.role);
  if (turn.trust == Trust::kTool || turn.trust == Trust::kWebPage) {
    opening.who += std::string(" (") + origin_of(turn.trust) + ")";
  } else if (turn.role == Role::kAssistant && !says_so) {
    opening.who += " (assistant)";
  }
  return opening;
}

std::string with_dates(std::string_view text, const ZonedTime& said_at) {
  const Date today = Date::day_of(said_at.at, said_at.zone_min);
  std::string out;
  std::size_t copied = 0;
  for (const TimePhrase& phrase : find_time_phrases(text, said_at)) {
    const std::string date = date_beside(text, phrase, today);
    if (date.empty()) continue;
    out += text.substr(copied, phrase.end - copied);
    out += " [" + date + "]";
    copied = phrase.end;
  }
  return out += text.substr(copied);
}

std::size_t Packer::left() const {
  if (budget_ == 0) return kUnbounded;
  const std::size_t spoken_for = used_ + reserved_;
  return spoken_for < budget_ ? budget_ - spoken_for : 0;
}

bool Packer::add(RecallItem& item, const Line& line) {
  if (full()) return false;
  const auto group =
      std::find_if(groups_.begin() + static_cast<std::ptrdiff_t>(first_group_), groups_.end(),
                   [&](const Group& other) { return other.heading == line.heading; });
  // With its line break, so that the sum is never below the estimate of the whole.
  std::size_t cost = estimate_tokens(line.text + "\n");
  const bool opens = group == groups_.end();
  if (opens && !line.heading.empty()) cost += estimate_tokens(line.heading + "\n");
  if (cost > left()) return false;
  if (opens) {
    groups_.push_back({line.heading, {line.text}});
  } else {
    group->lines.push_back(line.text);
  }
  item.tokens = cost;
  used_ += cost;
  items_.push_back(std::move(item));
  return true;
}

void Packer::begin_part() {
  first_group_ = groups_.size();
}

RecallAnswer Packer::take() {
  RecallAnswer answer;
  const auto add_line = [&answer](const std::string& line) {
    if (!answer.text.empty()) answer.text += '\n';
    answer.text += line;
  };
  // What stands under no heading must not seem to belong under one.
  std::stable_partition(groups_.begin(), groups_.end(),
                        [](const Group& group) { return group.heading.empty(); });
  for (const Group& group : groups_) {
    if (!group.heading.empty()) add_line(group.heading);
    for (const std::string& line : group.lines) add_line(line);
  }
  answer.tokens = used_;
  answer.items = std::move(items_);
  return answer;
}

}  // namespace kartei::store
