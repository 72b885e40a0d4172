// What people tell each other besides: what they did, without saying when.
#include <algorithm>

#include "daemon/manager/reader.h"

namespace kartei::daemon {
namespace {

using store::Colour;

// "got accepted for", "got noticed by": somebody else did it.
bool got_done(const Words& words, const Range& rest) {
  return rest.end - rest.begin > 2 && words[rest.begin].low.ends_with("ed") &&
         one_of(words[rest.begin + 1].low, {"for", "to", "by", "into", "as", "at", "from"});
}

// The verb as the tables have it; of one that the lexicon does not know the word itself.
std::string_view deed_word(const Parse& parse) {
  if (parse.lemma != "act") return parse.lemma;
  return std::string_view(parse.verb_text).substr(parse.verb_text.rfind(' ') + 1);
}

// "met this amazing baker": a first word on them. "found these old maps"
std::string without_pointing(std::string text, const std::string& verb) {
  const std::size_t at = text.find(verb + " th");
  if (at == std::string::npos) return text;
  const std::size_t word = at + verb.size() + 1;
  for (const std::string_view pointing : {"this ", "these "}) {
    if (text.compare(word, pointing.size(), pointing) != 0) continue;
    const bool vowel =
        std::string_view("aeiou").find(text[word + pointing.size()]) != std::string_view::npos;
    const bool one = pointing == "this ";
    text.replace(word, pointing.size(), !one ? "" : vowel ? "an " : "a ");
  }
  return text;
}

// "went to", "went camping", "went on"
bool goes_somewhere(const Words& words, const Range& rest) {
  const std::string& first = words[rest.begin].low;
  if (first.ends_with("ing")) return true;
  if (one_of(first, {"home", "out", "bed", "well"})) return false;
  const bool whither = one_of(first, {"to", "on", "for", "back", "through"});
  return whither && rest.begin + 1 < rest.end &&
         !one_of(words[rest.begin + 1].low, {"bed", "sleep", "work", "home", "it", "and", "plan"});
}

}  // namespace

// An article, a number or a name begins what something is done to.
bool Reader::begins_thing_at(std::size_t i) const {
  const Word& word = page_.words[i];
  return in(Set::kDeterminer, word.low) || word.kind == WordKind::kNumber || word.capital ||
         word.quoted || word.low == "new";
}

bool Reader::state_told(const Statement& s) {
  if (s.rest.empty() || s.parse.negated || s.parse.never || s.parse.ended) return false;
  // "everyone's taste": no verb, and not read as what it is.
  if (rest_has(s, "everyone")) return false;
  // "in the next few months": a time that no phrase has dated.
  if (rest_has(s, "next") && rest_has(s, "few")) return false;
  return told_done(s) || told_hope(s) || told_attitude(s) || told_doing(s) || told_intent(s);
}

// "we visited the old mill", "my son won a medal at school"
bool Reader::told_done(const Statement& s) {
  const Tense tense = s.parse.tense;
  if ((tense != Tense::kPast && tense != Tense::kPerfect) || !s.parse.modal.empty()) return false;
  if (!about_somebody(s) || !tells_deed(s)) return false;
  auto text = compose(s, s.parse.verb_text, false);
  if (!text) return false;
  text = without_pointing(std::move(*text), s.parse.verb_text);
  const Frame frame = frame_of(deed_word(s.parse), rest_low(s, 0));
  Draft card =
      draft(*text, s.subject_key, std::string(frame.relation), object_of(s), Colour::kEvent, frame);
  if (frame.relation == "lives_in") card.card.relation = "moved";
  if (frame.relation == "works") card.card.relation = "worked";
  if (long_gone(s) || tense == Tense::kPerfect) {
    card.card.colour = Colour::kFact;
    card.card.relation = "past_" + card.card.relation;
    date(card, s);
  } else {
    finish_event(card, s);
  }
  write(std::move(card));
  return true;
}

// "when I was younger": told today, but no event of today.
bool Reader::long_gone(const Statement& s) const {
  return std::any_of(page_.words.begin() + static_cast<std::ptrdiff_t>(s.parse.rest.begin),
                     page_.words.begin() + static_cast<std::ptrdiff_t>(s.parse.rest.end),
                     [](const Word& word) {
                       return one_of(word.low, {"younger", "kid", "child", "childhood", "teenager",
                                                "teen", "growing", "little", "college", "once"});
                     });
}

// A verb that is worth telling, done to something that has a name.
bool Reader::tells_deed(const Statement& s) const {
  const std::string_view lemma = deed_word(s.parse);
  const Words& words = page_.words;
  const std::string_view first = rest_low(s, 0);
  if (!in(Set::kToldVerb, lemma) && !one_of(lemma, {"love", "enjoy", "adore"}) &&
      !(s.parse.perfect && s.parse.verb_text.find(" been ") != std::string::npos &&
        s.parse.verb != Verb::kTrivial && lemma != "be"))
    return false;
  if (s.parse.passive) return s.rest.end - s.rest.begin > 1 && in(Set::kPreposition, first);
  const bool points = one_of(first, {"this", "these"}) && names_something(s, 1) &&
                      !in(Set::kPreposition, rest_low(s, 1));
  if (in(Set::kVagueObject, first) && !points) return false;
  if (points) return !one_of(lemma, {"get", "go", "decide"}) || lemma == "get";
  if (lemma == "have" && first == "the" &&
      one_of(rest_low(s, 1), {"chance", "opportunity", "honor", "honour", "pleasure"}))
    return rest_low(s, 2) == "to" && names_something(s, 3);
  if (lemma == "go") return goes_somewhere(words, s.rest) && names_something(s, 1);
  if (lemma == "get") {
    if (got_done(words, s.rest)) return true;
    if (first == "to") return in(Set::kToldVerb, rest_low(s, 1)) && names_something(s, 2);
    if (one_of(first, {"back", "into", "involved"})) return names_something(s, 2);
    return begins_thing_at(s.rest.begin) && names_something(s, 0);
  }
  if (lemma == "decide") return first == "to" && names_something(s, 2);
  if (lemma == "try" && first == "to") return false;
  if (one_of(lemma, {"make", "have", "take", "give", "become"}) && !begins_thing_at(s.rest.begin) &&
      (in(Set::kPreposition, first) || lemma == "become")) {
    return false;
  }
  if (one_of(lemma, {"make", "give", "take", "help"}) &&
      one_of(first, {"me", "him", "her", "them"}))
    return false;
  if (lemma == "have" && one_of(first, {"to", "such", "so"})) return false;
  if (one_of(lemma, {"turn", "run", "work", "come"}) && one_of(first, {"out", "into"}))
    return false;
  return names_something(s, 0);
}

// Among the words of the rest from `from` on: a noun that tells something by itself.
bool Reader::names_something(const Statement& s, std::size_t from) const {
  constexpr std::size_t kReach = 8;
  std::size_t seen = 0;
  for (std::size_t i = s.rest.begin + from; i < s.rest.end && seen < kReach; ++i, ++seen) {
    const Word& word = page_.words[i];
    if (word.phrase >= 0) continue;
    if (word.quoted || word.text == "\"") return true;
    if (word.kind != WordKind::kWord) {
      if (word.kind == WordKind::kNumber) continue;
      return false;
    }
    if (in(Set::kHollowNoun, word.low)) return false;
    const bool small = in(Set::kDeterminer, word.low) || in(Set::kPreposition, word.low) ||
                       in(Set::kAdverb, word.low) || in(Set::kVagueObject, word.low) ||
                       in(Set::kAux, word.low) || word.low.size() < 3;
    if (small) continue;
    // A describing word alone is no name: what follows must not be hollow either.
    const std::string_view next = low_at(page_.words, i + 1, s.rest.end);
    return !in(Set::kHollowNoun, next);
  }
  return false;
}

}  // namespace kartei::daemon
