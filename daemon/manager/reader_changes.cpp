// What ends, moves or is taken back: deaths, sales, break-ups, cancelled and moved events, habits
// given up.
#include <algorithm>

#include "daemon/manager/reader.h"

namespace kartei::daemon {
namespace {

using store::Colour;
using store::Date;

bool is_past(Tense tense) {
  return tense == Tense::kPast || tense == Tense::kPerfect;
}

bool is_thing(const Subject& subject) {
  return subject.kind == SubjectKind::kThing || subject.kind == SubjectKind::kOwnThing;
}

}  // namespace

// "my grandma died", "I sold the boat", "she left Saab".
bool Reader::state_ending(const Statement& s) {
  const std::string& lemma = s.parse.lemma;
  if (!is_past(s.parse.tense) && !s.parse.passive) return false;
  if (s.parse.negated || s.parse.never) return false;
  if (lemma == "die" || (lemma == "pass" && rest_low(s, 0) == "away")) return state_death(s);
  const bool loses = one_of(lemma, {"sell", "lose", "scrap", "donate", "crash", "total"}) ||
                     (lemma == "give" && rest_has(s, "away")) ||
                     (lemma == "get" && rest_low(s, 0) == "rid");
  if (loses && s.parse.subject.kind == SubjectKind::kOwner) return state_loss(s);
  const bool leaves = dismissed(s) || one_of(lemma, {"leave", "quit", "resign", "retire"});
  return leaves && about_somebody(s) && state_leaving(s);
}

// "my grandma died last week": closes what is open about her, and what tied her to the owner.
bool Reader::state_death(const Statement& s) {
  if (is_thing(s.parse.subject)) return false;
  std::string name = s.parse.subject.thing;
  if (s.parse.subject.person) name = people_.at(*s.parse.subject.person).name;
  if (name.empty() && s.parse.subject.kind != SubjectKind::kPerson) return false;
  const auto text = compose(s, s.parse.verb_text, false);
  if (!text) return true;
  Draft card =
      draft(*text, s.subject_key, "died", "died", Colour::kEvent, frame_of(s.parse.lemma, {}));
  finish_event(card, s);
  const auto index = write(std::move(card));
  if (!name.empty()) end_relation(name, end_date(s), index, "died", false);
  for (const Found& old : notebook_.open(s.subject_key, [](const store::Card& c) {
         return c.colour == Colour::kFact && !c.valid_to.known() && c.relation != "birthday";
       })) {
    if (old.draft != index) notebook_.close(old, end_date(s), index, "died");
  }
  return true;
}

// "I sold the boat"; what was lost must have been known.
bool Reader::state_loss(const Statement& s) {
  const std::string& lemma = s.parse.lemma;
  auto what = content_words(object_of(s));
  std::erase_if(what, [](const std::string& w) { return w == "away" || w == "rid"; });
  std::vector<Found> old;
  if (!what.empty()) {
    old = notebook_.open(s.subject_key, [&](const store::Card& c) {
      return c.colour == Colour::kFact &&
             one_of(c.relation, {"drives", "owns", "has", "rides", "pet", "rents"}) &&
             overlap(what, content_words(c.text)) >= 0.5;
    });
  }
  if (lemma == "lose" && old.empty()) return false;
  const auto text = compose(s, s.parse.verb_text, false);
  if (!text) return true;
  Draft card =
      draft(*text, s.subject_key, "sold", object_of(s), Colour::kEvent, frame_of("sell", {}));
  finish_event(card, s);
  const auto index = write(std::move(card));
  for (const Found& found : old) notebook_.close(found, end_date(s), index, "given up: " + lemma);
  return true;
}

// "I was laid off", "she got fired"
bool Reader::dismissed(const Statement& s) const {
  const std::string& lemma = s.parse.lemma;
  return (s.parse.passive && one_of(lemma, {"fire", "lay", "let"})) ||
         (lemma == "get" && one_of(rest_low(s, 0), {"fired", "laid", "sacked"}));
}

// "I left Saab", "she retired": the job that is named, or any job.
bool Reader::state_leaving(const Statement& s) {
  const auto what = content_words(object_of(s));
  const bool job = dismissed(s) || one_of(s.parse.lemma, {"resign", "retire"}) ||
                   rest_has(s, "job") || rest_has(s, "work") || rest_has(s, "company") ||
                   rest_has(s, "firm");
  const auto old = notebook_.open(s.subject_key, [&](const store::Card& c) {
    if (!one_of(c.relation, {"works", "profession", "studies"}) || c.valid_to.known()) return false;
    const bool named = !what.empty() && overlap(what, content_words(c.text)) >= 0.5;
    return named || (job && c.relation != "studies");
  });
  if (old.empty() && !job) return false;
  const auto text = compose(s, s.parse.verb_text, false);
  if (!text) return true;
  Draft card =
      draft(*text, s.subject_key, "left", object_of(s), Colour::kEvent, frame_of("work", {}));
  card.ending = true;
  finish_event(card, s);
  const auto index = write(std::move(card));
  for (const Found& found : old) notebook_.close(found, end_date(s), index, "left");
  return true;
}

// "Robin and I broke up", "we got divorced"
bool Reader::state_break_up(const Statement& s) {
  const std::string& lemma = s.parse.lemma;
  const bool up = one_of(lemma, {"break", "split"}) && rest_low(s, 0) == "up";
  const bool apart = one_of(lemma, {"divorce", "separate"}) ||
                     (lemma == "get" && one_of(rest_low(s, 0), {"divorced", "separated"}));
  if ((!up && !apart) || s.parse.negated) return false;
  if (!is_past(s.parse.tense) || !about_somebody(s)) return false;
  const std::string name = left_partner(s);
  std::optional<std::string> text;
  if (s.parse.subject.and_owner && !name.empty()) {
    const std::string rest = reworded(s.rest, true).text;
    text =
        owner_name_ + " and " + name + " " + s.parse.verb_text + (rest.empty() ? "" : " ") + rest;
  } else {
    text = compose(s, s.parse.verb_text, false);
  }
  if (!text) return true;
  Frame frame = frame_of("marry", {});
  frame.tags = "relationship people";
  Draft card = draft(*text, owner_key_, "broke_up", name.empty() ? "partner" : lower(name),
                     Colour::kEvent, frame);
  finish_event(card, s);
  const auto index = write(std::move(card));
  const bool of_owner = s.parse.subject.kind == SubjectKind::kOwner || !name.empty();
  if (of_owner) end_relation(name, end_date(s), index, "broke up", true);
  return true;
}

// With whom: "broke up with Robin", "Robin and I".
std::string Reader::left_partner(const Statement& s) {
  std::string name;
  if (s.parse.subject.person) name = people_.at(*s.parse.subject.person).name;
  for (std::size_t i = s.rest.begin; i < s.rest.end; ++i) {
    if (page_.words[i].low != "with" && page_.words[i].low != "from") continue;
    if (const auto other = parser_.person(page_.words, i + 1, s.rest.end)) {
      name = people_.at(other->second).name;
    }
  }
  return name;
}

// "the recital got moved to sunday", "the hike is off", "I cancelled the cabin".
bool Reader::state_change_of_plan(const Statement& s) {
  const std::string& lemma = s.parse.lemma;
  const bool off = is_off(s), not_happening = is_not_happening(s);
  const bool cancels = one_of(lemma, {"cancel", "call"}) || off || not_happening ||
                       (lemma == "get" && one_of(rest_low(s, 0), {"cancelled", "canceled"}));
  if (!cancels && !moves_event(s)) return false;
  if (lemma == "call" && rest_low(s, 0) != "off" && !rest_has(s, "off")) return false;
  if (s.parse.negated && !not_happening) return false;
  const auto what = event_words(s);
  if (!cancels) return state_moved_event(s, what);
  const auto event = what.empty() ? std::nullopt : matching_event(what);
  if (event) return cancel_event(s, *event);
  return !off && state_cancelled(s, what);
}

// "the hike is off"; "Samos is off": a name of whom nothing is known may be a place.
bool Reader::is_off(const Statement& s) const {
  const Subject& subject = s.parse.subject;
  const bool real_person = subject.kind == SubjectKind::kPerson && subject.person &&
                           !people_.at(*subject.person).relation.empty();
  return s.parse.lemma == "be" && !s.parse.passive &&
         one_of(rest_low(s, 0), {"off", "cancelled", "canceled", "postponed"}) &&
         subject.kind != SubjectKind::kOwner && !real_person;
}

// "the picnic is not happening"
bool Reader::is_not_happening(const Statement& s) const {
  return s.parse.negated && one_of(s.parse.lemma, {"happen", "go"}) &&
         s.parse.tense == Tense::kProgressive;
}

// "was moved", "got rescheduled"
bool Reader::moves_event(const Statement& s) const {
  if (s.parse.lemma == "get") {
    return one_of(rest_low(s, 0), {"moved", "rescheduled", "postponed", "pushed", "changed"});
  }
  return one_of(s.parse.lemma,
                {"move", "reschedule", "postpone", "push", "shift", "change", "delay", "bring"});
}

// The words that name the event, whoever the subject is.
std::vector<std::string> Reader::event_words(const Statement& s) const {
  const SubjectKind kind = s.parse.subject.kind;
  const bool somebody = kind == SubjectKind::kOwner || kind == SubjectKind::kThey;
  auto out = content_words((somebody ? "" : s.subject) + " " + object_of(s));
  std::erase_if(out, [](const std::string& w) { return in(Set::kChangeStem, w); });
  return out;
}

// An event that is known: its card is closed. "the hike is off" names it loosely.
bool Reader::cancel_event(const Statement& s, const Found& event) {
  const bool by_owner = s.parse.subject.kind == SubjectKind::kOwner;
  const bool not_happening = is_not_happening(s);
  std::string text = by_owner ? compose(s, s.parse.verb_text, false).value_or("") : std::string{};
  if (text.empty() || is_off(s) || not_happening) {
    std::string thing =
        s.parse.subject.kind == SubjectKind::kThing ? place_name(s.subject) : s.subject;
    if (not_happening && by_owner) thing = place_name(object_of(s));
    text = thing + " was cancelled";
  }
  Frame frame = frame_of("event", {});
  frame.tags = "cancelled calendar";
  Draft card = draft(text, owner_key_, "cancelled", event.card.object, Colour::kEvent, frame);
  card.card.valid_from = page_.when->today();
  const auto index = write(std::move(card));
  notebook_.close(event, page_.when->today(), index, "cancelled");
  return true;
}

// No event, but perhaps a subscription: "I cancelled my gym membership".
bool Reader::state_cancelled(const Statement& s, const std::vector<std::string>& what) {
  // Said twice in one breath.
  const auto again = notebook_.open(owner_key_, [&](const store::Card& c) {
    return c.relation == "cancelled" &&
           overlap(what, content_words(c.object + " " + c.text)) >= 0.5;
  });
  const bool by_owner = s.parse.subject.kind == SubjectKind::kOwner;
  if (!again.empty() || what.empty() || !by_owner || s.parse.tense == Tense::kPresent) return true;
  const auto subscription = owned_like(owner_key_, what);
  const auto text = compose(s, s.parse.verb_text, false);
  if (!text) return true;
  Draft card =
      draft(*text, owner_key_, "cancelled", object_of(s), Colour::kEvent, frame_of("event", {}));
  finish_event(card, s);
  const auto index = write(std::move(card));
  for (const Found& found : subscription) notebook_.close(found, end_date(s), index, "cancelled");
  return true;
}

// "the recital got moved to sunday"
bool Reader::state_moved_event(const Statement& s, const std::vector<std::string>& what) {
  if (!s.time || what.empty()) return false;
  const auto event = matching_event(what);
  if (!event) return state_unknown_event_moved(s);
  Date to = new_day(s);
  if (!to.known()) return true;
  const Date old = event->card.valid_from;
  if (to.minute < 0 && old.minute >= 0 && rest_has(s, "same")) to.minute = old.minute;
  std::string text = event->card.text;
  const std::string was = store::spoken(old);
  const std::size_t at = text.find(was);
  if (at != std::string::npos && old.known()) {
    text.replace(at, was.size(), store::spoken(to));
  } else {
    const std::string thing = is_thing(s.parse.subject) ? s.subject : "The " + event->card.object;
    text = thing + " was moved to " + store::spoken(to);
  }
  Draft card = draft(text, owner_key_, event->card.relation, event->card.object, Colour::kEvent,
                     frame_of("event", {}));
  card.card.valid_from = to;
  card.card.tags = event->card.tags;
  const auto index = write(std::move(card));
  notebook_.close(*event, page_.when->today(), index, "moved");
  return true;
}

// "the dentist appointment was moved", "I moved my dentist appointment": what was; may be empty.
std::string Reader::what_was_moved(const Statement& s) const {
  if (is_thing(s.parse.subject)) return s.subject;
  const Words& words = page_.words;
  std::size_t at = s.rest.begin;
  if (s.parse.subject.kind != SubjectKind::kOwner || low_at(words, at, s.rest.end) != "my")
    return {};
  std::string what = possessive(owner_name_);
  for (++at; at < s.rest.end && words[at].phrase < 0; ++at) {
    if (words[at].kind != WordKind::kWord) return {};
    what += " " + words[at].text;
  }
  return what;
}

// Not known yet: the new day is what counts.
bool Reader::state_unknown_event_moved(const Statement& s) {
  const Date& to = time_of(s)->from;
  const std::string what = what_was_moved(s);
  if (what.empty() || !to.day || s.parse.tense == Tense::kPresent) return false;
  Draft card = draft(what + " was moved to " + store::spoken(to), owner_key_, "event", lower(what),
                     Colour::kEvent, frame_of("event", {}));
  card.card.valid_from = to;
  write(std::move(card));
  return true;
}

// "from monday to wednesday": the second day is the new one.
Date Reader::new_day(const Statement& s) const {
  const store::TimePhrase& phrase = *time_of(s);
  if (!phrase.to.known() || !phrase.to.day || phrase.since) return phrase.from;
  const std::string_view said =
      std::string_view(page_.turn->text).substr(phrase.begin, phrase.end - phrase.begin);
  if (!lower(said).starts_with("from")) return phrase.from;
  return Date::day_of(phrase.to.begin() - std::chrono::hours{12}, phrase.to.zone_min);
}

}  // namespace kartei::daemon
