// What the stages of the reader share: the words of a statement, its dates, the cards it may touch.
#include <algorithm>

#include "daemon/manager/reader.h"

namespace kartei::daemon {
namespace {

// Takes what follows the first comma where it is a loose tail: "with milk", "living on a boat".
std::string cut_tail(std::string& text) {
  const std::size_t comma = text.find(", ");
  if (comma == std::string::npos) return {};
  const std::string next = text.substr(comma + 2, text.find(' ', comma + 2) - comma - 2);
  const bool loose =
      next.ends_with("ing") || in(Set::kPreposition, next) || (next[0] >= '0' && next[0] <= '9');
  if (!loose) return {};
  const std::string tail = text.substr(comma);
  text.resize(comma);
  return tail;
}

}  // namespace

// One of those who speak here: nobody calls him "he" to his face.
bool Reader::spoken_to(std::size_t who) const {
  const std::string low = lower(people_.at(who).name);
  return std::find(voice_.others.begin(), voice_.others.end(), low.substr(0, low.find(' '))) !=
         voice_.others.end();
}

bool Reader::named_in(const Range& range) const {
  return range.begin < range.end &&
         !one_of(page_.words[range.begin].low, {"he", "she", "him", "her", "his", "hers"});
}

// Words that look like a statement and are none: "gave me a hand" without its subject, "support I
// got was great", "do - as ever".
bool Reader::is_misread(const Statement& s) const {
  const Words& words = page_.words;
  if (s.rest.empty()) return false;
  const Word& first = words[s.rest.begin];
  if (s.parse.tense == Tense::kPast && one_of(first.low, {"and", "or"})) return true;
  if (first.kind == WordKind::kPunct && !first.quoted && !one_of(first.text, {"\"", "'", "#"}))
    return true;
  if (s.about_owner && (first.low == "me" || (first.low == "each" && rest_low(s, 1) == "other")))
    return true;
  for (std::size_t i = s.rest.begin; i < s.rest.end; ++i) {
    const std::string& low = words[i].low;
    if (!one_of(low, {"him", "her", "his", "hers"})) continue;
    const auto who = people_.by_pronoun(low);
    if (!who || spoken_to(*who)) return true;
  }
  if (!s.parse.subject.elided || s.parse.tense != Tense::kPresent) return false;
  // A base form that is a noun has the finite verb behind it.
  for (std::size_t i = s.rest.begin; i < s.rest.end; ++i) {
    const bool relative = i > s.rest.begin && one_of(words[i - 1].low, {"that", "who", "which"});
    const auto form = lexicon_.verb(words[i].low);
    const bool past = form && form->form == Form::kPast;
    if (comma(words[i]) || relative) return false;
    if (past || one_of(words[i].low, {"is", "are", "was", "were", "has"})) return true;
  }
  return false;
}

std::string_view Reader::rest_low(const Statement& s, std::size_t k) const {
  const std::size_t at = s.rest.begin + k;
  return at < s.rest.end ? std::string_view(page_.words[at].low) : std::string_view{};
}

bool Reader::rest_has(const Statement& s, std::string_view low) const {
  for (std::size_t i = s.parse.rest.begin; i < s.parse.rest.end; ++i) {
    if (page_.words[i].low == low) return true;
  }
  return false;
}

// The rest without its times, as it was said.
std::string Reader::rest_text(const Statement& s) const {
  std::string out;
  for (std::size_t i = s.rest.begin; i < s.rest.end; ++i) {
    const Word& word = page_.words[i];
    if (word.phrase >= 0 || word.kind == WordKind::kEmoji) continue;
    if (word.kind == WordKind::kPunct && word.text != ",") continue;
    if (!out.empty() && word.text != ",") out += ' ';
    out += word.text;
    if (word.possessive) out += "'s";
  }
  while (out.ends_with(',')) out.pop_back();
  return out;
}

Turned Reader::reworded(const Range& range, bool about_owner, int without) const {
  return turned(page_.words, range, page_.turn->text, *page_.when, people_, about_owner, without);
}

// What the relation points to: the rest without prepositions and articles at its beginning.
std::string Reader::object_of(const Statement& s) const {
  std::string out;
  bool begun = false;
  for (std::size_t i = s.rest.begin; i < s.rest.end; ++i) {
    const Word& word = page_.words[i];
    if (word.phrase >= 0 || word.kind == WordKind::kPunct) continue;
    const bool leading = in(Set::kPreposition, word.low) || in(Set::kDeterminer, word.low) ||
                         in(Set::kAdverb, word.low);
    if (!begun && leading && word.kind == WordKind::kWord) continue;
    if (word.low == "now" || word.low == "already" || word.low == "too") continue;
    begun = true;
    if (!out.empty()) out += ' ';
    out += word.low;
  }
  for (std::size_t i = s.parse.lead.begin; i < s.parse.lead.end; ++i) {
    const Word& word = page_.words[i];
    if (word.phrase < 0 && word.kind == WordKind::kWord) out += " " + word.low;
  }
  return out;
}

// The time that is told apart, "(since 2019)": one that says since when; -1: none does.
int Reader::time_apart(const Statement& s) const {
  const store::TimePhrase* phrase = time_of(s);
  if (!phrase) return -1;
  const bool from = lower(std::string_view(page_.turn->text).substr(phrase->begin, 4)) == "from";
  return (phrase->since && !from) || s.from_then ? *s.time : -1;
}

// "bought it": the thing spoken of; nothing where that is not known.
std::optional<std::string> Reader::with_topic(const std::string& said) const {
  if (!said.starts_with("it") || (said.size() > 2 && said[2] != ' ') || topic_.empty())
    return std::nullopt;
  const std::string mine = possessive(owner_name_) + " ";
  const std::string thing = topic_.starts_with(mine) ? "the " + topic_.substr(mine.size()) : topic_;
  const std::string out = thing + said.substr(2);
  if ((" " + out + " ").find(" it ") != std::string::npos) return std::nullopt;
  return out;
}

// The times of the clause that stand outside of what is written of it.
std::string Reader::outer_times(const Statement& s, int apart) const {
  const When& when = *page_.when;
  auto inside = when.inside(page_.words, s.rest);
  for (const int index : when.inside(page_.words, s.parse.lead)) inside.push_back(index);
  std::string out;
  for (const int index : s.phrases) {
    if (index == apart || std::find(inside.begin(), inside.end(), index) != inside.end()) continue;
    const store::TimePhrase& phrase = when.phrase(index);
    if (s.time && index != *s.time && !phrase.recurring && !phrase.duration) {
      // A week and the days in it: the narrower one says it.
      const store::TimePhrase& main = when.phrase(*s.time);
      const bool wider =
          phrase.from.known() && main.from.known() && phrase.from.begin() <= main.from.begin();
      if (wider) continue;
    }
    out += " " + when.wording(phrase, said_as(phrase));
  }
  return out;
}

std::string_view Reader::said_as(const store::TimePhrase& phrase) const {
  return std::string_view(page_.turn->text).substr(phrase.begin, phrase.end - phrase.begin);
}

std::optional<std::string> Reader::compose(const Statement& s, const std::string& verb,
                                           bool with_since) const {
  const int apart = with_since ? time_apart(s) : -1;
  const Turned rest = reworded(s.rest, s.about_owner, apart);
  const Turned lead = reworded(s.parse.lead, s.about_owner, apart);
  if (rest.foreign_you || lead.foreign_you || lead.unresolved) return std::nullopt;
  const auto said = rest.unresolved ? with_topic(rest.text) : std::optional(rest.text);
  if (!said) return std::nullopt;
  std::string text = s.subject + " " + verb;
  if (!said->empty()) text += " " + *said;
  // A time that stood before the subject goes behind the statement, before loose tails.
  const std::string tail = cut_tail(text);
  if (!lead.text.empty()) text += " " + lead.text;
  text += outer_times(s, apart) + tail;
  if (apart < 0) return text;
  const store::TimePhrase& phrase = page_.when->phrase(apart);
  const bool begins = s.from_then && !phrase.since;
  const std::string since =
      begins ? "since " + store::spoken(phrase.from) : page_.when->wording(phrase, said_as(phrase));
  return text + " (" + since + ")";
}

void Reader::date_from(Draft& draft, const store::TimePhrase& phrase) const {
  if (phrase.recurring && !phrase.since) {
    draft.card.valid_from = phrase.from;
    return;
  }
  draft.card.valid_from = phrase.from;
  draft.card.valid_to = phrase.to;
}

void Reader::date(Draft& draft, const Statement& s) const {
  if (!s.time) return;
  date_from(draft, page_.when->phrase(*s.time));
}

// "leaving on 2 May, home again on the 6th": the first later day ends it.
void Reader::date_return(Draft& draft, const Statement& s) const {
  store::Card& card = draft.card;
  for (const int p : s.phrases) {
    if (!card.valid_from.day || card.valid_to.known()) return;
    const store::TimePhrase& other = page_.when->phrase(p);
    if (p == *s.time || other.recurring || other.duration || !other.from.day) continue;
    if (other.from.begin() <= card.valid_from.begin()) continue;
    card.valid_to =
        store::Date::day_of(other.from.end() + std::chrono::hours{1}, other.from.zone_min);
  }
}

const store::TimePhrase* Reader::time_of(const Statement& s) const {
  return s.time ? &page_.when->phrase(*s.time) : nullptr;
}

// "every friday"
bool Reader::recurs(const Statement& s) const {
  return std::any_of(s.phrases.begin(), s.phrases.end(),
                     [&](int p) { return page_.when->phrase(p).recurring; });
}

// "for two years": the last such phrase of the statement.
const store::TimePhrase* Reader::length_of(const Statement& s) const {
  const store::TimePhrase* out = nullptr;
  for (const int p : s.phrases) {
    if (page_.when->phrase(p).duration) out = &page_.when->phrase(p);
  }
  return out;
}

// When something began that has lasted so long: about then, to the month.
store::Date Reader::begun_before(const store::TimePhrase& length) const {
  const auto lasted = length.to.begin() - length.from.begin();
  store::Date out =
      store::Date::day_of(page_.when->today().begin() - lasted + std::chrono::hours{12}, 0);
  out.day = 0;
  return out;
}

// When something ended: the day that was said, else the day it was said on.
store::Date Reader::end_date(const Statement& s) const {
  if (s.time) {
    const store::TimePhrase& phrase = page_.when->phrase(*s.time);
    if (phrase.from.known()) {
      store::Date day = phrase.from;
      day.minute = -1;
      return day;
    }
  }
  return page_.when->today();
}

// An event's dates; one without a date of its own happened by the day it was told.
void Reader::finish_event(Draft& card, const Statement& s) const {
  card.card.colour = store::Colour::kEvent;
  date(card, s);
  if (!card.card.valid_from.known() && !card.card.valid_to.known()) {
    card.card.valid_from = page_.when->today();
  }
}

std::optional<Found> Reader::matching_event(const std::vector<std::string>& words) {
  std::optional<Found> best;
  double best_share = 0.49;
  for (Found& found : notebook_.open(owner_key_, [](const store::Card& card) {
         return card.colour == store::Colour::kEvent;
       })) {
    const double share = overlap(words, content_words(found.card.text));
    // Of equals the newer one.
    if (share >= best_share && share > 0) {
      best_share = share;
      best = std::move(found);
    }
  }
  return best;
}

// Open facts of the subject that name most of the words.
std::vector<Found> Reader::owned_like(const std::string& subject,
                                      const std::vector<std::string>& words) {
  return notebook_.open(subject, [&](const store::Card& card) {
    if (card.colour != store::Colour::kFact || card.valid_to.known()) return false;
    return overlap(words, content_words(card.text)) >= 0.6;
  });
}

// Ends what tied that name to the owner.
void Reader::end_relation(const std::string& name, const store::Date& when,
                          std::optional<std::size_t> by, const std::string& why,
                          bool partners_only) {
  const std::string low = lower(name);
  const auto ties = notebook_.open(owner_key_, [&](const store::Card& card) {
    if (card.colour != store::Colour::kFact) return false;
    const Relative* relation = relative(card.relation);
    if (partners_only && !(relation && relation->kind == "partner") && card.relation != "marital") {
      return false;
    }
    if (!relation && !partners_only && card.relation != "pet" && card.relation != "has" &&
        card.relation != "owns") {
      return false;
    }
    if (low.empty()) return true;
    return overlap(content_words(low), content_words(card.text)) == 1.0;
  });
  for (const Found& tie : ties) {
    if (by && tie.draft == by) continue;
    notebook_.close(tie, when, by, why);
  }
}

}  // namespace kartei::daemon
