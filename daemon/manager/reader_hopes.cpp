// What people tell each other of what moves them: what they hope for and plan, what they are busy
// with, and what a thing does to them.
#include <algorithm>

#include "daemon/manager/reader.h"

namespace kartei::daemon {
namespace {

using store::Colour;

bool has_word(const Words& words, const Range& range,
              std::initializer_list<std::string_view> list) {
  return std::any_of(words.begin() + static_cast<std::ptrdiff_t>(range.begin),
                     words.begin() + static_cast<std::ptrdiff_t>(range.end),
                     [&](const Word& word) { return one_of(word.low, list); });
}

bool has_word(const Words& words, const Range& range, Set set) {
  return std::any_of(words.begin() + static_cast<std::ptrdiff_t>(range.begin),
                     words.begin() + static_cast<std::ptrdiff_t>(range.end),
                     [&](const Word& word) { return in(set, word.low); });
}

// "to say", "to let": what follows is said to whoever listens.
bool speech_verb(std::string_view low) {
  return one_of(low, {"ask", "hear", "know", "let", "mention", "say", "see", "tell", "thank"});
}

Frame told_frame(std::string_view relation, std::string_view domain, std::string_view tags) {
  Frame frame;
  frame.lemma = frame.relation = relation;
  frame.domain = domain;
  frame.tags = tags;
  return frame;
}

// "is my way out", "is important to us": of a thing that matters to whoever speaks.
bool matters(const Words& words, const Range& rest) {
  for (std::size_t i = rest.begin; i + 1 < rest.end; ++i) {
    const std::string& low = words[i].low;
    const std::string& next = words[i + 1].low;
    if (one_of(low, {"my", "our"})) {
      return i < rest.begin + 7 &&
             !one_of(next, {"advice", "bad", "fault", "favourite", "guess", "mind", "opinion",
                            "place", "pleasure", "point", "question", "thing", "turn", "view"});
    }
    const bool dear = one_of(low, {"important", "special", "meaningful", "dear", "everything"}) ||
                      (low == "lot" || low == "world");
    if (dear && one_of(next, {"to", "for"}))
      return one_of(low_at(words, i + 2, rest.end), {"me", "us"});
  }
  return false;
}

}  // namespace

// Where what is hoped for begins in the rest: "to open a bakery", "of adopting a dog".
std::optional<std::size_t> Reader::hoped_for(const Statement& s) const {
  const std::string& lemma = s.parse.lemma;
  const std::string_view first = rest_low(s, 0), second = rest_low(s, 1);
  const bool doing =
      s.parse.tense == Tense::kProgressive || s.parse.verb_text.find(" been ") != std::string::npos;
  const auto form = lexicon_.verb(second);
  const bool to_verb = first == "to" && form && form->form == Form::kBase && !speech_verb(second);
  if (one_of(lemma, {"want", "hope", "plan", "aim", "intend", "aspire"}) && to_verb) return 2;
  if (lemma == "believe" && first == "in" && s.parse.tense == Tense::kPresent) return 1;
  if (!doing) return std::nullopt;
  if (lemma == "plan" && (first == "on" || in(Set::kDeterminer, first))) return 1;
  if (lemma == "think" && one_of(first, {"of", "about"}) && second.ends_with("ing")) return 2;
  if (lemma == "consider" && !in(Set::kVagueObject, first)) return first.ends_with("ing") ? 1 : 0;
  if (lemma == "try" && first == "out") return 1;
  if (lemma == "try" && first != "to" && !in(Set::kVagueObject, first)) return 0;
  if (lemma != "look") return std::nullopt;
  if (one_of(first, {"into", "for"})) return 1;
  if (first == "to" && to_verb) return 2;
  if (first == "forward" && second == "to") return 2;
  return std::nullopt;
}

// "I hope to open a bakery", "we're thinking of adopting a dog"
bool Reader::told_hope(const Statement& s) {
  const Tense tense = s.parse.tense;
  if (!about_somebody(s) || !s.parse.modal.empty() || s.parse.passive) return false;
  if (tense == Tense::kFuture || tense == Tense::kUsedTo) return false;
  const auto at = hoped_for(s);
  if (!at || !names_something(s, *at) || has_word(page_.words, s.rest, Set::kCourtesy))
    return false;
  const auto text = compose(s, s.parse.verb_text, false);
  if (!text) return false;
  const bool dated = tense != Tense::kPast && lies_ahead(s);
  const Frame frame = told_frame(s.parse.lemma, "life", "plan hope");
  Draft card = draft(*text, s.subject_key, dated ? "event" : third_person(s.parse.lemma),
                     object_of(s), dated ? Colour::kEvent : Colour::kFact, frame);
  if (dated) date(card, s);
  write(std::move(card));
  return true;
}

// "I'm passionate about old maps", "we are determined to keep the shop"; "excited about" passes.
bool Reader::told_attitude(const Statement& s) {
  const Words& words = page_.words;
  const bool is = s.parse.lemma == "be" || s.parse.passive;
  const bool present = s.parse.tense == Tense::kPresent || s.parse.tense == Tense::kPerfect;
  if (!is || !present || !about_somebody(s) || !s.parse.modal.empty()) return false;
  std::size_t at = s.rest.begin;
  if (s.parse.passive) {
    --at;
  } else {
    while (at < s.rest.end &&
           (in(Set::kAdverb, words[at].low) || one_of(words[at].low, {"so", "super"})))
      ++at;
  }
  if (at + 2 >= s.rest.end) return false;
  const bool lasts = in(Set::kAttitude, words[at].low), passes = in(Set::kMood, words[at].low);
  const std::string& link = words[at + 1].low;
  if ((!lasts && !passes) || !one_of(link, {"about", "to", "for", "of", "by", "on", "in", "with"}))
    return false;
  const Range object{at + 2, s.rest.end};
  if (passes && !one_of(link, {"about", "to"})) return false;
  if (link == "to" && speech_verb(words[at + 2].low)) return false;
  if (has_word(words, object, Set::kCourtesy)) return false;
  if (!names_something(s, object.begin - s.rest.begin)) return false;
  const auto text = compose(s, s.parse.verb_text, false);
  if (!text) return false;
  Draft card = draft(*text, s.subject_key, words[at].low, object_of(s), Colour::kFact,
                     told_frame(words[at].low, "life", "person attitude"));
  if (passes) finish_event(card, s);
  write(std::move(card));
  return true;
}

// "I'm reading a book about bees", "she's restoring an old loom"
bool Reader::told_doing(const Statement& s) {
  if (s.parse.tense != Tense::kProgressive || !about_somebody(s) || s.time) return false;
  const std::string& lemma = s.parse.lemma;
  const std::string_view first = rest_low(s, 0);
  const bool told =
      in(Set::kToldVerb, lemma) || s.parse.verb == Verb::kHabit || lemma.ends_with("ing");
  if (!told || in(Set::kVagueObject, first)) return false;
  if (one_of(lemma, {"do", "get", "go", "have", "keep", "find", "lose", "stay"})) return false;
  if (first == "to") return false;
  if (one_of(lemma, {"make", "take", "give", "turn"}) && !begins_thing_at(s.rest.begin))
    return false;
  if (!names_something(s, 0)) return false;
  const auto text = compose(s, s.parse.verb_text, false);
  if (!text) return false;
  const Frame frame = frame_of(lemma, first);
  write(
      draft(*text, s.subject_key, std::string(frame.relation), object_of(s), Colour::kFact, frame));
  return true;
}

// "I'm going to paint the fence": a plan without its day.
bool Reader::told_intent(const Statement& s) {
  const bool intent = s.parse.tense == Tense::kFuture && s.parse.modal.empty();
  if (!intent || !about_somebody(s) || in(Set::kVagueObject, rest_low(s, 0))) return false;
  const std::string& lemma = s.parse.lemma;
  if (!in(Set::kToldVerb, lemma) || one_of(lemma, {"do", "have", "get", "give", "try"}))
    return false;
  if (!names_something(s, 0)) return false;
  write_plan(s);
  return true;
}

// What stands before the verb names a thing, somebody or what somebody does, and says whose.
bool Reader::names_cause(const Range& subject) const {
  constexpr std::size_t kLongest = 8;
  const Words& words = page_.words;
  if (subject.empty() || subject.end - subject.begin > kLongest) return false;
  bool tells = false;
  for (std::size_t i = subject.begin; i < subject.end; ++i) {
    const Word& word = words[i];
    if (word.kind != WordKind::kWord || word.phrase >= 0) return false;
    const auto form = lexicon_.verb(word.low);
    const bool acts = form && (form->form == Form::kPast || in(Set::kEffect, word.low));
    if (acts || word.quoted || (word.possessive && i + 1 == subject.end)) return false;
    if (in(Set::kAux, word.low) || in(Set::kNoSubject, word.low) || in(Set::kCourtesy, word.low))
      return false;
    if (one_of(word.low,
               {"i",      "we",     "he",    "she",  "they",  "it",      "its",    "this",
                "that",   "these",  "those", "them", "their", "which",   "what",   "who",
                "when",   "how",    "if",    "as",   "to",    "because", "me",     "us",
                "hope",   "thanks", "thank", "glad", "so",    "or",      "reason", "thing",
                "things", "not",    "no",    "life", "day"}))
      return false;
    const bool hollow = in(Set::kHollowNoun, word.low) && i + 1 == subject.end;
    if (hollow) return false;
    tells = tells || (word.low.size() > 2 && !in(Set::kDeterminer, word.low) &&
                      !in(Set::kPreposition, word.low) && !in(Set::kAdverb, word.low));
  }
  return tells && !in(Set::kPreposition, words[subject.begin].low) &&
         !in(Set::kImperative, words[subject.begin].low) &&
         !one_of(words[subject.begin].low, {"a", "an", "any", "every", "much", "one", "some"});
}

// "Rowing helps me sleep", "seeing my plants grow makes me happy", "the choir is my second home"
bool Reader::told_effect(const Clause& clause) {
  const Words& words = page_.words;
  std::size_t begin = clause.begin;
  while (begin < clause.end &&
         (in(Set::kFiller, words[begin].low) || words[begin].kind != WordKind::kWord ||
          one_of(words[begin].low, {"and", "but"})))
    ++begin;
  for (std::size_t k = begin + 1; k + 1 < clause.end; ++k) {
    const std::string& low = words[k].low;
    const bool moves = in(Set::kEffect, low) && words[k + 1].low == "me" && k + 2 < clause.end;
    const bool is = one_of(low, {"is", "are", "means"});
    if (!moves && !is) continue;
    std::size_t verb = k;
    if (moves && one_of(words[verb - 1].low, {"has", "have", "had", "not"})) --verb;
    std::size_t end = verb;
    while (end > begin && in(Set::kAdverb, words[end - 1].low)) --end;
    if (words[verb].low == "not" || !names_cause({begin, end})) return false;
    const Range rest = trimmed(words, {moves ? k + 2 : k + 1, clause.end});
    if (rest.empty() ||
        has_word(words, rest, {"not", "never", "you", "your", "him", "her", "his", "hers"}))
      return false;
    if (is && (words[rest.begin].low == "like" || !matters(words, rest))) return false;
    write_effect({begin, end}, {verb, k + (moves ? 2 : 1)}, rest);
    return true;
  }
  return false;
}

void Reader::write_effect(const Range& subject, const Range& verb, const Range& rest) {
  const Turned cause = reworded(subject, false);
  const Turned what = reworded(rest, false), of_owner = reworded(rest, true);
  const bool moves = verb.end - verb.begin > 1;
  const Turned& said = moves ? of_owner : what;
  if (cause.unresolved || cause.foreign_you || said.unresolved || said.foreign_you) return;
  if (cause.text.empty() || said.text.empty()) return;
  std::string text = cause.text;
  for (std::size_t i = verb.begin; i < verb.end; ++i)
    text += " " + (page_.words[i].low == "me" ? owner_name_ : page_.words[i].text);
  text += " " + said.text;
  const std::string& lemma = page_.words[moves ? verb.end - 2 : verb.begin].low;
  write(draft(text, owner_key_, moves ? lemma : "matters", lower(cause.text), Colour::kFact,
              told_frame(lemma, "life", "person feeling")));
}

}  // namespace kartei::daemon
