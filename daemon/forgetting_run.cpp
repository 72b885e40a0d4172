#include "daemon/forgetting_run.h"

#include <algorithm>

namespace kartei::daemon {
namespace {

using store::EditKind;
using store::Forgotten;

constexpr std::size_t kHalfYearMost = 20'000;  // events looked at together

EditKind edit_kind(ForgettingStep::What what) {
  switch (what) {
    case ForgettingStep::kFade:
      return EditKind::kFade;
    case ForgettingStep::kArchive:
      return EditKind::kArchive;
    case ForgettingStep::kCondense:
      return EditKind::kCondense;
    case ForgettingStep::kTrash:
      return EditKind::kTrash;
    case ForgettingStep::kErase:
      break;
  }
  return EditKind::kEraseCard;
}

store::CardEdited edit_of(const ForgettingStep& step, store::RunId run) {
  store::CardEdited edit;
  edit.kind = edit_kind(step.what);
  edit.drawer = step.drawer;
  edit.target = step.card;
  edit.run = run;
  edit.note = step.why;
  edit.stands_in = step.stands_in;
  return edit;
}

store::CardEdited taking_back(const Forgotten& row) {
  store::CardEdited edit;
  edit.kind = EditKind::kTakeBack;
  edit.drawer = row.drawer;
  edit.target = row.card;
  edit.run = row.run;
  return edit;
}

// In edits of a bounded size. How many were taken back.
Result<std::size_t> take_back_all(sync::Engine& engine, const std::vector<Forgotten>& rows,
                                  sync::Now now) {
  std::vector<store::CardEdited> edits;
  for (const Forgotten& row : rows) {
    // Erased since, or taken back: there is nothing left to do.
    if (row.step != Forgotten::kTakenBack && !row.text.empty()) edits.push_back(taking_back(row));
  }
  if (edits.empty()) return std::size_t{0};
  const std::size_t count = edits.size();
  KARTEI_TRY(engine.edit_all(std::move(edits), now));
  return count;
}

}  // namespace

ForgettingRun::ForgettingRun(ForgettingPolicy policy, store::RunId run, bool dry,
                             ForgettingPage page, sync::Now now)
    : policy_(policy), run_(run), dry_(dry), page_(page), now_(now), pass_(policy, now.wall) {
  for (const auto what :
       {ForgettingStep::kFade, ForgettingStep::kArchive, ForgettingStep::kCondense,
        ForgettingStep::kTrash, ForgettingStep::kErase})
    counts_[what] = 0;
}

Result<bool> ForgettingRun::step(const Around& around) {
  if (!policy_.on) phase_ = Phase::kDone;
  switch (phase_) {
    case Phase::kCards:
      KARTEI_TRY(look_at_cards(around));
      break;
    case Phase::kTooMany:
      KARTEI_TRY(fade_too_many(around));
      break;
    case Phase::kCondensing:
      KARTEI_TRY(condense_half_year(around));
      break;
    case Phase::kDone:
      break;
  }
  return phase_ == Phase::kDone;
}

Status ForgettingRun::look_at_cards(const Around& around) {
  KARTEI_ASSIGN(auto cards, store::read_forgettable(around.box, rid_, kCardsAtOnce));
  if (cards.size() < kCardsAtOnce) phase_ = Phase::kTooMany;
  if (cards.empty()) return {};
  rid_ = cards.back().rid;
  std::erase_if(
      cards, [&](const store::Forgettable& card) { return !around.in_charge(card.card.drawer); });
  return take(around, pass_.look(cards));
}

Status ForgettingRun::fade_too_many(const Around& around) {
  if (!too_many_known_) too_many_ = pass_.finish();
  too_many_known_ = true;
  const std::size_t count = std::min(too_many_.size(), kCardsAtOnce);
  const auto end = too_many_.begin() + static_cast<std::ptrdiff_t>(count);
  std::vector<ForgettingStep> steps(too_many_.begin(), end);
  for (ForgettingStep& step : steps) {
    KARTEI_ASSIGN(const auto card, around.box.card(step.card));
    if (card) step.text = card->text;
  }
  KARTEI_TRY(take(around, std::move(steps)));
  too_many_.erase(too_many_.begin(), end);
  if (too_many_.empty()) phase_ = Phase::kCondensing;
  return {};
}

// The next half of a year that has events which were put away.
Status ForgettingRun::condense_half_year(const Around& around) {
  std::optional<store::Time> first;
  if (policy_.condense) {
    KARTEI_ASSIGN(first, store::first_put_away_event(around.box, half_year_));
  }
  if (!first || *first >= now_.wall) {
    phase_ = Phase::kDone;
    return {};
  }
  const auto [from, to] = half_year_of(*first);
  half_year_ = to;
  KARTEI_ASSIGN(auto events, store::read_put_away_events(around.box, from, to, kHalfYearMost));
  std::erase_if(events, [&](const store::Forgettable& event) {
    return !around.in_charge(event.card.drawer);
  });
  for (const Condensation& one : condense(events, policy_, now_.wall))
    KARTEI_TRY(condense_one(around, one));
  return {};
}

// The card and what it stands for in one commit.
Status ForgettingRun::condense_one(const Around& around, const Condensation& condensation) {
  store::Card card = condensation.card;
  card.id = store::derive_card_id(around.engine.derived_key("cards"), card);
  card.recorded_at = now_.wall;
  KARTEI_ASSIGN(const auto there, around.box.card(card.id));
  KARTEI_ASSIGN(const bool erased, around.box.card_erased(card.id));
  if (there || erased) return {};
  std::vector<store::CardEdited> edits(1);
  edits.front().kind = EditKind::kAdd;
  edits.front().drawer = card.drawer;
  edits.front().run = run_;
  edits.front().card = card;
  edits.front().note = condensation.why;
  for (const store::CardId source : condensation.sources) {
    const ForgettingStep step{ForgettingStep::kCondense, source, card.drawer, card.text,
                              condensation.why,          card.id};
    edits.push_back(edit_of(step, run_));
    show(step);
  }
  ++made_;
  if (dry_) return {};
  KARTEI_TRY(around.engine.edit_all(std::move(edits), now_));
  return {};
}

void ForgettingRun::show(const ForgettingStep& step) {
  ++counts_[step.what];
  if (steps_ >= page_.from && shown_.size() < page_.limit) shown_.push_back(step);
  ++steps_;
}

Status ForgettingRun::take(const Around& around, std::vector<ForgettingStep> steps) {
  std::vector<store::CardEdited> edits;
  bool erases = false;
  for (const ForgettingStep& step : steps) {
    show(step);
    edits.push_back(edit_of(step, run_));
    erases = erases || step.what == ForgettingStep::kErase;
  }
  if (dry_ || edits.empty()) return {};
  if (erases) KARTEI_TRY(around.about_to_erase());
  KARTEI_TRY(around.engine.edit_all(std::move(edits), now_));
  return {};
}

Result<std::size_t> take_back_run(store::Box& box, sync::Engine& engine, store::RunId run,
                                  sync::Now now) {
  std::size_t count = 0;
  for (store::CardId after;;) {
    KARTEI_ASSIGN(const auto rows,
                  store::read_forgotten(box, run, after, ForgettingRun::kCardsAtOnce));
    if (rows.empty() && after.is_zero())
      return not_found("There is no run of forgetting with this id.");
    if (rows.empty()) return count;
    after = rows.back().card;
    KARTEI_ASSIGN(const std::size_t some, take_back_all(engine, rows, now));
    count += some;
  }
}

// Of a card that stands for others, with them.
Result<std::size_t> take_back_card(store::Box& box, sync::Engine& engine, store::CardId card,
                                   sync::Now now) {
  KARTEI_ASSIGN(auto rows, store::read_steps_of(box, card));
  if (rows.empty())
    return Error{Cause::kConflict, "Nothing was done to this card that could be taken back.", {}};
  rows.resize(1);
  if (rows[0].step == Forgotten::kByUser)
    return Error{
        Cause::kConflict, "This card was put away by hand, not by forgetting. Reactivate it.", {}};
  if (rows[0].step == Forgotten::kMade) {
    const store::RunId run = rows[0].run;
    for (store::CardId after;;) {
      KARTEI_ASSIGN(auto more, store::read_forgotten(box, run, after, ForgettingRun::kCardsAtOnce));
      if (more.empty()) break;
      after = more.back().card;
      std::erase_if(more, [&](const Forgotten& row) { return row.stands_in != card; });
      rows.insert(rows.end(), more.begin(), more.end());
    }
  }
  return take_back_all(engine, rows, now);
}

}  // namespace kartei::daemon
