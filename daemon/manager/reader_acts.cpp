// What people plan, do again and again, are able to do and are busy with.
#include <algorithm>

#include "daemon/manager/reader.h"

namespace kartei::daemon {
namespace {

using store::Colour;
using store::Date;
using store::TimePhrase;

}  // namespace

// "I'm flying to Oslo on 3 May", "we will visit Bo", "I'm going to retire".
bool Reader::state_plan(const Statement& s) {
  if (!about_somebody(s) && s.parse.subject.kind != SubjectKind::kOwnThing) return false;
  if (s.parse.negated || s.parse.never) return false;
  const Tense tense = s.parse.tense;
  if (tense != Tense::kPresent && tense != Tense::kFuture && tense != Tense::kProgressive)
    return false;
  if (!s.parse.modal.empty() && !one_of(s.parse.modal, {"will", "must", "shall"})) return false;
  const bool weighty = s.parse.verb == Verb::kEvent ||
                       one_of(s.parse.lemma, {"move", "marry", "have", "travel", "visit"});
  const bool ahead = lies_ahead(s);
  if (!ahead && !(weighty && intends(s))) return false;
  if (wishes_only(s, ahead)) return true;
  // "I'm ill tomorrow" is no plan, "I'm off tomorrow" is.
  const bool only_is = s.parse.lemma == "be" && !s.rest.empty() && tense == Tense::kPresent &&
                       !in(Set::kPreposition, rest_low(s, 0)) &&
                       !one_of(rest_low(s, 0), {"off", "away", "out", "abroad", "back", "due"});
  if (only_is) return false;
  if (s.rest.empty() && !weighty && s.parse.lemma != "fly") return true;
  write_plan(s);
  return true;
}

// "I'm away until friday"
bool Reader::is_until(const Statement& s) const {
  const TimePhrase* phrase = time_of(s);
  return phrase && phrase->until && s.parse.lemma == "be";
}

// A time of its own, which may be open at its beginning.
bool Reader::dated_plan(const Statement& s) const {
  const TimePhrase* phrase = time_of(s);
  return phrase && !phrase->since && (phrase->from.known() || is_until(s));
}

bool Reader::lies_ahead(const Statement& s) const {
  if (!dated_plan(s)) return false;
  const TimePhrase& phrase = *time_of(s);
  const Date& last = phrase.to.known() ? phrase.to : phrase.from;
  return last.end() > page_.when->today().begin();
}

// "I'm going to retire": a plan without its day; "will ring back" is none.
bool Reader::intends(const Statement& s) const {
  return s.parse.tense == Tense::kFuture && !vague(rest_low(s, 0)) && s.parse.modal != "will" &&
         !one_of(s.parse.lemma, {"have", "give", "leave", "start", "stop"});
}

// "I think of Bo tomorrow", "I want a break": nothing that will happen.
bool Reader::wishes_only(const Statement& s, bool ahead) const {
  const std::string& lemma = s.parse.lemma;
  if (ahead && s.parse.tense != Tense::kFuture && s.parse.verb == Verb::kTrivial &&
      !one_of(lemma, {"see", "need"})) {
    return true;
  }
  return one_of(lemma, {"need", "want", "hope"}) && s.parse.tense == Tense::kPresent &&
         rest_low(s, 0) != "to";
}

void Reader::write_plan(const Statement& s) {
  const auto text = compose(s, s.parse.verb_text, false);
  if (!text) return;
  Frame frame = frame_of("event", {});
  frame.domain = "calendar";
  frame.tags = "plan calendar";
  Draft card = draft(*text, s.subject_key, "event", object_of(s), Colour::kEvent, frame);
  if (dated_plan(s)) {
    date(card, s);
    if (is_until(s)) card.card.valid_from = page_.when->today();
    date_return(card, s);
  }
  write(std::move(card));
}

// "I drink tea every day", "I keep bees", "she can swim", "I'm learning Czech".
bool Reader::state_habit(const Statement& s) {
  if (!about_somebody(s)) return false;
  if (s.parse.modal == "can") return state_ability(s);
  if (!s.parse.modal.empty()) return true;
  if (s.parse.tense == Tense::kProgressive) return state_pursuit(s);
  if (s.parse.tense != Tense::kPresent) return true;
  const bool often = told_often(s);
  if (is_habit(s, often) && !by_the_way(s, often)) write_habit(s);
  return true;
}

// "every friday", "usually"
bool Reader::told_often(const Statement& s) const {
  if (recurs(s)) return true;
  for (std::string_view often : {"usually ", "always ", "normally ", "often ", "regularly "}) {
    if (s.parse.verb_text.find(often) != std::string::npos) return true;
  }
  return false;
}

// "I can play the harp", "he can't drive"; not "I can see it", "I can't decide".
bool Reader::state_ability(const Statement& s) {
  const std::string& lemma = s.parse.lemma;
  const std::string_view first = rest_low(s, 0);
  const bool bare =
      s.rest.empty() && one_of(lemma, {"swim", "drive", "cook", "dance", "sing", "ski", "sail"});
  if (!in(Set::kAble, lemma) || (!bare && (s.rest.empty() || vague(first)))) return true;
  if (!s.parse.negated && in(Set::kCommonAbility, lemma)) return true;
  if (lemma == "see" || lemma == "hear") return true;
  const bool this_once =
      one_of(first, {"decide", "believe", "wait", "find", "remember", "up", "through", "a", "any",
                     "anything", "better", "well", "more"});
  if (this_once && lemma != "play") return true;
  const auto text = compose(s, s.parse.verb_text, false);
  if (!text) return true;
  write(draft(*text, s.subject_key, s.parse.negated ? "cannot" : "can", lemma + " " + object_of(s),
              Colour::kFact, frame_of(lemma, first)));
  return true;
}

// "I'm learning Czech", "she is doing a PhD"; not "I'm working on it".
bool Reader::pursues(const Statement& s) const {
  const std::string& lemma = s.parse.lemma;
  const std::string_view first = rest_low(s, 0);
  if (s.parse.negated) return false;
  bool course = false;
  for (std::string_view what :
       {"phd", "masters", "degree", "internship", "apprenticeship", "course", "keto", "training"}) {
    course = course || (lemma == "do" && rest_has(s, what));
  }
  if (!in(Set::kLastingActivity, lemma) && !course) return false;
  if (s.rest.empty() && lemma != "work") return false;
  const bool loose = vague(first) || one_of(first, {"on", "from"});
  if (loose && lemma != "work" && lemma != "train") return false;
  return !(one_of(lemma, {"start", "plan", "see", "prepare", "organise", "organize"}) &&
           one_of(first, {"to", "a", "the", "from"}));
}

bool Reader::state_pursuit(const Statement& s) {
  if (!pursues(s)) return true;
  const auto text = compose(s, s.parse.verb_text, true);
  if (!text) return true;
  const Frame frame = frame_of(s.parse.lemma, rest_low(s, 0));
  Draft card =
      draft(*text, s.subject_key, std::string(frame.relation), object_of(s), Colour::kFact, frame);
  if (const TimePhrase* phrase = time_of(s)) card.card.valid_from = phrase->from;
  card.single = frame.single && s.parse.lemma != "work";
  write(std::move(card));
  return true;
}

// A verb that tells by itself, or one that is said to come again and again; with an object, but
// for "I smoke" and its like.
bool Reader::is_habit(const Statement& s, bool often) const {
  const std::string& lemma = s.parse.lemma;
  const std::string_view first = rest_low(s, 0);
  const Frame frame = frame_of(lemma, first);
  if (lemma == "have" || lemma == "be") return false;
  const bool tells = s.parse.verb == Verb::kHabit || frame.lemma != frame.relation || often;
  if (!tells) return false;
  if (s.parse.verb == Verb::kTrivial && !one_of(lemma, {"sleep", "sit"})) return false;
  if (s.parse.verb == Verb::kEvent && !often && lemma != "give") return false;
  if (first.empty()) return often || in(Set::kBareHabit, lemma);
  return !vague(first);
}

// "I take the train" is none yet, "I take metformin" is a fact; a one-off needs a date.
bool Reader::by_the_way(const Statement& s, bool often) const {
  const std::string& lemma = s.parse.lemma;
  const std::string_view first = rest_low(s, 0);
  if (lemma == "play") return one_of(first, {"around", "along"});
  if (lemma == "run") return one_of(first, {"out", "into", "late"});
  if (lemma == "keep") return first.ends_with("ing");
  if (one_of(lemma, {"like", "love", "hate", "enjoy", "prefer"})) {
    return first == "the" && one_of(rest_low(s, 1), {"way", "idea", "look", "thought"});
  }
  if (often) return false;
  if (lemma == "take") {
    return one_of(first, {"the", "a", "my", "care", "it", "that", "your", "note"});
  }
  if (lemma == "write") return one_of(first, {"to", "this", "down"});
  return one_of(lemma, {"eat", "drink", "cook"}) && in(Set::kPreposition, first);
}

// Writes it; what was denied before holds again: "I eat fish again".
void Reader::write_habit(const Statement& s) {
  const auto text = compose(s, s.parse.verb_text, true);
  if (!text) return;
  const Frame frame = frame_of(s.parse.lemma, rest_low(s, 0));
  Draft card =
      draft(*text, s.subject_key, std::string(frame.relation), object_of(s), Colour::kFact, frame);
  if (s.time) date(card, s);
  card.single = frame.single;
  const std::string denied = "no " + card.card.object;
  const auto old = notebook_.open(s.subject_key, [&](const store::Card& other) {
    return other.relation == card.card.relation && other.object == denied;
  });
  const auto index = write(std::move(card));
  for (const Found& found : old) notebook_.close(found, end_date(s), index, "holds again");
}

}  // namespace kartei::daemon
