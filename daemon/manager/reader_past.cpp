// What people did and were: events, former states, and what has been so until now.
#include <algorithm>

#include "daemon/manager/reader.h"

namespace kartei::daemon {
namespace {

using store::Colour;
using store::Date;
using store::TimePhrase;

// A year or a stretch of more than half of one: "in 2015", "from 2010 to 2014".
bool spans_long(const TimePhrase& phrase) {
  if (phrase.since || phrase.until) return false;
  if (!phrase.to.known()) return !phrase.from.month;
  return phrase.to.begin() - phrase.from.begin() > std::chrono::hours{24 * 200};
}

// "2015" ends with it, to the same precision.
Date end_of(const Date& from) {
  Date out = Date::day_of(from.end() + std::chrono::hours{12}, from.zone_min);
  if (!from.day) out.day = 0;
  if (!from.month) out.month = 0;
  return out;
}

}  // namespace

bool Reader::state_past(const Statement& s) {
  const Tense tense = s.parse.tense;
  if (tense != Tense::kPast && tense != Tense::kPerfect && tense != Tense::kUsedTo) return false;
  if (s.parse.subject.kind == SubjectKind::kIt && topic_.empty()) return true;
  if (!s.parse.modal.empty()) return true;
  if (tense == Tense::kUsedTo) return state_used_to(s);
  if (s.parse.negated && tense == Tense::kPast) return true;
  if (s.parse.never) return state_never(s);
  if (s.parse.negated) return true;
  if (tense == Tense::kPerfect && (state_until_now(s) || state_been_to(s))) return true;
  if (s.parse.subject.kind == SubjectKind::kThey) return true;
  if (state_period(s)) return true;
  if (s.parse.lemma == "be" && !s.parse.passive && !was_somewhere(s)) return true;
  if (state_former(s) || state_grew_up(s)) return true;
  const bool notable = notable_event(s);
  if (!dated_past(s) && !tells_without_date(s, notable)) return true;
  if (!everyday(s, notable)) write_past_event(s);
  return true;
}

// "I used to smoke"; not "..., used to be less".
bool Reader::state_used_to(const Statement& s) {
  const std::string& lemma = s.parse.lemma;
  if (!about_somebody(s) || s.rest.empty() || vague(rest_low(s, 0))) return true;
  if (s.parse.verb == Verb::kTrivial && lemma != "be" && lemma != "have") return true;
  if (s.parse.subject.elided) return true;
  const auto text = compose(s, s.parse.verb_text, false);
  if (!text) return true;
  const Frame frame = frame_of(lemma, rest_low(s, 0));
  Draft card = draft(*text, s.subject_key, "used_to_" + std::string(frame.relation), object_of(s),
                     Colour::kFact, frame);
  date(card, s);
  write(std::move(card));
  return true;
}

// "I've never eaten snails"
bool Reader::state_never(const Statement& s) {
  const bool told = s.parse.tense == Tense::kPerfect && about_somebody(s) && !vague(rest_low(s, 0));
  if (!told) return true;
  const std::string& lemma = s.parse.lemma;
  if (const auto text = compose(s, s.parse.verb_text, false)) {
    write(draft(*text, s.subject_key, "never_" + lemma, object_of(s), Colour::kFact,
                frame_of(lemma, rest_low(s, 0))));
  }
  return true;
}

// "I've had a boat since May", "she has been learning Czech": still so today.
bool Reader::state_until_now(const Statement& s) {
  const std::string& lemma = s.parse.lemma;
  const TimePhrase* phrase = time_of(s);
  const TimePhrase* length = length_of(s);
  const bool since = phrase && phrase->since;
  const bool lasting = since || length;
  const bool doing =
      s.parse.verb_text.find(" been ") != std::string::npos && lemma != "be" && !s.parse.passive;
  const bool pursues = doing && (s.parse.verb == Verb::kHabit || in(Set::kLastingActivity, lemma));
  if (!lasting && !pursues) return false;
  if (s.parse.verb == Verb::kTrivial && lemma != "know" && !doing) return true;
  if (one_of(lemma, {"wait", "think", "try", "want", "look", "wonder", "feel"})) return true;
  const auto text = compose(s, s.parse.verb_text, false);
  if (!text) return true;
  const Frame frame = frame_of(lemma, rest_low(s, 0));
  Draft card =
      draft(*text, s.subject_key, std::string(frame.relation), object_of(s), Colour::kFact, frame);
  if (since) card.card.valid_from = phrase->from;
  if (!phrase && length) card.card.valid_from = begun_before(*length);
  card.single = frame.single;
  write(std::move(card));
  return true;
}

// "I've been to Japan twice"; else a "has been" that says no more is left.
bool Reader::state_been_to(const Statement& s) {
  if (s.parse.lemma != "be" || s.parse.passive) return false;
  const bool somewhere =
      rest_low(s, 0) == "to" && about_somebody(s) && s.rest.end - s.rest.begin >= 2;
  if (!somewhere) return true;
  if (const auto text = compose(s, s.parse.verb_text, false)) {
    write(draft(*text, s.subject_key, "been_to", object_of(s), Colour::kFact,
                frame_of("travel", {})));
  }
  return true;
}

// "I rented a flat in Lund from 2010 to 2014": true for a while.
bool Reader::state_period(const Statement& s) {
  const std::string& lemma = s.parse.lemma;
  const TimePhrase* phrase = time_of(s);
  const TimePhrase* length = length_of(s);
  if (!phrase || !in(Set::kStateVerb, lemma)) return false;
  if (!spans_long(*phrase) && !length && !phrase->until) return false;
  if (s.rest.empty()) return true;
  const auto text = compose(s, s.parse.verb_text, false);
  if (!text) return true;
  const Frame frame = frame_of(lemma, rest_low(s, 0));
  Draft card = draft(*text, s.subject_key, "past_" + std::string(frame.relation), object_of(s),
                     Colour::kFact, frame);
  card.card.valid_from = phrase->from;
  card.card.valid_to = phrase->to;
  if (length && length->from == phrase->from) card.card.valid_to = length->to;
  if (!card.card.valid_to.known() && phrase->from.known()) {
    card.card.valid_to = end_of(phrase->from);
  }
  write(std::move(card));
  return true;
}

// "I was in Rome last week" tells something; "it was lovely" does not.
bool Reader::was_somewhere(const Statement& s) const {
  return one_of(rest_low(s, 0), {"in", "at"}) && s.rest.begin + 1 < s.rest.end &&
         page_.words[s.rest.begin + 1].capital && s.time;
}

bool Reader::dated_past(const Statement& s) const {
  const TimePhrase* phrase = time_of(s);
  return phrase && !phrase->since && phrase->from.known();
}

// "I studied in Lund": no date, but plainly no longer so.
bool Reader::state_former(const Statement& s) {
  const std::string& lemma = s.parse.lemma;
  const std::string_view first = rest_low(s, 0);
  if (s.parse.tense != Tense::kPast || !about_somebody(s) || dated_past(s)) return false;
  if (s.rest.empty() || vague(first)) return false;
  const bool placed = one_of(lemma, {"live", "work"}) && in(Set::kPreposition, first) &&
                      !one_of(first, {"out", "on", "up"}) && !rest_has(s, "late");
  if (!placed && !one_of(lemma, {"study", "teach", "play"})) return false;
  auto text = compose(s, s.parse.verb_text, false);
  if (!text) return true;
  // "back then": the time that the turn named before.
  const bool then = period_ && rest_has(s, "then");
  if (then) *text += " " + page_.when->wording(page_.when->phrase(*period_), {});
  const Frame frame = frame_of(lemma, first);
  Draft card = draft(*text, s.subject_key, "past_" + std::string(frame.relation), object_of(s),
                     Colour::kFact, frame);
  if (then) date_from(card, page_.when->phrase(*period_));
  write(std::move(card));
  return true;
}

// "I grew up on a farm"
bool Reader::state_grew_up(const Statement& s) {
  if (s.parse.lemma != "grow" || rest_low(s, 0) != "up" || !about_somebody(s)) return false;
  const auto text = compose(s, s.parse.verb_text, false);
  if (text && s.rest.end - s.rest.begin > 2) {
    write(draft(*text, s.subject_key, "grew_up", object_of(s), Colour::kFact, frame_of("be", {})));
  }
  return true;
}

// "she graduated", "we got engaged", "I had surgery": told for its own sake.
bool Reader::notable_event(const Statement& s) const {
  const std::string& lemma = s.parse.lemma;
  if (s.parse.verb == Verb::kEvent || lemma == "bear") return true;
  if (lemma == "have") return rest_has(s, "surgery");
  return lemma == "get" &&
         one_of(rest_low(s, 0), {"married", "engaged", "divorced", "promoted", "vaccinated"});
}

// Without a date only what somebody did to something: "I sold the boat", "he retired".
bool Reader::tells_without_date(const Statement& s, bool notable) const {
  const std::string& lemma = s.parse.lemma;
  const std::string_view first = rest_low(s, 0);
  if (!notable || !about_somebody(s)) return false;
  if (lemma == "buy" && !in(Set::kDeterminer, first) && first != "new") return false;
  if (in(Set::kEmptyObject, first) || in(Set::kEmptyObject, rest_low(s, 1))) return false;
  if (!s.rest.empty()) return !vague(first);
  return one_of(lemma, {"graduate", "retire", "die", "marry", "divorce", "emigrate", "elope"});
}

// What every day holds: sleep, lunch, the way home. A move of a thing is an event not known here.
bool Reader::everyday(const Statement& s, bool notable) const {
  const std::string& lemma = s.parse.lemma;
  const std::string_view first = rest_low(s, 0);
  if (lemma == "move" && !about_somebody(s)) return true;
  if (lemma == "go" && (rest_has(s, "bed") || one_of(first, {"home", "out"}))) return true;
  if (in(Set::kDailyVerb, lemma) && !notable) return true;
  if (s.parse.verb == Verb::kTrivial && lemma != "see") return true;
  if (lemma == "get" && !notable && one_of(first, {"to", "home", "up"})) return true;
  if (lemma != "have") return false;
  constexpr std::size_t kReach = 4;
  for (std::size_t k = 0; k < kReach; ++k) {
    const std::string_view low = rest_low(s, k);
    if (in(Set::kEmptyObject, low)) return true;
    if (one_of(low, {"lunch", "dinner", "breakfast", "to"})) return true;
  }
  return false;
}

// "I sold the boat in May"
void Reader::write_past_event(const Statement& s) {
  const auto text = compose(s, s.parse.verb_text, false);
  if (!text) return;
  const Frame frame = frame_of(s.parse.lemma, rest_low(s, 0));
  Draft card =
      draft(*text, s.subject_key, std::string(frame.relation), object_of(s), Colour::kEvent, frame);
  if (frame.relation == "lives_in") card.card.relation = "moved";
  if (frame.relation == "works") card.card.relation = "worked";
  finish_event(card, s);
  if (s.time) date_return(card, s);
  if (s.parse.lemma == "bear" && !s.time && rest_low(s, 0) == "in") {  // "I was born in Ghent"
    card.card.colour = Colour::kFact;
    card.card.valid_from = {};
  }
  const auto index = write(std::move(card));
  const bool born = s.parse.lemma == "bear" && s.parse.subject.kind == SubjectKind::kPerson;
  if (born && index) end_pregnancies(end_date(s), *index);
}

// The child is here: nobody is pregnant with it.
void Reader::end_pregnancies(const Date& when, std::size_t birth) {
  auto end_of_subject = [&](const std::string& subject) {
    for (const Found& old : notebook_.open(
             subject, [](const store::Card& card) { return card.relation == "pregnant"; })) {
      notebook_.close(old, when, birth, "the child was born");
    }
  };
  for (std::size_t i = 0; i < people_.count(); ++i) end_of_subject(people_.at(i).key());
  end_of_subject(owner_key_);
}

}  // namespace kartei::daemon
