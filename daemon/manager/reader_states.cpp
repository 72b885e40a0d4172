// What people are: health, diet, age, origin, tastes, traits, professions.
#include <algorithm>

#include "daemon/manager/reader.h"

namespace kartei::daemon {
namespace {

using store::Colour;
using store::TimePhrase;

bool diet_word(std::string_view low) {
  return one_of(low, {"vegan", "vegetarian", "veggie", "pescatarian", "pescetarian", "teetotal",
                      "kosher", "halal", "omnivore", "flexitarian"});
}

bool marital_word(std::string_view low) {
  return one_of(low, {"married", "single", "divorced", "engaged", "widowed", "separated"});
}

bool job_noun(std::string_view low) {
  if (in(Set::kTransientNoun, low)) return false;
  if (in(Set::kJob, low)) return true;
  return low.size() > 5 && (low.ends_with("ist") || low.ends_with("ician") ||
                            low.ends_with("ologist") || low.ends_with("eer"));
}

Frame allergy_frame() {
  Frame frame;
  frame.lemma = "allergic";
  frame.relation = "allergy";
  frame.domain = "health";
  frame.tags = "allergy health food";
  frame.importance = 0.9;
  return frame;
}

// The last word of "allergic", "severely allergic"; nothing where that is not said.
std::optional<std::size_t> allergic_at(const Words& words, const Range& rest) {
  std::size_t at = rest.begin;
  while (at < rest.end && in(Set::kAdverb, words[at].low)) ++at;
  if (at >= rest.end) return std::nullopt;
  if (low_at(words, at + 1, rest.end) == "allergic") return at + 1;
  return words[at].low == "allergic" ? std::optional(at) : std::nullopt;
}

// Behind articles and degrees: "a proud", "severely".
std::size_t after_degree(const Words& words, const Range& rest) {
  std::size_t at = rest.begin;
  while (at < rest.end && (in(Set::kAdverb, words[at].low) ||
                           one_of(words[at].low, {"a", "an", "severely", "mildly", "strict",
                                                  "proud", "lifelong", "both"}))) {
    ++at;
  }
  return at;
}

}  // namespace

bool Reader::state_health(const Statement& s) {
  if (!about_somebody(s)) return false;
  const std::string& lemma = s.parse.lemma;
  const bool present = s.parse.tense == Tense::kPresent;
  if (lemma == "be") return present && state_allergic(s);
  if (s.parse.modal == "can" && s.parse.negated) {
    if (one_of(lemma, {"stand", "bear"})) return state_cannot_stand(s);
    if (one_of(lemma, {"have", "eat", "drink", "tolerate", "digest", "take"})) {
      return state_avoids(s);
    }
  }
  return lemma == "have" && present && !s.parse.negated && state_has_allergy(s);
}

// "I'm allergic to nuts", "no longer allergic to nuts"
bool Reader::state_allergic(const Statement& s) {
  const auto at = allergic_at(page_.words, s.rest);
  if (!at) return false;
  if (low_at(page_.words, *at + 1, s.rest.end) != "to") return settle_avoided(s);
  const auto text = compose(s, s.parse.verb_text, true);
  if (!text) return true;
  Statement what = s;
  what.rest = {*at + 2, s.rest.end};
  if (!s.parse.negated) {
    write(draft(*text, s.subject_key, "allergy", object_of(what), Colour::kFact, allergy_frame()));
    return true;
  }
  for (const Found& old : owned_like(s.subject_key, content_words(object_of(what)))) {
    if (old.card.relation == "allergy") notebook_.close(old, end_date(s), std::nullopt, "denied");
  }
  return true;
}

// "I can't have shellfish. I'm allergic.": what was avoided is what they are allergic to.
bool Reader::settle_avoided(const Statement& s) {
  if (avoided_.empty()) return true;
  if (avoided_draft_) notebook_.drop(*avoided_draft_);
  write(draft(s.subject + " is allergic to " + avoided_, s.subject_key, "allergy", avoided_,
              Colour::kFact, allergy_frame()));
  avoided_.clear();
  avoided_draft_.reset();
  return true;
}

// "can't stand coriander"
bool Reader::state_cannot_stand(const Statement& s) {
  const auto text = compose(s, s.parse.verb_text, true);
  const bool named =
      !s.rest.empty() && !one_of(rest_low(s, 0), {"it", "that", "this", "when", "how", "up"});
  if (text && named) {
    write(
        draft(*text, s.subject_key, "dislikes", object_of(s), Colour::kFact, frame_of("hate", {})));
  }
  return true;
}

// "can't have shellfish", "can't eat gluten"
bool Reader::state_avoids(const Statement& s) {
  const std::string what = rest_text(s);
  const std::string_view first = rest_low(s, 0);
  const bool names = !what.empty() && !in(Set::kEmptyObject, first) &&
                     !one_of(first, {"it", "that", "this", "any", "a", "the", "my", "one", "more",
                                     "them", "part", "care"});
  if (!names) return true;
  avoided_ = what;
  const auto known = notebook_.open(s.subject_key, [&](const store::Card& card) {
    return card.relation == "allergy" &&
           overlap(content_words(what), content_words(card.object)) == 1.0;
  });
  if (!known.empty()) {
    write(draft(known.front().card.text, s.subject_key, "allergy", known.front().card.object,
                Colour::kFact, allergy_frame()));
    return true;
  }
  Frame frame = allergy_frame();
  frame.tags = "diet health food";
  if (const auto text = compose(s, s.parse.verb_text, true)) {
    avoided_draft_ = write(draft(*text, s.subject_key, "cannot", what, Colour::kFact, frame));
  }
  return true;
}

// "she has an egg allergy"
bool Reader::state_has_allergy(const Statement& s) {
  for (std::size_t i = s.rest.begin; i < s.rest.end; ++i) {
    if (!one_of(page_.words[i].low, {"allergy", "allergies", "intolerance"})) continue;
    if (const auto text = compose(s, s.parse.verb_text, true)) {
      write(draft(*text, s.subject_key, "allergy", object_of(s), Colour::kFact, allergy_frame()));
    }
    return true;
  }
  return false;
}

// "I'm vegan", "she has been divorced since 2020", "Bo is 34", "I'm a nurse".
bool Reader::state_being(const Statement& s) {
  if (s.parse.lemma != "be" || s.parse.passive || !about_somebody(s)) return false;
  const TimePhrase* phrase = time_of(s);
  const bool lasting = s.parse.tense == Tense::kPerfect && phrase && phrase->since;
  if (s.parse.tense != Tense::kPresent && !lasting) return false;
  if (!s.parse.modal.empty() || s.rest.empty()) return false;
  const std::size_t at = after_degree(page_.words, s.rest);
  if (at >= s.rest.end) return true;
  if (const auto state = lasting_state(s, at)) {
    return s.parse.negated ? state_negation(s) : write_state(s, *state);
  }
  if (page_.words[at].kind == WordKind::kNumber) return state_measure(s, at);
  const std::string& low = page_.words[at].low;
  if (low == "from") return state_origin(s, at);
  if (is_taste(s, at)) return state_taste(s);
  if (state_leaning(s, at)) return true;
  if (low == "due" && s.time) return state_plan(s);
  if (one_of(low, {"in", "at", "on", "off", "away", "out", "back", "abroad"})) {
    return state_whereabouts(s, at);
  }
  const bool told =
      with_article(s, at) || s.parse.subject.kind == SubjectKind::kPerson || in(Set::kJob, low);
  if (told) {
    if (const auto dealt = state_profession(s, at)) return *dealt;
    if (state_trait(s, at)) return true;
  }
  return state_favourite(s);
}

// "a nurse", "strict vegan"
bool Reader::with_article(const Statement& s, std::size_t at) const {
  return at > s.rest.begin &&
         one_of(page_.words[at - 1].low, {"a", "an", "strict", "lifelong", "proud"});
}

void Reader::write_being(const Statement& s, const Trait& trait) {
  const auto text = compose(s, s.parse.verb_text, true);
  if (!text) return;
  Frame frame = frame_of("be", {});
  frame.domain = trait.domain;
  frame.tags = trait.tags;
  frame.importance = trait.importance;
  Draft card =
      draft(*text, s.subject_key, std::string(trait.relation), object_of(s), Colour::kFact, frame);
  const TimePhrase* phrase = time_of(s);
  if (phrase && phrase->since) date(card, s);
  card.single = trait.single;
  write(std::move(card));
}

// The adjective that lasts, among the next three words: "vegan"; of colours only the blindness.
std::optional<std::string> Reader::lasting_state(const Statement& s, std::size_t at) const {
  constexpr std::size_t kReach = 3;
  for (std::size_t k = at; k < std::min(at + kReach, s.rest.end); ++k) {
    const std::string& low = page_.words[k].low;
    if (!in(Set::kState, low)) continue;
    const bool colour =
        one_of(low, {"colour", "color"}) && low_at(page_.words, k + 1, s.rest.end) != "blind";
    if (!colour || s.parse.negated) return low;
  }
  return std::nullopt;
}

bool Reader::write_state(const Statement& s, const std::string& state) {
  if (diet_word(state)) {
    write_being(s, {"diet", "food", "diet food health", 0.9, true});
  } else if (marital_word(state)) {
    write_being(s, {"marital", "people", "family relationship", 0.7, true});
  } else if (state == "pregnant") {
    write_being(s, {"pregnant", "people", "pregnancy family", 0.8, true});
  } else {
    write_being(s, {"is", "health", "health person", 0.7});
  }
  return true;
}

// "I'm 180 cm tall", "she is 34"
bool Reader::state_measure(const Statement& s, std::size_t at) {
  const bool tall =
      rest_has(s, "tall") || rest_has(s, "cm") || rest_has(s, "m") || rest_has(s, "ft");
  if (tall) {
    write_being(s, {"height", "health", "height body", 0.5, true});
    return true;
  }
  const std::string& number = page_.words[at].text;
  const bool years = at + 1 >= s.rest.end ||
                     one_of(page_.words[at + 1].low, {"years", "yrs", "yo", "now", "year"});
  if (!years || page_.words[at].low.size() > 3 || s.parse.negated) return true;
  Frame frame = frame_of("be", {});
  frame.tags = "age person";
  Draft card = draft(
      s.subject + " is " + number + " years old (as of " + store::spoken(page_.when->today()) + ")",
      s.subject_key, "age", number, Colour::kFact, frame);
  card.single = true;
  write(std::move(card));
  return true;
}

// "I'm from Ystad"; not "from the gym"
bool Reader::state_origin(const Statement& s, std::size_t at) {
  if (at + 1 < s.rest.end && page_.words[at + 1].low != "the") {
    write_being(s, {"origin", "people", "origin place", 0.6, true});
  }
  return true;
}

// "into chess", "a big fan of opera", "fond of cats"
bool Reader::is_taste(const Statement& s, std::size_t at) const {
  const std::string& low = page_.words[at].low;
  return low == "into" || low == "fond" || (low == "fan" && with_article(s, at)) ||
         (one_of(low, {"big", "huge"}) && rest_has(s, "fan"));
}

bool Reader::state_taste(const Statement& s) {
  if (rest_has(s, "it") || rest_has(s, "this")) return true;
  if (s.parse.negated) {
    write_being(s, {"dislikes", "preferences", "dislikes preference"});
  } else {
    write_being(s, {"likes", "preferences", "likes preference"});
  }
  return true;
}

// "scared of dogs", "good at chess"
bool Reader::state_leaning(const Statement& s, std::size_t at) {
  const std::string& low = page_.words[at].low;
  const bool leans =
      one_of(low, {"scared", "afraid", "terrified", "interested", "obsessed", "addicted",
                   "responsible", "member"}) ||
      (one_of(low, {"good", "bad"}) && low_at(page_.words, at + 1, s.rest.end) == "at");
  if (!leans) return false;
  const bool names = at + 2 < s.rest.end && in(Set::kPreposition, page_.words[at + 1].low) &&
                     !one_of(page_.words[at + 2].low, {"it", "this", "that", "you"});
  if (names) write_being(s, {low, "life", "person trait"});
  return true;
}

// "in Bath over the holidays", "on leave next week"; "in a band" is for longer.
bool Reader::state_whereabouts(const Statement& s, std::size_t at) {
  if (s.parse.negated) return true;
  const TimePhrase* phrase = time_of(s);
  if (phrase && !phrase->since) return state_plan(s);
  const bool group = rest_has(s, "band") || rest_has(s, "choir") || rest_has(s, "team");
  if (page_.words[at].low == "in" && at + 1 < s.rest.end && group) {
    write_being(s, {"member", "hobbies", "hobby group"});
  }
  return true;
}

// "a nurse at the children's hospital"; nothing where no profession is named.
std::optional<bool> Reader::state_profession(const Statement& s, std::size_t at) {
  constexpr std::size_t kReach = 4;
  for (std::size_t k = at; k < s.rest.end && k < at + kReach; ++k) {
    const Word& word = page_.words[k];
    if (in(Set::kPreposition, word.low) || word.kind != WordKind::kWord) break;
    if (in(Set::kTransientNoun, word.low)) return true;
    if (!job_noun(word.low)) continue;
    if (s.parse.negated) return state_negation(s);
    write_being(s, {"profession", "work", "work job", 0.8, true});
    return true;
  }
  return std::nullopt;
}

// "a light sleeper", "an only child"
bool Reader::state_trait(const Statement& s, std::size_t at) {
  if (!with_article(s, at)) return false;
  constexpr std::size_t kReach = 4;
  for (std::size_t k = at; k < s.rest.end && k < at + kReach; ++k) {
    if (!in(Set::kTraitNoun, page_.words[k].low)) continue;
    if (!s.parse.negated) write_being(s, {"is", "life", "person trait"});
    return true;
  }
  return false;
}

}  // namespace kartei::daemon
