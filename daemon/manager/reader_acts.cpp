// What people do, did and will do; appointments without a verb; lines of lists.
#include <algorithm>

#include "daemon/manager/reader.h"

namespace kartei::daemon {
namespace {

using store::Colour;
using store::Date;
using store::TimePhrase;

bool empty_object(std::string_view low) {
  return low.empty() ||
         one_of(low, {"it",    "that", "this", "them", "you",        "how",    "when",
                      "what",  "why",  "so",   "your", "if",         "there",  "these",
                      "those", "him",  "her",  "us",   "everything", "nothing"});
}

// What one does for a while: "I'm learning Italian".
bool lasting_activity(std::string_view lemma) {
  return one_of(
      lemma,
      {"learn",     "study", "train",   "work",   "write",    "build",    "renovate",  "teach",
       "volunteer", "date",  "live",    "expect", "save",     "play",     "practise",  "practice",
       "prepare",   "coach", "foster",  "rent",   "breed",    "plan",     "translate", "research",
       "attend",    "raise", "restore", "start",  "organise", "organize", "see"});
}

bool trivial_day(std::string_view lemma) {
  return one_of(lemma, {"sleep", "wake",  "eat", "shower", "oversleep", "watch",  "cook", "sit",
                        "feel",  "be",    "do",  "text",   "nap",       "google", "try",  "want",
                        "need",  "think", "say", "tell",   "ask",       "look",   "call"});
}

}  // namespace

bool Reader::state_plan(const Statement& s) {
  const SubjectKind kind = s.parse.subject.kind;
  if (kind != SubjectKind::kOwner && kind != SubjectKind::kPerson && kind != SubjectKind::kOwnThing)
    return false;
  if (s.parse.negated || s.parse.never) return false;
  const Tense tense = s.parse.tense;
  if (tense != Tense::kPresent && tense != Tense::kFuture && tense != Tense::kProgressive)
    return false;
  if (!s.parse.modal.empty() && !one_of(s.parse.modal, {"will", "must", "shall"})) return false;
  const bool until = s.time && page_.when->phrase(*s.time).until && s.parse.lemma == "be";
  const bool dated = s.time && !page_.when->phrase(*s.time).since &&
                     (page_.when->phrase(*s.time).from.known() || until);
  bool ahead = false;
  if (dated) {
    const TimePhrase& phrase = page_.when->phrase(*s.time);
    const Date last = phrase.to.known() ? phrase.to : phrase.from;
    ahead = last.end() > page_.when->today().begin();
  }
  const bool weighty = s.parse.verb == Verb::kEvent ||
                       one_of(s.parse.lemma, {"move", "marry", "have", "travel", "visit"});
  if (!ahead) {
    // "I'm going to retire": a plan without its day; "will ring back" is none.
    const bool intent = tense == Tense::kFuture && weighty && !empty_object(rest_low(s, 0)) &&
                        s.parse.modal != "will" &&
                        !one_of(s.parse.lemma, {"have", "give", "leave", "start", "stop"});
    if (!intent) return false;
  }
  if (ahead && tense != Tense::kFuture && s.parse.verb == Verb::kTrivial &&
      !one_of(s.parse.lemma, {"see", "need"})) {
    return true;
  }
  if (one_of(s.parse.lemma, {"need", "want", "hope"}) && tense == Tense::kPresent &&
      rest_low(s, 0) != "to")
    return true;
  if (s.parse.lemma == "be" && s.rest.begin < s.rest.end &&
      !in(Set::kPreposition, rest_low(s, 0)) &&
      !one_of(rest_low(s, 0), {"off", "away", "out", "abroad", "back", "due"}) &&
      tense == Tense::kPresent) {
    return false;
  }
  if (s.rest.empty() && !weighty && s.parse.lemma != "fly") return true;
  const auto text = compose(s, s.parse.verb_text, false);
  if (!text) return true;
  Frame frame = frame_of("event", {});
  frame.domain = "calendar";
  frame.tags = "plan calendar";
  Draft card = draft(*text, s.subject_key, "event", object_of(s), Colour::kEvent, frame);
  if (dated) {
    date(card, s);
    if (until) card.card.valid_from = page_.when->today();
    // "leaving on 2 May, home again on the 6th"
    for (const int p : s.phrases) {
      const TimePhrase& other = page_.when->phrase(p);
      if (p == *s.time || other.recurring || other.duration || !other.from.day) continue;
      if (card.card.valid_from.day && !card.card.valid_to.known() &&
          other.from.begin() > card.card.valid_from.begin()) {
        card.card.valid_to =
            Date::day_of(other.from.end() + std::chrono::hours{1}, other.from.zone_min);
      }
    }
  }
  write(std::move(card));
  return true;
}

bool Reader::state_past(const Statement& s) {
  const Tense tense = s.parse.tense;
  if (tense != Tense::kPast && tense != Tense::kPerfect && tense != Tense::kUsedTo) return false;
  if (s.parse.subject.kind == SubjectKind::kIt && topic_.empty()) return true;
  if (!s.parse.modal.empty() && s.parse.modal != "must") return true;
  if (s.parse.modal == "must") return true;
  const std::string& lemma = s.parse.lemma;
  const Frame frame = frame_of(lemma, rest_low(s, 0));
  const bool owner_or_person =
      s.parse.subject.kind == SubjectKind::kOwner || s.parse.subject.kind == SubjectKind::kPerson;
  const TimePhrase* phrase = s.time ? &page_.when->phrase(*s.time) : nullptr;
  std::optional<int> length;
  for (const int p : s.phrases) {
    if (page_.when->phrase(p).duration) length = p;
  }
  if (tense == Tense::kUsedTo) {
    if (!owner_or_person || s.rest.empty() || empty_object(rest_low(s, 0))) return true;
    if (s.parse.verb == Verb::kTrivial && lemma != "be" && lemma != "have") return true;
    if (s.parse.subject.elided) return true;  // "..., used to be less"
    const auto text = compose(s, s.parse.verb_text, false);
    if (!text) return true;
    Draft card = draft(*text, s.subject_key, "used_to_" + std::string(frame.relation), object_of(s),
                       Colour::kFact, frame);
    date(card, s);
    write(std::move(card));
    return true;
  }
  if (s.parse.negated && tense == Tense::kPast) return true;
  if (s.parse.never) {
    // "I've never been to Japan"
    if (tense != Tense::kPerfect || !owner_or_person || empty_object(rest_low(s, 0))) return true;
    const auto text = compose(s, s.parse.verb_text, false);
    if (text)
      write(draft(*text, s.subject_key, "never_" + lemma, object_of(s), Colour::kFact, frame));
    return true;
  }
  if (s.parse.negated) return true;
  if (tense == Tense::kPerfect) {
    const bool lasting = (phrase && phrase->since) || length;
    const bool doing =
        s.parse.verb_text.find(" been ") != std::string::npos && lemma != "be" && !s.parse.passive;
    if (lasting || (doing && (s.parse.verb == Verb::kHabit || lasting_activity(lemma)))) {
      if (s.parse.verb == Verb::kTrivial && lemma != "know" && !doing) return true;
      if (one_of(lemma, {"wait", "think", "try", "want", "look", "wonder", "feel"})) return true;
      if (lemma == "be" && !lasting) return true;
      const auto text = compose(s, s.parse.verb_text, false);
      if (!text) return true;
      Draft card = draft(*text, s.subject_key, std::string(frame.relation), object_of(s),
                         Colour::kFact, frame);
      if (phrase && phrase->since) card.card.valid_from = phrase->from;
      if (!phrase && length) {
        const TimePhrase& lasted = page_.when->phrase(*length);
        Date from =
            Date::day_of(page_.when->today().begin() - (lasted.to.begin() - lasted.from.begin()) +
                             std::chrono::hours{12},
                         0);
        from.day = 0;
        card.card.valid_from = from;
      }
      card.single = frame.single;
      write(std::move(card));
      return true;
    }
    if (lemma == "be" && !s.parse.passive) {
      // "I've been to Japan twice"
      if (rest_low(s, 0) != "to" || !owner_or_person || s.rest.end - s.rest.begin < 2) return true;
      const auto text = compose(s, s.parse.verb_text, false);
      if (text)
        write(draft(*text, s.subject_key, "been_to", object_of(s), Colour::kFact,
                    frame_of("travel", {})));
      return true;
    }
  }
  if (s.parse.subject.kind == SubjectKind::kThey) return true;
  const bool period =
      phrase && !phrase->since && !phrase->until &&
      (phrase->to.known() ? phrase->to.begin() - phrase->from.begin() > std::chrono::hours{24 * 200}
                          : !phrase->from.month);
  const bool state_verb = one_of(lemma, {"live", "work", "study", "teach", "play", "run", "train",
                                         "own", "have", "rent", "attend", "be"});
  if (phrase && state_verb && lemma != "be" && (period || length || phrase->until)) {
    // Something that was true for a while.
    if (s.rest.empty()) return true;
    const auto text = compose(s, s.parse.verb_text, false);
    if (!text) return true;
    Draft card = draft(*text, s.subject_key, "past_" + std::string(frame.relation), object_of(s),
                       Colour::kFact, frame);
    card.card.valid_from = phrase->from;
    card.card.valid_to = phrase->to;
    if (length && page_.when->phrase(*length).from == phrase->from)
      card.card.valid_to = page_.when->phrase(*length).to;
    if (!card.card.valid_to.known() && phrase->from.known()) {
      const Date& from = phrase->from;
      card.card.valid_to = Date::day_of(from.end() + std::chrono::hours{12}, from.zone_min);
      if (!from.day) card.card.valid_to.day = 0;
      if (!from.month) card.card.valid_to.month = 0;
    }
    write(std::move(card));
    return true;
  }
  if (lemma == "be" && !s.parse.passive) {
    // "I was in Rome last week" tells something; "it was lovely" does not.
    const bool place = one_of(rest_low(s, 0), {"in", "at"}) && s.rest.begin + 1 < s.rest.end &&
                       page_.words[s.rest.begin + 1].capital;
    if (!place || !phrase) return true;
  }
  const bool dated = phrase && !phrase->since && phrase->from.known();
  const bool notable = s.parse.verb == Verb::kEvent ||
                       (lemma == "get" && one_of(rest_low(s, 0), {"married", "engaged", "divorced",
                                                                  "promoted", "vaccinated"})) ||
                       (lemma == "have" && rest_has(s, "surgery")) || lemma == "bear";
  const bool past_state =
      tense == Tense::kPast && owner_or_person && !dated && !s.rest.empty() &&
      !empty_object(rest_low(s, 0)) &&
      (one_of(lemma, {"study", "teach", "play"}) ||
       (one_of(lemma, {"live", "work"}) && in(Set::kPreposition, rest_low(s, 0)) &&
        !one_of(rest_low(s, 0), {"out", "on", "up"}) && !rest_has(s, "late")));
  if (past_state) {
    auto text = compose(s, s.parse.verb_text, false);
    if (!text) return true;
    // "back then": the time that the turn named before.
    const bool then = period_ && rest_has(s, "then");
    if (then) *text += " " + page_.when->wording(page_.when->phrase(*period_), {});
    Draft card = draft(*text, s.subject_key, "past_" + std::string(frame.relation), object_of(s),
                       Colour::kFact, frame);
    if (then) date_from(card, page_.when->phrase(*period_));
    write(std::move(card));
    return true;
  }
  if (lemma == "move" && !owner_or_person) return true;  // an event that is not known here
  if (!dated && one_of(lemma, {"buy", "sell", "get"}) && !notable) return true;
  if (!dated && lemma == "buy" && !in(Set::kDeterminer, rest_low(s, 0)) && rest_low(s, 0) != "new")
    return true;
  if (lemma == "grow" && rest_low(s, 0) == "up" && owner_or_person) {
    const auto text = compose(s, s.parse.verb_text, false);
    if (text && s.rest.end - s.rest.begin > 2) {
      write(
          draft(*text, s.subject_key, "grew_up", object_of(s), Colour::kFact, frame_of("be", {})));
    }
    return true;
  }
  if (!dated && !notable) return true;
  if (!dated && !owner_or_person) return true;
  if (lemma == "go" && (rest_has(s, "bed") || rest_low(s, 0) == "home" || rest_low(s, 0) == "out"))
    return true;
  if (trivial_day(lemma) && !(lemma == "be") && !notable) return true;
  if (s.parse.verb == Verb::kTrivial && !one_of(lemma, {"see"})) return true;
  if (lemma == "have" && s.rest.begin < s.rest.end) {
    for (std::size_t k = 0; k < 4; ++k) {
      if (in(Set::kEmptyObject, rest_low(s, k)) ||
          one_of(rest_low(s, k), {"lunch", "dinner", "breakfast", "to"}))
        return true;
    }
  }
  if (!dated && (s.rest.empty() ? !one_of(lemma, {"graduate", "retire", "die", "marry", "divorce",
                                                  "emigrate", "elope"})
                                : empty_object(rest_low(s, 0)))) {
    return true;
  }
  if (!dated && (in(Set::kEmptyObject, rest_low(s, 0)) || in(Set::kEmptyObject, rest_low(s, 1))))
    return true;
  if (lemma == "get" && !notable &&
      (rest_low(s, 0) == "to" || rest_low(s, 0) == "home" || rest_low(s, 0) == "up"))
    return true;
  const auto text = compose(s, s.parse.verb_text, false);
  if (!text) return true;
  Draft card =
      draft(*text, s.subject_key, std::string(frame.relation), object_of(s), Colour::kEvent, frame);
  if (card.card.relation == std::string_view("lives_in")) card.card.relation = "moved";
  if (card.card.relation == std::string_view("works")) card.card.relation = "worked";
  finish_event(card, s);
  // "leaving on 2 May, home again on the 6th"
  if (s.time) {
    for (const int p : s.phrases) {
      const TimePhrase& other = page_.when->phrase(p);
      if (p == *s.time || other.recurring || other.duration || !other.from.day) continue;
      if (card.card.valid_from.day && !card.card.valid_to.known() &&
          other.from.begin() > card.card.valid_from.begin()) {
        card.card.valid_to =
            Date::day_of(other.from.end() + std::chrono::hours{1}, other.from.zone_min);
      }
    }
  }
  const bool born = lemma == "bear" && s.parse.subject.kind == SubjectKind::kPerson;
  const auto index = write(std::move(card));
  if (born && index) {
    // The child is here: nobody is pregnant with it.
    for (std::size_t i = 0; i < people_.count(); ++i) {
      for (const Found& old : notebook_.open(people_.at(i).key(), [](const store::Card& c) {
             return c.relation == "pregnant";
           })) {
        notebook_.close(old, end_date(s), index, "the child was born");
      }
    }
    for (const Found& old : notebook_.open(
             owner_key_, [](const store::Card& c) { return c.relation == "pregnant"; })) {
      notebook_.close(old, end_date(s), index, "the child was born");
    }
  }
  return true;
}

bool Reader::state_habit(const Statement& s) {
  const SubjectKind kind = s.parse.subject.kind;
  if (kind != SubjectKind::kOwner && kind != SubjectKind::kPerson) return false;
  const Tense tense = s.parse.tense;
  const std::string& lemma = s.parse.lemma;
  bool habit = std::any_of(s.phrases.begin(), s.phrases.end(),
                           [&](int p) { return page_.when->phrase(p).recurring; });
  for (std::string_view often : {"usually ", "always ", "normally ", "often ", "regularly "}) {
    habit = habit || s.parse.verb_text.find(often) != std::string::npos;
  }
  const Frame frame = frame_of(lemma, rest_low(s, 0));
  const std::string_view first = rest_low(s, 0);
  if (s.parse.modal == "can") {
    const bool bare =
        s.rest.empty() && one_of(lemma, {"swim", "drive", "cook", "dance", "sing", "ski", "sail"});
    if (!in(Set::kAble, lemma) || (!bare && (s.rest.empty() || empty_object(first)))) return true;
    if (!s.parse.negated && one_of(lemma, {"see", "hear", "do", "have", "eat", "drink", "take",
                                           "handle", "read", "touch", "type", "walk", "wear"}))
      return true;
    if (one_of(first, {"decide", "believe", "wait", "find", "remember", "up", "through", "a", "any",
                       "anything"}) &&
        lemma != "play")
      return true;
    if (lemma == "see" || lemma == "hear") return true;
    const auto text = compose(s, s.parse.verb_text, false);
    if (text)
      write(draft(*text, s.subject_key, s.parse.negated ? "cannot" : "can",
                  lemma + " " + object_of(s), Colour::kFact, frame));
    return true;
  }
  if (!s.parse.modal.empty()) return true;
  if (tense == Tense::kProgressive) {
    const bool course =
        lemma == "do" && (rest_has(s, "phd") || rest_has(s, "masters") || rest_has(s, "degree") ||
                          rest_has(s, "internship") || rest_has(s, "apprenticeship") ||
                          rest_has(s, "course") || rest_has(s, "keto") || rest_has(s, "training"));
    if (s.parse.negated || (!lasting_activity(lemma) && !course) ||
        (s.rest.empty() && lemma != "work"))
      return true;
    if (empty_object(first) || one_of(first, {"on", "from"})) {
      if (lemma != "work" && lemma != "train") return true;
    }
    if (one_of(lemma, {"start", "plan", "see", "expect", "prepare", "organise", "organize"}) &&
        one_of(first, {"to", "a", "the", "from"}) && !(lemma == "expect")) {
      return true;
    }
    const auto text = compose(s, s.parse.verb_text, true);
    if (!text) return true;
    Draft card = draft(*text, s.subject_key, std::string(frame.relation), object_of(s),
                       Colour::kFact, frame);
    if (s.time) card.card.valid_from = page_.when->phrase(*s.time).from;
    card.single = frame.single && lemma != "work";
    write(std::move(card));
    return true;
  }
  if (tense != Tense::kPresent) return true;
  const bool known = s.parse.verb == Verb::kHabit || frame.lemma != frame.relation || habit;
  if (!known || (s.parse.verb == Verb::kTrivial && !one_of(lemma, {"sleep", "sit"}))) return true;
  if (s.parse.verb == Verb::kEvent && !habit && !one_of(lemma, {"give"})) return true;
  if (empty_object(first) && !habit &&
      !one_of(lemma,
              {"smoke", "vape", "drink", "sing", "run", "ski", "snore", "knit", "swim", "drive",
               "surf", "climb", "dance", "paint", "cycle", "garden", "commute", "smokes"})) {
    return true;
  }
  if (!first.empty() && empty_object(first)) return true;
  // "I take the train" is none yet, "I take metformin" is a fact; a one-off needs a date.
  if (lemma == "take" && !habit &&
      one_of(first, {"the", "a", "my", "care", "it", "that", "your", "note"}))
    return true;
  if (lemma == "write" && !habit && one_of(first, {"to", "this", "down"})) return true;
  if (lemma == "play" && one_of(first, {"around", "along"})) return true;
  if (one_of(lemma, {"like", "love", "hate", "enjoy", "prefer"}) &&
      (one_of(first, {"the"}) && one_of(rest_low(s, 1), {"way", "idea", "look"}))) {
    return true;
  }
  if (lemma == "run" && one_of(first, {"out", "into", "late"})) return true;
  if (one_of(lemma, {"eat", "drink", "cook", "have"}) && in(Set::kPreposition, first) && !habit)
    return true;
  if (lemma == "have" || lemma == "be") return true;
  if (lemma == "keep" && first.ends_with("ing")) return true;
  const auto text = compose(s, s.parse.verb_text, true);
  if (!text) return true;
  Draft card =
      draft(*text, s.subject_key, std::string(frame.relation), object_of(s), Colour::kFact, frame);
  if (s.time) date(card, s);
  card.single = frame.single;
  // What was denied before holds again.
  const std::string denied = "no " + card.card.object;
  const auto old = notebook_.open(s.subject_key, [&](const store::Card& c) {
    return c.relation == card.card.relation && c.object == denied;
  });
  const auto index = write(std::move(card));
  for (const Found& found : old) notebook_.close(found, end_date(s), index, "holds again");
  return true;
}

}  // namespace kartei::daemon
