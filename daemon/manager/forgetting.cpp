#include "daemon/manager/forgetting.h"

#include <algorithm>
#include <cmath>

#include "store/time_phrase.h"

namespace kartei::daemon {
namespace {

using store::CardState;
using store::Colour;
using store::Forgettable;
using store::Forgotten;
using store::Time;

constexpr double kDayInMs = 24.0 * 3600 * 1000;

Time later(Time from, double days) {
  return from + std::chrono::milliseconds(static_cast<std::int64_t>(days * kDayInMs));
}

std::int64_t days_between(Time from, Time to) {
  return std::max<std::int64_t>(
      0, static_cast<std::int64_t>(static_cast<double>(store::to_ms(to) - store::to_ms(from)) /
                                   kDayInMs));
}

std::string in_days(std::int64_t days) {
  return std::to_string(days) + (days == 1 ? " day" : " days");
}

std::string day_of(Time at) {
  return store::spoken(store::Date::day_of(at, 0));
}

// What importance, use and priority make of every number of days.
double factor_of(const store::Card& card) {
  const double importance = std::pow(kImportanceFactor, 2 * card.importance - 1);
  const double use = std::min(kUseFactorMost, std::exp2(std::sqrt(card.times_used) / 2));
  const bool first = (card.flags & store::kHighPriority) != 0;
  return importance * use * (first ? kPriorityFactor : 1);
}

bool fades_by_time(const store::Card& card, const ForgettingPolicy& policy) {
  return card.colour == Colour::kEvent || policy.fade_facts_after_days > 0;
}

// Since when the card has been where it is, and not been used.
Time resting_since(const Forgettable& card) {
  return std::max(decays_from(card), card.step_at);
}

std::string put_away_words(const Forgettable& card, const char* how) {
  if (card.step_at == Time{}) return std::string(how) + " before this Kartei knew when";
  return std::string(how) + " on " + day_of(card.step_at);
}

}  // namespace

const char* to_text(ForgettingStep::What what) {
  static constexpr const char* kWords[] = {"fade", "archive", "condense", "trash", "erase"};
  return kWords[what];
}

bool is_protected(const store::Card& card) {
  return card.colour == Colour::kRule ||
         (card.flags & (store::kPersistent | store::kNeverForget)) != 0;
}

double life_days(const store::Card& card, const ForgettingPolicy& policy) {
  auto days = static_cast<double>(policy.fade_after_days);
  if (card.colour != Colour::kEvent) {
    days = policy.fade_facts_after_days > 0 ? static_cast<double>(policy.fade_facts_after_days)
                                            : days * kFactLives;
  }
  return days * factor_of(card);
}

Time decays_from(const Forgettable& item) {
  const store::Card& card = item.card;
  Time from = std::max({card.recorded_at, card.last_used, item.renewed_at});
  if (card.valid_from.known()) from = std::max(from, card.valid_from.begin());
  if (card.colour != Colour::kEvent || !card.valid_from.known()) return from;
  return std::max(from, card.valid_to.known() ? card.valid_to.begin() : card.valid_from.end());
}

double strength(const Forgettable& card, const ForgettingPolicy& policy, Time now) {
  const double age_days = std::max(
      0.0, static_cast<double>(store::to_ms(now) - store::to_ms(decays_from(card))) / kDayInMs);
  return std::exp2(-age_days / life_days(card.card, policy));
}

// ---- a pass

std::optional<ForgettingStep> ForgettingPass::due(const Forgettable& item,
                                                  ForgettingStep::What what, Time at,
                                                  const std::string& why) {
  if (at > now_) {
    if (!next_due_ || at < *next_due_) next_due_ = at;
    return std::nullopt;
  }
  return ForgettingStep{what, item.card.id, item.card.drawer, item.card.text, why, {}};
}

std::optional<ForgettingStep> ForgettingPass::step_of(const Forgettable& item) {
  const store::Card& card = item.card;
  const Time rests = resting_since(item);
  const std::string unused = in_days(days_between(rests, now_));
  const double factor = factor_of(card);
  const auto after = [&](std::int64_t days) { return static_cast<double>(days) * factor; };
  if (card.state == CardState::kOpen) {
    const double life = life_days(card, policy_);
    if (!fades_by_time(card, policy_)) return std::nullopt;
    const char* kind = card.colour == Colour::kEvent ? "an event" : "a fact";
    return due(item, ForgettingStep::kFade, later(decays_from(item), life),
               "Not used for " + in_days(days_between(decays_from(item), now_)) + "; " + kind +
                   " of its importance and use fades after " +
                   in_days(static_cast<std::int64_t>(life)) + ".");
  }
  if (card.state == CardState::kFaded) {
    return due(
        item, ForgettingStep::kArchive, later(rests, after(policy_.archive_after_days)),
        "It " + put_away_words(item, "faded") + " and has not been used for " + unused + ".");
  }
  if (card.state != CardState::kArchived || !policy_.delete_archived) return std::nullopt;
  if (item.step == Forgotten::kTrashed) {
    return due(item, ForgettingStep::kErase,
               later(item.step_at, static_cast<double>(policy_.trash_days)),
               "It has been in the trash since " + day_of(item.step_at) + ".");
  }
  return due(
      item, ForgettingStep::kTrash, later(rests, after(policy_.delete_after_days)),
      "It was " + put_away_words(item, "archived") + " and has not been used for " + unused + ".");
}

std::vector<ForgettingStep> ForgettingPass::look(const std::vector<Forgettable>& cards) {
  std::vector<ForgettingStep> steps;
  if (!policy_.on) return steps;
  for (const Forgettable& item : cards) {
    if (is_protected(item.card)) continue;
    if (auto step = step_of(item)) {
      steps.push_back(std::move(*step));
    } else if (item.card.state == CardState::kOpen) {
      open_.push_back({strength(item, policy_, now_), item.card.id, item.card.drawer});
    }
  }
  return steps;
}

std::vector<ForgettingStep> ForgettingPass::finish() {
  std::vector<ForgettingStep> steps;
  const auto most = static_cast<std::size_t>(policy_.open_cards_max);
  if (open_.size() <= most) return steps;
  const std::size_t too_many = open_.size() - most;
  std::sort(open_.begin(), open_.end(), [](const Open& a, const Open& b) {
    return a.strength != b.strength ? a.strength < b.strength : a.card < b.card;
  });
  const std::string why = std::to_string(open_.size()) + " cards are open, " +
                          std::to_string(most) +
                          " may be; this one is among those that are longest unused for what they "
                          "are.";
  for (std::size_t i = 0; i < too_many; ++i)
    steps.push_back({ForgettingStep::kFade, open_[i].card, open_[i].drawer, {}, why, {}});
  open_.erase(open_.begin(), open_.begin() + static_cast<std::ptrdiff_t>(too_many));
  return steps;
}

}  // namespace kartei::daemon
