#include "daemon/manager/model/merge.h"

#include <algorithm>

#include "daemon/manager/lexicon.h"
#include "daemon/manager/notebook.h"
#include "daemon/manager/voices.h"
#include "daemon/manager/wording.h"
#include "daemon/manager/words.h"
#include "store/secrets/secrets.h"

namespace kartei::daemon {
namespace {

constexpr std::size_t kCardsOfOneTurn = 4;
constexpr std::size_t kReplacedMost = 3;  // of one unit
constexpr std::size_t kTagsLeast = 3, kTagsMost = 6;

using Stems = std::vector<std::string>;

// What a card says beside whose it is.
Stems own_words(std::string_view text, const Stems& names) {
  Stems words = content_words(text);
  std::erase_if(words, [&](const std::string& word) {
    return std::find(names.begin(), names.end(), word) != names.end();
  });
  return words;
}

// The first moment after the last day, month or year.
store::Date day_after(const store::Date& last) {
  if (!last.known()) return last;
  store::Date next = store::Date::day_of(last.end(), 0);
  if (last.day == 0) next.day = 0;
  if (last.month == 0) next.month = 0;
  return next;
}

class Merging {
 public:
  Merging(store::UnitFiled& unit, const SecretaryTask& task, const Sheet& sheet,
          const std::vector<store::Card>& known, const std::string& model)
      : unit_(unit), task_(task), sheet_(sheet), known_(known), model_(model) {
    for (const Voice& voice : voices_of(task))
      for (std::string& word : content_words(voice.name)) names_.push_back(std::move(word));
  }

  void add(const Proposal& proposal);
  Merged finish() {
    unit_.unit = store::derive_unit_id(unit_);
    return std::move(done_);
  }

 private:
  bool says_the_same(const store::Card& a, const store::Card& b) const;
  bool is_known(const store::Card& card);
  store::Card make_card(const Proposal& proposal, const Ground& ground) const;
  void replace(const Proposal& proposal, const store::Card& card);
  void confirm(const store::Card& old, const store::TurnId& by);
  bool is_closed(const store::CardId& id) const;
  std::string subject_of(std::string_view text, const std::string& speaker) const;
  Stems tags_of(const Proposal& proposal, std::string_view text) const;

