#include "daemon/manager/notebook.h"

#include <algorithm>
#include <array>

#include "daemon/manager/words.h"

namespace kartei::daemon {
namespace {

using store::Card;
using store::Date;

constexpr std::size_t kMostCards = 400;  // a unit's; a turn says a handful
constexpr std::size_t kMostSources = 3;

constexpr std::array<std::string_view, 62> kStop = {
    "a",   "again", "also", "am",    "an",   "and",   "are",  "as",  "at",   "be",   "been",
    "but", "by",    "did",  "do",    "does", "for",   "from", "had", "has",  "have", "her",
    "his", "in",    "is",   "it",    "its",  "like",  "may",  "me",  "more", "my",   "new",
    "no",  "not",   "now",  "of",    "old",  "on",    "or",   "our", "so",   "some", "that",
    "the", "their", "them", "there", "they", "thing", "this", "to",  "too",  "used", "us",
    "was", "we",    "were", "with",  "you",  "your",  "yours"};

std::string stemmed(std::string_view low) {
  std::string out(low);
  for (std::string_view end : {"ies", "ing", "ed", "es", "s"}) {
    if (out.size() > end.size() + 3 && out.ends_with(end) && !out.ends_with("ss")) {
      out.resize(out.size() - end.size());
      if (end == "ies") out += 'y';
      break;
    }
  }
  if (out.size() > 3 && out.back() == 'e') out.pop_back();
  return out;
}

bool same_period(const Card& a, const Card& b) {
  if (a.colour != store::Colour::kEvent || b.colour != store::Colour::kEvent) {
    return a.valid_to.known() == b.valid_to.known() || !a.valid_from.known() ||
           !b.valid_from.known();
  }
  return a.valid_from == b.valid_from;
}

// "not", "no longer": such a card and one without it never say the same. What is said behind a
// comma limits it only: "eats fish, not shellfish".
bool denies(std::string_view text) {
  for (const Word& word : lex_words(text)) {
    if (comma(word)) return false;
    for (const std::string_view denial : {"not", "no", "never", "longer", "cannot", "without"}) {
      if (word.low == denial) return true;
    }
  }
  return false;
}

// The same statement in other words: same relation and the same things named.
bool repeats(const Card& a, const Card& b) {
  if (a.colour != b.colour || !same_period(a, b)) return false;
  if (store::normalised_text(a.text) == store::normalised_text(b.text)) return true;
  if (a.subject != b.subject || denies(a.text) != denies(b.text)) return false;
  const auto words_a = content_words(a.text), words_b = content_words(b.text);
  if (words_a.empty() || words_b.empty()) return false;
  if (!a.relation.empty() && a.relation == b.relation && !a.object.empty() && !b.object.empty()) {
    const auto object_a = content_words(a.object), object_b = content_words(b.object);
    if (!object_a.empty() && !object_b.empty() && a.colour != store::Colour::kEvent &&
        (overlap(object_a, object_b) == 1.0 || overlap(object_b, object_a) == 1.0)) {
      return true;
    }
  }
  std::size_t shared = 0;
  for (const auto& word : words_a)
    shared += std::find(words_b.begin(), words_b.end(), word) != words_b.end();
  return 10 * shared >= 8 * (words_a.size() + words_b.size() - shared);
}

}  // namespace

std::vector<std::string> content_words(std::string_view text) {
  std::vector<std::string> out;
  for (const Word& word : lex_words(text)) {
    if (word.kind != WordKind::kWord && word.kind != WordKind::kNumber) continue;
    if (std::binary_search(kStop.begin(), kStop.end(), word.low)) continue;
    std::string stem = stemmed(word.low);
    if (std::find(out.begin(), out.end(), stem) == out.end()) out.push_back(std::move(stem));
  }
  return out;
}

double overlap(const std::vector<std::string>& part, const std::vector<std::string>& whole) {
  if (part.empty()) return 0;
  const auto shared = std::count_if(part.begin(), part.end(), [&](const std::string& word) {
    return std::find(whole.begin(), whole.end(), word) != whole.end();
  });
  return static_cast<double>(shared) / static_cast<double>(part.size());
}

const std::vector<Card>& Notebook::known(const std::string& subject) {
  const auto at = known_.find(subject);
  if (at != known_.end()) return at->second;
  auto cards = lookup_.open_cards(subject);
  std::vector<Card> mine;
  if (cards.has_error()) {
    if (!failed_) failed_ = cards.error();
  } else {
    for (Card& card : *cards) {
      if (card.state == store::CardState::kOpen) mine.push_back(std::move(card));
    }
  }
  return known_.emplace(subject, std::move(mine)).first->second;
}

bool Notebook::ended(const Card& card) const {
  return std::any_of(endings_.begin(), endings_.end(), [&](const Ending& ending) {
    return !ending.found.draft && ending.found.card.id == card.id;
  });
}

std::vector<Found> Notebook::open(const std::string& subject,
                                  const std::function<bool(const Card&)>& fits) {
  auto found = open_anywhere(subject, fits);
  std::erase_if(found,
                [&](const Found& one) { return !one.draft && !task_.sees(one.card.drawer); });
  return found;
}

std::vector<Found> Notebook::open_anywhere(const std::string& subject,
                                           const std::function<bool(const Card&)>& fits) {
  std::vector<Found> out;
  for (const Card& card : known(subject)) {
    if (!ended(card) && fits(card)) out.push_back({std::nullopt, card});
  }
  for (std::size_t i = 0; i < drafts_.size(); ++i) {
    const bool over = std::any_of(endings_.begin(), endings_.end(),
                                  [i](const Ending& ending) { return ending.found.draft == i; });
    if (drafts_[i].dropped || over || drafts_[i].card.subject != subject) continue;
    if (fits(drafts_[i].card)) out.push_back({i, drafts_[i].card});
  }
  return out;
}

void Notebook::confirm(const Found& found, const store::TurnId& by) {
  if (found.draft) {
    auto& sources = drafts_[*found.draft].card.sources;
    if (std::find(sources.begin(), sources.end(), by) == sources.end() &&
        sources.size() < kMostSources) {
      sources.push_back(by);
    }
    return;
  }
  const auto pair = std::pair{found.card.id, by};
  if (std::find(confirmed_.begin(), confirmed_.end(), pair) == confirmed_.end()) {
    confirmed_.push_back(pair);
  }
}

std::optional<std::size_t> Notebook::add(Draft draft) {
  if (drafts_.size() >= kMostCards) return std::nullopt;
  const Card card = draft.card;
  for (const Found& found :
       open(card.subject, [&](const Card& old) { return repeats(old, card); })) {
    if (!card.sources.empty()) confirm(found, card.sources.front());
    return std::nullopt;
  }
  const std::size_t index = drafts_.size();
  const bool present = !card.valid_to.known();
  const bool single = draft.single;
  drafts_.push_back(std::move(draft));
  if (present) close_denials(index);
  if (!single || !present || card.relation.empty()) return index;
  const auto older = open_anywhere(card.subject, [&](const Card& old) {
    return old.relation == card.relation && !old.valid_to.known() && old.colour == card.colour;
  });
  for (const Found& found : older) {
    if (found.draft == index) continue;
    close(found, begun(drafts_[index]), index, "replaced by a newer statement");
  }
  // What was closed in this unit as ended finds its successor.
  for (Ending& ending : endings_) {
    const bool waits = ending.by && drafts_[*ending.by].ending;
    if (waits && ending.found.card.relation == card.relation &&
        ending.found.card.subject == card.subject) {
      ending.by = index;
    }
  }
  return index;
}

// When it became true, else when it was said.
Date Notebook::begun(const Draft& draft) const {
  if (draft.card.valid_from.known()) return draft.card.valid_from;
  const store::Turn& turn = task_.turns[draft.turn];
  return Date::day_of(turn.said_at.at, turn.said_at.zone_min);
}

// "I do eat fish" after "I no longer eat fish".
void Notebook::close_denials(std::size_t index) {
  constexpr std::string_view kDenied = "no ";
  const Card card = drafts_[index].card;
  if (card.colour != store::Colour::kFact || card.relation.empty() || denies(card.text)) return;
  const auto so_now = content_words(card.object.substr(0, card.object.find(',')));
  for (const Found& found : open(card.subject, [&](const Card& old) {
         return old.relation == card.relation && old.colour == card.colour &&
                old.object.starts_with(kDenied) &&
                overlap(content_words(old.object.substr(kDenied.size())), so_now) == 1.0;
       }))
    close(found, begun(drafts_[index]), index, "so again");
}

void Notebook::close(const Found& found, const Date& when, std::optional<std::size_t> by,
                     std::string why) {
  if (hears_only_) return;
  endings_.push_back({found, when, by, std::move(why)});
}

std::optional<std::size_t> Notebook::last() const {
  for (std::size_t i = drafts_.size(); i-- > 0;) {
    if (!drafts_[i].dropped) return i;
  }
  return std::nullopt;
}

Result<store::UnitFiled> Notebook::finish(ByteView box_secret32) {
  if (failed_) return *failed_;
  store::UnitFiled unit;
  unit.drawer = task_.drawer;
  for (const store::Turn& turn : task_.turns) unit.sources.push_back(turn.id);
  std::vector<store::CardId> ids(drafts_.size());
  for (std::size_t i = 0; i < drafts_.size(); ++i) {
    if (drafts_[i].dropped) continue;
    Card& card = drafts_[i].card;
    card.id = ids[i] = store::derive_card_id(box_secret32, card);
    const bool twice = std::any_of(unit.cards.begin(), unit.cards.end(),
                                   [&](const Card& other) { return other.id == card.id; });
    if (!twice) unit.cards.push_back(card);
  }
  for (const Ending& ending : endings_) {
    if (ending.found.draft && drafts_[*ending.found.draft].dropped) continue;
    store::CardClose close;
    const Card& card = ending.found.draft ? drafts_[*ending.found.draft].card : ending.found.card;
    close.card = card.id;
    close.sources = card.sources;
    close.key = store::card_key(card);
    close.valid_to = ending.when;
    if (ending.by && !drafts_[*ending.by].dropped) close.replaced_by = ids[*ending.by];
    close.why = ending.why;
    unit.closes.push_back(std::move(close));
  }
  for (const auto& [card, turn] : confirmed_) {
    unit.confirmed.push_back(card);
    unit.confirmed_by.push_back(turn);
  }
  unit.unit = store::derive_unit_id(unit);
  return unit;
}

}  // namespace kartei::daemon
