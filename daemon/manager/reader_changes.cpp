// What ends, moves or is taken back: deaths, sales, break-ups, cancelled and moved events, habits
// given up, and corrections of what was just said.
#include <algorithm>

#include "daemon/manager/reader.h"

namespace kartei::daemon {
namespace {

using store::Colour;
using store::Date;

bool is_weekday(std::string_view low) {
  return one_of(low,
                {"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"});
}

}  // namespace

bool Reader::state_ending(const Statement& s) {
  const Words& words = page_.words;
  const std::string& lemma = s.parse.lemma;
  const Tense tense = s.parse.tense;
  if (tense != Tense::kPast && tense != Tense::kPerfect && !s.parse.passive) return false;
  if (s.parse.negated || s.parse.never) return false;
  const bool by_owner = s.parse.subject.kind == SubjectKind::kOwner;
  const Frame frame = frame_of(lemma, {});
  const bool dies = lemma == "die" || (lemma == "pass" && rest_low(s, 0) == "away");
  if (dies) {
    std::string name = s.parse.subject.thing;
    if (s.parse.subject.person) name = people_.at(*s.parse.subject.person).name;
    if (name.empty() && s.parse.subject.kind != SubjectKind::kPerson) return false;
    if (s.parse.subject.kind == SubjectKind::kThing ||
        s.parse.subject.kind == SubjectKind::kOwnThing)
      return false;
    const auto text = compose(s, s.parse.verb_text, false);
    if (!text) return true;
    Draft card = draft(*text, s.subject_key, "died", "died", Colour::kEvent, frame);
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
  const bool loses = one_of(lemma, {"sell", "lose", "scrap", "donate", "crash", "total"}) ||
                     (lemma == "give" && rest_has(s, "away")) ||
                     (lemma == "get" && rest_low(s, 0) == "rid");
  if (loses && by_owner) {
    auto what = content_words(object_of(s));
    std::erase_if(what, [](const std::string& w) { return w == "away" || w == "rid"; });
    const auto old =
        what.empty()
            ? std::vector<Found>{}
            : notebook_.open(s.subject_key, [&](const store::Card& c) {
                return c.colour == Colour::kFact &&
                       one_of(c.relation, {"drives", "owns", "has", "rides", "pet", "rents"}) &&
                       overlap(what, content_words(c.text)) >= 0.5;
              });
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
  const bool fired = s.parse.passive && one_of(lemma, {"fire", "lay", "let"});
  const bool got_fired = lemma == "get" && one_of(rest_low(s, 0), {"fired", "laid", "sacked"});
  const bool leaves = one_of(lemma, {"leave", "quit", "resign", "retire"}) || fired || got_fired;
  if (leaves && (by_owner || s.parse.subject.kind == SubjectKind::kPerson)) {
    const auto what = content_words(object_of(s));
    const bool job = fired || got_fired || lemma == "resign" || lemma == "retire" ||
                     rest_has(s, "job") || rest_has(s, "work") || rest_has(s, "company") ||
                     rest_has(s, "firm");
    const auto old = notebook_.open(s.subject_key, [&](const store::Card& c) {
      if (c.relation != "works" && c.relation != "profession" && c.relation != "studies")
        return false;
      if (c.valid_to.known()) return false;
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
  (void)words;
  return false;
}

bool Reader::state_break_up(const Statement& s) {
  const std::string& lemma = s.parse.lemma;
  const bool up = one_of(lemma, {"break", "split"}) && rest_low(s, 0) == "up";
  const bool apart = one_of(lemma, {"divorce", "separate"}) ||
                     (lemma == "get" && one_of(rest_low(s, 0), {"divorced", "separated"}));
  if ((!up && !apart) || s.parse.negated) return false;
  if (s.parse.tense != Tense::kPast && s.parse.tense != Tense::kPerfect) return false;
  if (s.parse.subject.kind != SubjectKind::kOwner && s.parse.subject.kind != SubjectKind::kPerson)
    return false;
  std::string name, text_subject = s.subject;
  if (s.parse.subject.person) name = people_.at(*s.parse.subject.person).name;
  for (std::size_t i = s.rest.begin; i < s.rest.end; ++i) {
    if (page_.words[i].low != "with" && page_.words[i].low != "from") continue;
    if (const auto other = parser_.person(page_.words, i + 1, s.rest.end)) {
      name = people_.at(other->second).name;
    }
  }
  const bool of_owner = s.parse.subject.kind == SubjectKind::kOwner || !name.empty();
  std::string text;
  if (s.parse.subject.and_owner && !name.empty()) {
    text = owner_name_ + " and " + name + " " + s.parse.verb_text;
    const std::string rest = reworded(s.rest, true).text;
    if (!rest.empty()) text += " " + rest;
  } else {
    const auto composed = compose(s, s.parse.verb_text, false);
    if (!composed) return true;
    text = *composed;
  }
  Frame frame = frame_of("marry", {});
  frame.tags = "relationship people";
  Draft card = draft(text, owner_key_, "broke_up", name.empty() ? "partner" : lower(name),
                     Colour::kEvent, frame);
  finish_event(card, s);
  const auto index = write(std::move(card));
  if (of_owner) end_relation(name, end_date(s), index, "broke up", true);
  return true;
}

// "the recital got moved to sunday", "the hike is off", "I cancelled the cabin".
bool Reader::state_change_of_plan(const Statement& s) {
  const std::string& lemma = s.parse.lemma;
  const bool to_be = lemma == "be" && !s.parse.passive;
  // "Samos is off": a name of whom nothing is known may be a place.
  const bool real_person = s.parse.subject.kind == SubjectKind::kPerson && s.parse.subject.person &&
                           !people_.at(*s.parse.subject.person).relation.empty();
  const bool off =
      to_be &&
      (rest_low(s, 0) == "off" || one_of(rest_low(s, 0), {"cancelled", "canceled", "postponed"})) &&
      s.parse.subject.kind != SubjectKind::kOwner && !real_person;
  const bool not_happening =
      s.parse.negated && one_of(lemma, {"happen", "go"}) && s.parse.tense == Tense::kProgressive;
  const bool cancels = one_of(lemma, {"cancel", "call"}) || off || not_happening ||
                       (lemma == "get" && one_of(rest_low(s, 0), {"cancelled", "canceled"}));
  const bool moves =
      one_of(lemma,
             {"move", "reschedule", "postpone", "push", "shift", "change", "delay", "bring"}) ||
      (lemma == "get" &&
       one_of(rest_low(s, 0), {"moved", "rescheduled", "postponed", "pushed", "changed"}));
  if (!cancels && !moves) return false;
  if (lemma == "call" && !(rest_low(s, 0) == "off" || rest_has(s, "off"))) return false;
  if (s.parse.negated && !not_happening) return false;
  std::string named =
      s.parse.subject.kind == SubjectKind::kOwner || s.parse.subject.kind == SubjectKind::kThey
          ? ""
          : s.subject;
  named += " " + object_of(s);
  auto what = content_words(named);
  std::erase_if(what, [](const std::string& w) {
    return one_of(w, {"off",    "still",   "whole", "day",     "moved",   "postpon", "reschedul",
                      "cancel", "cancell", "push",  "back",    "forward", "happen",  "going",
                      "go",     "tim",     "got",   "already", "it",      "whol",    "mov"});
  });
  if (cancels) {
    const auto event = what.empty() ? std::nullopt : matching_event(what);
    if (!event && off) return false;
    const bool by_owner = s.parse.subject.kind == SubjectKind::kOwner;
    if (event) {
      std::string text =
          by_owner ? compose(s, s.parse.verb_text, false).value_or("") : std::string{};
      // "the hike is off" names it loosely.
      if (text.empty() || off || not_happening) {
        std::string thing =
            s.parse.subject.kind == SubjectKind::kThing ? place_name(s.subject) : s.subject;
        if (not_happening && by_owner) thing = place_name(object_of(s));
        text = thing + " was cancelled";
      }
      Frame frame = frame_of("event", {});
      frame.tags = "cancelled calendar";
      Draft card = draft(text, owner_key_, "cancelled", event->card.object, Colour::kEvent, frame);
      card.card.valid_from = page_.when->today();
      const auto index = write(std::move(card));
      notebook_.close(*event, page_.when->today(), index, "cancelled");
      return true;
    }
    // Said twice in one breath.
    const auto again = notebook_.open(owner_key_, [&](const store::Card& c) {
      return c.relation == "cancelled" &&
             overlap(what, content_words(c.object + " " + c.text)) >= 0.5;
    });
    if (!again.empty() || what.empty() || !by_owner || s.parse.tense == Tense::kPresent)
      return true;
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
  if (!s.time || what.empty()) return false;
  const store::TimePhrase& phrase = page_.when->phrase(*s.time);
  const auto event = matching_event(what);
  if (!event) {
    // Not known yet: the new day is what counts.
    const bool thing = s.parse.subject.kind == SubjectKind::kThing ||
                       s.parse.subject.kind == SubjectKind::kOwnThing;
    if (!thing || !phrase.from.day || s.parse.tense == Tense::kPresent) return false;
    Draft card = draft(s.subject + " was moved to " + store::spoken(phrase.from), owner_key_,
                       "event", lower(s.subject), Colour::kEvent, frame_of("event", {}));
    card.card.valid_from = phrase.from;
    write(std::move(card));
    return true;
  }
  Date to = phrase.from;
  if (phrase.to.known() && phrase.to.day && !phrase.since) {
    // "from monday to wednesday": the second day is the new one.
    const std::string_view said =
        std::string_view(page_.turn->text).substr(phrase.begin, phrase.end - phrase.begin);
    if (lower(said).starts_with("from"))
      to = Date::day_of(phrase.to.begin() - std::chrono::hours{12}, phrase.to.zone_min);
  }
  if (!to.known()) return true;
  const Date old = event->card.valid_from;
  if (to.minute < 0 && old.minute >= 0 && rest_has(s, "same")) to.minute = old.minute;
  std::string text = event->card.text;
  const std::string was = store::spoken(old);
  const std::size_t at = text.find(was);
  if (at != std::string::npos && old.known()) {
    text.replace(at, was.size(), store::spoken(to));
  } else {
    const std::string thing = s.parse.subject.kind == SubjectKind::kThing ||
                                      s.parse.subject.kind == SubjectKind::kOwnThing
                                  ? s.subject
                                  : "The " + event->card.object;
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

// "I no longer jog", "stopped vaping", "I don't own a bike".
bool Reader::state_negation(const Statement& s) {
  const Words& words = page_.words;
  const SubjectKind kind = s.parse.subject.kind;
  if (kind != SubjectKind::kOwner && kind != SubjectKind::kPerson) return false;
  std::string lemma = s.parse.lemma;
  Statement about = s;
  const bool anymore = s.parse.negated && (rest_has(s, "anymore") || rest_has(s, "longer") ||
                                           (rest_has(s, "any") && rest_has(s, "more")));
  bool ended = s.parse.ended || anymore;
  const bool stops = one_of(lemma, {"stop", "quit"}) || (lemma == "give" && rest_low(s, 0) == "up");
  const bool done = s.parse.tense == Tense::kPast || s.parse.tense == Tense::kPerfect;
  if (stops && done && !s.parse.negated) {
    if (lemma == "give") ++about.rest.begin;
    const auto form =
        about.rest.empty() ? std::nullopt : lexicon_.verb(words[about.rest.begin].low);
    if (form && form->form == Form::kIng) {
      lemma = std::string(form->lemma);
      ++about.rest.begin;
      if (form->verb == Verb::kTrivial) return true;
    } else if (about.rest.empty() || s.parse.lemma == "quit") {
      return false;
    } else {
      lemma = "eat";
    }
    ended = true;
  }
  if (!ended && !s.parse.negated) return false;
  if (!ended && s.parse.tense != Tense::kPresent) return false;
  if (!s.parse.modal.empty() && !ended) return false;
  if (s.parse.verb == Verb::kTrivial && !ended) return true;
  if (anymore) {
    // The word itself is not repeated.
    while (!about.rest.empty() && one_of(words[about.rest.end - 1].low, {"anymore", "more", "any"}))
      --about.rest.end;
  }
  const std::string_view first = rest_low(about, 0);
  if (about.rest.empty() &&
      !one_of(lemma, {"smoke", "drink", "drive", "vape", "work", "run", "dance", "sing"}))
    return true;
  if (one_of(first, {"it", "that", "this", "you", "them", "to", "so", "really"}) ||
      in(Set::kEmptyObject, first) || in(Set::kEmptyObject, rest_low(about, 1))) {
    return true;
  }
  const Frame frame = frame_of(lemma, first);
  std::string object = object_of(about);
  if (object.starts_with("any ")) object = object.substr(4);
  const auto what = content_words(object);
  const auto old = notebook_.open(s.subject_key, [&](const store::Card& card) {
    if (card.colour != Colour::kFact || card.valid_to.known() || card.object.starts_with("no "))
      return false;
    const bool same_act =
        card.relation == frame.relation ||
        overlap(content_words(lemma), content_words(card.text)) == 1.0 ||
        (frame.relation == "has" && one_of(card.relation, {"owns", "pet", "drives"})) ||
        (frame.relation == "owns" && one_of(card.relation, {"has", "drives"})) ||
        (lemma == "be" && (card.relation == "diet" || card.relation == "marital" ||
                           card.relation == "profession" || card.relation == "is"));
    return same_act && (what.empty() || overlap(what, content_words(card.text)) >= 0.6);
  });
  // A plain denial needs a lasting verb; "not a fan" and the like are told elsewhere.
  const bool lasting = s.parse.verb == Verb::kHabit ||
                       one_of(lemma, {"have", "eat", "drink", "take", "own", "need", "be", "get"});
  if (!ended && (!lasting || lemma == "be" || lemma == "need" || lemma == "get") && old.empty())
    return lemma != "be";
  if (lemma == "be" && old.empty() && !ended) return true;
  std::string verb = s.parse.verb_text;
  if (anymore || (stops && done))
    verb = "no longer " + (lemma == "be" ? std::string("is") : third_person(lemma));
  if (s.parse.ended && lemma == "be") verb = "is no longer";
  about.from_then = ended;
  const auto text = compose(about, verb, true);
  if (!text) return true;
  Draft card = draft(*text, s.subject_key, std::string(frame.relation), "no " + object,
                     Colour::kFact, frame);
  if (s.time) {
    card.card.valid_from = page_.when->phrase(*s.time).from;
    card.card.valid_from.minute = -1;
  }
  const Date when = end_date(s);
  if (!card.card.valid_from.known() && ended) card.card.valid_from = when;
  const auto index = write(std::move(card));
  for (const Found& found : old) {
    if (found.draft != index) notebook_.close(found, when, index, "no longer so");
  }
  return true;
}

// Within one turn: "row 8 .. no wait, 9" is "row 9".
void Reader::mend_words(Words& words) const {
  auto same_sort = [](const Word& a, const Word& b) {
    if (a.kind == WordKind::kNumber || b.kind == WordKind::kNumber) return a.kind == b.kind;
    if (is_weekday(a.low) || is_weekday(b.low)) return is_weekday(a.low) && is_weekday(b.low);
    return a.capital && b.capital && a.kind == WordKind::kWord;
  };
  for (std::size_t i = 1; i + 2 < words.size(); ++i) {
    std::size_t after = 0;
    const bool no_wait = words[i].low == "no" && one_of(words[i + 1].low, {"wait", "sorry"});
    const bool sorry =
        words[i].low == "sorry" && (words[i + 1].text == "," || words[i + 1].low == "i");
    const bool wait = words[i].low == "wait" && one_of(words[i + 1].low, {"no", ","});
    const bool mean = words[i].low == "i" && words[i + 1].low == "mean";
    const bool correction = one_of(words[i].low, {"scratch", "correction"});
    if (no_wait || mean) after = i + 2;
    if (sorry || wait || correction) after = i + 1;
    if (after == 0) continue;
    while (after < words.size() &&
           (words[after].kind == WordKind::kPunct ||
            one_of(words[after].low,
                   {"that", "i", "mean", "meant", "no", "wait", "it", "is", "actually", "make"}))) {
      ++after;
    }
    if (after >= words.size() || after > i + 8) continue;
    // The nearest word of the same sort, before the interruption.
    for (std::size_t k = i; k-- > 0 && k + 6 > i;) {
      if (!same_sort(words[k], words[after])) continue;
      const int phrase = words[k].phrase;
      if (phrase >= 0 && words[after].phrase < 0) break;
      Word better = words[after];
      better.glued = words[k].glued;
      words[k] = better;
      words.erase(words.begin() + static_cast<std::ptrdiff_t>(k + 1),
                  words.begin() + static_cast<std::ptrdiff_t>(after + 1));
      return;
    }
  }
}

// The next turn mends the last: "oops, I meant sunday".
bool Reader::read_correction(const Sentence& sentence) {
  const Words& words = page_.words;
  Range range = sentence;
  bool corrects = false;
  for (std::size_t i = range.begin; i + 1 < range.end && i < range.begin + 6; ++i) {
    const bool meant = words[i].low == "i" && one_of(words[i + 1].low, {"meant", "mean"});
    const bool wait = words[i].low == "no" && words[i + 1].low == "wait";
    const bool tag = words[i].low == "scratch" && words[i + 1].low == "that";
    const bool make = words[i].low == "make" && one_of(words[i + 1].low, {"that", "it"});
    const bool word = words[i].low == "correction";
    if (!meant && !wait && !tag && !make && !word) continue;
    corrects = true;
    range.begin = i + (word ? 1 : 2);
    break;
  }
  if (!corrects && range.end - range.begin <= 6 && range.begin + 1 < range.end &&
      one_of(words[range.begin].low, {"sorry", "oops", "wait", "typo"})) {
    corrects = true;
    ++range.begin;
  }
  if (!corrects && range.begin > 0 && words[range.begin - 1].text == "*" &&
      range.end - range.begin <= 3)
    corrects = true;
  if (!corrects || silent_) return corrects && silent_;
  if (!last_) return false;
  Draft& before = notebook_.draft(*last_);
  if (before.dropped || before.turn + 4 < page_.index) return false;
  store::Card& card = before.card;
  std::string text = card.text;
  const auto phrases = page_.when->inside(words, range);
  const auto time = page_.when->main(phrases);
  if (time && card.valid_from.known()) {
    Date to = page_.when->phrase(*time).from;
    if (!to.known()) return false;
    const std::string was = store::spoken(card.valid_from);
    if (to.minute < 0 && to.day) to.minute = card.valid_from.minute;
    if (to.minute >= 0 && card.valid_from.minute >= 0) to.zone_min = card.valid_from.zone_min;
    const std::size_t at = text.find(was);
    if (at == std::string::npos) return false;
    text.replace(at, was.size(), store::spoken(to));
    card.valid_from = to;
    if (card.valid_to.known()) card.valid_to = {};
  } else {
    // The word of the same sort: a number for a number, a name for a name.
    std::size_t put = range.begin;
    while (put < range.end && !(words[put].kind == WordKind::kNumber ||
                                (words[put].capital && !in(Set::kNotName, words[put].low)))) {
      ++put;
    }
    if (put >= range.end) return false;
    const bool number = words[put].kind == WordKind::kNumber;
    std::string what = words[put].text;
    for (std::size_t k = put + 1; k < range.end && words[k].capital && !number; ++k)
      what += " " + words[k].text;
    const Words old = lex_words(text);
    std::size_t hit = old.size();
    for (std::size_t k = old.size(); k-- > 1;) {
      const bool fits = number ? old[k].kind == WordKind::kNumber
                               : old[k].capital && old[k].kind == WordKind::kWord &&
                                     old[k].low != lower(owner_name_);
      if (fits) {
        hit = k;
        break;
      }
    }
    if (hit >= old.size()) return false;
    std::size_t from = hit;
    while (!number && from > 1 && old[from - 1].capital && old[from - 1].kind == WordKind::kWord &&
           what.find(' ') != std::string::npos) {
      --from;
    }
    text.replace(old[from].begin, old[hit].end - old[from].begin, what);
    card.object = store::normalised_text(what);
  }
  card.text = card.micro_context = sentence_of(text);
  const auto& source = page_.turn->id;
  if (std::find(card.sources.begin(), card.sources.end(), source) == card.sources.end() &&
      card.sources.size() < 3) {
    card.sources.push_back(source);
  }
  return true;
}

}  // namespace kartei::daemon