  store::UnitFiled& unit_;
  const SecretaryTask& task_;
  const Sheet& sheet_;
  const std::vector<store::Card>& known_;
  const std::string& model_;
  Stems names_;
  std::map<std::size_t, std::size_t> of_turn_;  // cards by the place of their first source
  Merged done_;
};

// Nearly all that one says stands in the other.
bool Merging::says_the_same(const store::Card& a, const store::Card& b) const {
  if (store::normalised_text(a.text) == store::normalised_text(b.text)) return true;
  if (says_no(a.text) != says_no(b.text)) return false;
  const Stems words_a = own_words(a.text, names_), words_b = own_words(b.text, names_);
  if (words_a.empty() || words_b.empty()) return false;
  return overlap(words_a, words_b) >= 0.75;
}

bool Merging::is_closed(const store::CardId& id) const {
  return std::any_of(unit_.closes.begin(), unit_.closes.end(),
                     [&](const store::CardClose& close) { return close.card == id; });
}

void Merging::confirm(const store::Card& old, const store::TurnId& by) {
  for (std::size_t i = 0; i < unit_.confirmed.size(); ++i)
    if (unit_.confirmed[i] == old.id && unit_.confirmed_by[i] == by) return;
  unit_.confirmed.push_back(old.id);
  unit_.confirmed_by.push_back(by);
  ++done_.confirmed;
}

// Written in this unit already, or an open card says so: that one is confirmed.
bool Merging::is_known(const store::Card& card) {
  for (const store::Card& other : unit_.cards)
    if (says_the_same(card, other)) return true;
  for (const store::Card& old : known_) {
    if (is_closed(old.id) || !says_the_same(card, old)) continue;
    confirm(old, card.sources.front());
    return true;
  }
  return false;
}

// Whoever it begins with; "Maya's brother Sam" is about Sam.
std::string Merging::subject_of(std::string_view text, const std::string& speaker) const {
  const Words words = lex_words(text);
  const auto is_of_speaker = [&](const Word& word) {
    const Words names = lex_words(speaker);
    return std::any_of(names.begin(), names.end(),
                       [&](const Word& name) { return name.low == word.low; });
  };
  std::size_t i = 0;
  while (i < words.size() && is_of_speaker(words[i]) && !words[i].possessive) ++i;
  if (i > 0 && (i >= words.size() || !is_of_speaker(words[i])))
    return store::normalised_text(speaker);
  for (; i < words.size(); ++i) {
    const bool opens =
        i == 0 && (in(Set::kDeterminer, words[i].low) || in(Set::kPreposition, words[i].low));
    if (words[i].capital && !opens && !is_of_speaker(words[i])) return words[i].low;
  }
  return store::normalised_text(speaker);
}

Stems Merging::tags_of(const Proposal& proposal, std::string_view text) const {
  Stems tags;
  const auto add = [&](std::string tag) {
    if (tags.size() < kTagsMost && tag.size() > 2 &&
        std::find(tags.begin(), tags.end(), tag) == tags.end())
      tags.push_back(std::move(tag));
  };
  for (const std::string& tag : proposal.tags)
    if (secrets::find(tag).empty()) add(lower(tag));
  for (const Word& word : lex_words(text)) {
    if (tags.size() >= kTagsLeast) break;
    if (word.kind == WordKind::kWord && !content_words(word.text).empty()) add(word.low);
  }
  return tags;
}

store::Card Merging::make_card(const Proposal& proposal, const Ground& ground) const {
  const store::Turn& turn = task_.turns[proposal.sources.front()];
  store::Card card;
  card.text = card.micro_context = sentence_of(proposal.text);
  card.colour = proposal.colour;
  card.drawer = task_.drawer;
  card.subject = subject_of(card.text, ground.speaker());
  card.recorded_at = task_.now;
  card.valid_from = proposal.from;
  if (proposal.to != proposal.from) card.valid_to = day_after(proposal.to);
  card.tags = tags_of(proposal, card.text);
  card.conversation = turn.conversation;
  for (const std::size_t place : proposal.sources) card.sources.push_back(task_.turns[place].id);
  card.trust = turn.trust;
  card.said_by = turn.speaker;
  card.app = turn.app;
  card.device = turn.device;
  card.annotations = {"Written by the model " + model_ + "."};
  return card;
}

// A card that its owner wrote or marked, and a rule, stay; so does one of which the new card says
// nothing.
void Merging::replace(const Proposal& proposal, const store::Card& card) {
  const store::CardId id = sheet_.cards[*proposal.replaces].id;
  const auto old = std::find_if(known_.begin(), known_.end(),
                                [&](const store::Card& one) { return one.id == id; });
  if (old == known_.end() || is_closed(id) || done_.replaced >= kReplacedMost) return;
  if (old->user_made || old->flags != 0 || old->colour != store::Colour::kFact) return;
  if (card.colour != old->colour || card.subject != store::normalised_text(old->subject)) return;
  if (card.valid_to.known() || says_the_same(card, *old)) return;
  if (overlap(own_words(old->text, names_), own_words(card.text, names_)) == 0) return;
  store::CardClose close;
  close.card = id;
  close.sources = old->sources;
  close.key = store::card_key(*old);
  const store::Turn& turn = task_.turns[proposal.sources.front()];
  close.valid_to = card.valid_from.known()
                       ? card.valid_from
                       : store::Date::day_of(turn.said_at.at, turn.said_at.zone_min);
  close.replaced_by = card.id;
  close.why = "replaced by a newer statement, says the model " + model_;
  unit_.closes.push_back(std::move(close));
  ++done_.replaced;
}

void Merging::add(const Proposal& proposal) {
  const Ground ground(task_, proposal.sources, known_);
  store::Card card = make_card(proposal, ground);
  Unfit why = ground.judge(card.text, card.valid_from, card.valid_to);
  if (why == Unfit::kNone && card.colour == store::Colour::kEvent && !card.valid_from.known()) {
    card.valid_from = ground.date_of_event(card.text);
    if (!card.valid_from.known()) why = Unfit::kDates;
  }
  if (why != Unfit::kNone) {
    ++done_.unfit[why];
    return;
  }
  if (is_known(card)) {
    ++done_.known;
    return;
  }
  if (++of_turn_[proposal.sources.front()] > kCardsOfOneTurn) {
    ++done_.too_many;
    return;
  }
  card.id = store::derive_card_id(task_.box_secret32, card);
  if (proposal.replaces) replace(proposal, card);
  unit_.cards.push_back(std::move(card));
  ++done_.added;
}

}  // namespace

Merged add_proposals(store::UnitFiled& unit, const std::vector<Proposal>& proposals,
                     const SecretaryTask& task, const Sheet& sheet,
                     const std::vector<store::Card>& known, const std::string& model) {
  Merging merging(unit, task, sheet, known, model);
  for (const Proposal& proposal : proposals) merging.add(proposal);
  return merging.finish();
}

}  // namespace kartei::daemon
