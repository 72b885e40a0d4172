// What is not so, or no longer: habits given up, things not owned, states that ended.
#include <algorithm>

#include "daemon/manager/reader.h"

namespace kartei::daemon {
namespace {

using store::Colour;

// The card tells the same act: "jogs" and "no longer jogs", "owns" and "has no".
bool same_act(const store::Card& card, const Frame& frame, const std::string& lemma) {
  if (card.relation == frame.relation) return true;
  if (frame.relation == "has" && one_of(card.relation, {"owns", "pet", "drives"})) return true;
  if (frame.relation == "owns" && one_of(card.relation, {"has", "drives"})) return true;
  if (lemma == "be" && one_of(card.relation, {"diet", "marital", "profession", "is"})) return true;
  return overlap(content_words(lemma), content_words(card.text)) == 1.0;
}

}  // namespace

// "I no longer jog", "stopped vaping", "I don't own a bike".
bool Reader::state_negation(const Statement& s) {
  if (!about_somebody(s)) return false;
  Denial denial = denial_of(s);
  if (denial.gives_up && !s.parse.negated) {
    if (const auto dealt = read_given_up(s, denial)) return *dealt;
  }
  if (!denial.ended) {
    if (!s.parse.negated || s.parse.tense != Tense::kPresent || !s.parse.modal.empty())
      return false;
    if (s.parse.verb == Verb::kTrivial) return true;
  }
  if (denies_nothing(denial)) return true;
  const auto old = denied_cards(denial);
  // A plain denial needs a lasting verb; "not a fan" and the like are told elsewhere.
  const std::string& lemma = denial.lemma;
  const bool lasting =
      s.parse.verb == Verb::kHabit || one_of(lemma, {"have", "eat", "drink", "take", "own"});
  const bool worth = lasting && !one_of(lemma, {"be", "need", "get"});
  if (!denial.ended && !worth && old.empty()) return lemma != "be";
  write_denial(denial, old);
  return true;
}

// What the clause denies, and whether it was so before.
Reader::Denial Reader::denial_of(const Statement& s) const {
  Denial out;
  out.about = s;
  out.lemma = s.parse.lemma;
  out.anymore = s.parse.negated && (rest_has(s, "anymore") || rest_has(s, "longer") ||
                                    (rest_has(s, "any") && rest_has(s, "more")));
  out.ended = s.parse.ended || out.anymore;
  const bool stops =
      one_of(out.lemma, {"stop", "quit"}) || (out.lemma == "give" && rest_low(s, 0) == "up");
  const bool done = s.parse.tense == Tense::kPast || s.parse.tense == Tense::kPerfect;
  out.gives_up = stops && done;
  return out;
}

// "stopped vaping", "gave up sugar" (eating is meant); "quit" without a verb is a job's end.
std::optional<bool> Reader::read_given_up(const Statement& s, Denial& denial) const {
  Range& rest = denial.about.rest;
  if (s.parse.lemma == "give") ++rest.begin;
  const auto form = lexicon_.verb(low_at(page_.words, rest.begin, rest.end));
  denial.ended = true;
  if (form && form->form == Form::kIng) {
    denial.lemma = std::string(form->lemma);
    ++rest.begin;
    return form->verb == Verb::kTrivial ? std::optional(true) : std::nullopt;
  }
  if (rest.empty() || s.parse.lemma == "quit") return false;
  denial.lemma = "eat";
  return std::nullopt;
}

// "I don't", "I don't know it": no object that could be denied. "anymore" is not repeated.
bool Reader::denies_nothing(Denial& denial) const {
  Range& rest = denial.about.rest;
  while (denial.anymore && !rest.empty() &&
         one_of(page_.words[rest.end - 1].low, {"anymore", "more", "any"})) {
    --rest.end;
  }
  if (rest.empty()) {
    return !one_of(denial.lemma,
                   {"smoke", "drink", "drive", "vape", "work", "run", "dance", "sing"});
  }
  const std::string_view first = rest_low(denial.about, 0);
  return one_of(first, {"it", "that", "this", "you", "them", "to", "so", "really"}) ||
         in(Set::kEmptyObject, first) || in(Set::kEmptyObject, rest_low(denial.about, 1));
}

std::string Reader::denied_object(const Denial& denial) const {
  const std::string object = object_of(denial.about);
  return object.starts_with("any ") ? object.substr(4) : object;
}

// The open facts that say what is denied.
std::vector<Found> Reader::denied_cards(const Denial& denial) {
  const Frame frame = frame_of(denial.lemma, rest_low(denial.about, 0));
  const auto what = content_words(denied_object(denial));
  return notebook_.open(denial.about.subject_key, [&](const store::Card& card) {
    if (card.colour != Colour::kFact || card.valid_to.known() || card.object.starts_with("no "))
      return false;
    return same_act(card, frame, denial.lemma) &&
           (what.empty() || overlap(what, content_words(card.text)) >= 0.6);
  });
}

// "does not eat", "no longer eats", "is no longer".
std::string Reader::denying_verb(const Denial& denial) const {
  const Parse& parse = denial.about.parse;
  if (parse.ended && denial.lemma == "be") return "is no longer";
  if (!denial.anymore && !denial.gives_up) return parse.verb_text;
  return "no longer " + (denial.lemma == "be" ? std::string("is") : third_person(denial.lemma));
}

void Reader::write_denial(const Denial& denial, const std::vector<Found>& old) {
  Statement about = denial.about;
  about.from_then = denial.ended;
  const auto text = compose(about, denying_verb(denial), true);
  if (!text) return;
  const Frame frame = frame_of(denial.lemma, rest_low(about, 0));
  Draft card = draft(*text, about.subject_key, std::string(frame.relation),
                     "no " + denied_object(denial), Colour::kFact, frame);
  const store::Date when = end_date(about);
  if (about.time) {
    card.card.valid_from = page_.when->phrase(*about.time).from;
    card.card.valid_from.minute = -1;
  }
  if (!card.card.valid_from.known() && denial.ended) card.card.valid_from = when;
  const auto index = write(std::move(card));
  for (const Found& found : old) {
    if (found.draft != index) notebook_.close(found, when, index, "no longer so");
  }
}

}  // namespace kartei::daemon
