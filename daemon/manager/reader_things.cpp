// What people have, and what their things are: belongings, pets, appointments, values, favourites.
#include <algorithm>

#include "daemon/manager/reader.h"

namespace kartei::daemon {
namespace {

using store::Colour;
using store::TimePhrase;

bool has_word_of(Set set, std::string_view text) {
  const Words words = lex_words(text);
  return std::any_of(words.begin(), words.end(), [&](const Word& w) { return in(set, w.low); });
}

// A number, a name, a quotation: something that a thing can be equal to.
bool names_value(const Words& words, const Range& rest) {
  for (std::size_t i = rest.begin; i < rest.end; ++i) {
    const Word& word = words[i];
    if (word.kind == WordKind::kNumber || word.quoted) return true;
    if (word.capital && !in(Set::kNotName, word.low)) return true;
    if (word.low.find('@') != std::string::npos) return true;
  }
  return false;
}

// What the first words of "I have ..." tell: "a dentist appointment", "an idea".
struct HeldWords {
  bool event_noun = false, empty = false;
};

HeldWords held_words(const Words& words, const Range& rest) {
  constexpr std::size_t kReach = 5;
  HeldWords out;
  std::size_t seen = 0;
  for (std::size_t i = rest.begin; i < rest.end && seen < kReach; ++i) {
    if (words[i].phrase >= 0) continue;
    ++seen;
    if (in(Set::kPreposition, words[i].low)) break;
    out.event_noun = out.event_noun || in(Set::kEventNoun, words[i].low);
    out.empty = out.empty || in(Set::kEmptyObject, words[i].low);
  }
  return out;
}

// "43, not 42 as I said"
std::size_t before_what_it_is_not(const Words& words, const Range& rest) {
  for (std::size_t i = rest.begin + 1; i + 1 < rest.end; ++i)
    if (comma(words[i]) && words[i + 1].low == "not") return i;
  return rest.end;
}

// "the tractor is a Deutz, I bought it in May": behind what was said of it.
bool owner_got_it(const Words& words, std::size_t from) {
  for (std::size_t i = from; i + 2 < words.size(); ++i) {
    if (words[i].low == "i" && words[i + 2].low == "it" &&
        one_of(words[i + 1].low, {"bought", "got", "built", "inherited", "own", "ordered"}))
      return true;
  }
  return false;
}

}  // namespace

// "I have two cats", "she has choir every tuesday", "we have a parrot called Kiki".
bool Reader::state_having(const Statement& s) {
  const bool has = s.parse.lemma == "have" && s.parse.tense == Tense::kPresent &&
                   s.parse.modal.empty() && about_somebody(s);
  if (!has) return false;
  if (s.rest.empty()) return true;
  if (one_of(rest_low(s, 0), {"to", "been", "it", "that", "this", "them", "you", "fun", "enough",
                              "never", "such", "so"})) {
    return true;
  }
  const HeldWords held = held_words(page_.words, s.rest);
  const bool dated = has_own_time(s);
  if (!dated && held.empty) return true;
  if (!dated && !held.event_noun) {
    write_belonging(s);
    return true;
  }
  if (!dated && !recurs(s)) return true;
  if (const auto text = compose(s, s.parse.verb_text, true)) {
    write_appointment(s, *text, object_of(s));
  }
  return true;
}

// A time that is not only its beginning.
bool Reader::has_own_time(const Statement& s) const {
  const TimePhrase* phrase = time_of(s);
  return phrase && !phrase->since;
}

// With its day, or with the days on which it comes again.
void Reader::write_appointment(const Statement& s, const std::string& text,
                               const std::string& object) {
  Frame frame = frame_of("event", {});
  frame.domain = "calendar";
  frame.tags = "appointment calendar";
  Draft card = draft(text, s.subject_key, "event", object, Colour::kEvent, frame);
  if (has_own_time(s)) {
    date(card, s);
  } else {
    for (const int p : s.phrases) {
      if (page_.when->phrase(p).recurring) date_from(card, page_.when->phrase(p));
    }
  }
  write(std::move(card));
}

void Reader::write_belonging(const Statement& s) {
  const auto text = compose(s, s.parse.verb_text, true);
  if (!text) return;
  Belonging held;
  held.object = object_of(s);
  meet_held(s, held);
  const bool named = held.relation != "has";
  const Relative* kin = held.kin;
  if (kin && !named && kin->kind != "pet" && kin->kind != "service" && s.about_owner) {
    // "a daughter": "she" is her from now on.
    Person person;
    relate(person, *kin);
    person.of = owner_name_;
    people_.mention(person);
  }
  Frame frame = frame_of("have", {});
  if (held.animal) {
    frame.domain = "pets";
    frame.tags = "pet animal";
  }
  write(draft(*text, s.subject_key, held.relation, held.object, Colour::kFact, frame));
}

// "a parrot called Kiki", "a daughter, Mia": who is known from now on.
void Reader::meet_held(const Statement& s, Belonging& held) {
  const Words& words = page_.words;
  for (std::size_t i = s.rest.begin; i < s.rest.end; ++i) {
    if (words[i].phrase >= 0 || in(Set::kPreposition, words[i].low)) return;
    held.animal = held.animal || in(Set::kPet, words[i].low);
    if (const Relative* found = relative(words[i].low)) held.kin = found;
    const bool called =
        one_of(words[i].low, {"called", "named"}) || (words[i].text == "," && held.kin);
    if (!called || i + 1 >= s.rest.end || !words[i + 1].capital) continue;
    Person person;
    if (held.kin) {
      relate(person, *held.kin);
    } else if (held.animal) {
      person.kind = "pet";
    }
    person.name = words[i + 1].text;
    person.of = s.about_owner ? owner_name_ : s.subject;
    person.animal = held.animal;
    introduced_.insert(people_.mention(person));
    if (s.about_owner) {
      held.relation = held.kin ? person.relation : held.animal ? "pet" : "has";
    }
    held.object = lower(person.name);
  }
}

// "tea is my favourite drink": the owner's favourite drink is tea.
bool Reader::state_favourite(const Statement& s) {
  const Words& words = page_.words;
  if (s.parse.lemma != "be" || s.parse.tense != Tense::kPresent || s.parse.negated) return false;
  if (rest_low(s, 0) != "my" || rest_low(s, 1) != "favourite" || s.rest.end - s.rest.begin < 3)
    return false;
  std::string what;
  for (std::size_t i = s.rest.begin + 1; i < s.rest.end; ++i)
    what += (what.empty() ? "" : " ") + words[i].text;
  Frame frame = frame_of("like", {});
  frame.tags = "favourite preference";
  Draft card = draft(possessive(owner_name_) + " " + what + " is " + s.subject, owner_key_,
                     lower(what), lower(s.subject), Colour::kFact, frame);
  card.single = true;
  write(std::move(card));
  return true;
}

// "my shoe size is 39", "the reunion is on 9 May", "judo is every friday".
bool Reader::state_thing(const Statement& s) {
  const SubjectKind kind = s.parse.subject.kind;
  if (kind != SubjectKind::kOwnThing && kind != SubjectKind::kThing && kind != SubjectKind::kIt)
    return false;
  if (!s.parse.modal.empty()) return true;
  if (s.rest.empty()) return false;
  if (state_favourite(s) || learn_pets_name(s)) return true;
  const Thing thing = thing_of(s);
  if (is_scheduled(thing)) {
    if (const auto text = compose(thing.told, s.parse.verb_text, false)) {
      write_appointment(s, *text, thing.name);
    }
    return true;
  }
  const Tense tense = s.parse.tense;
  if (tense == Tense::kPast || tense == Tense::kPerfect) return state_past(thing.told);
  if (tense != Tense::kPresent || state_still_eats(s, thing.name)) return true;
  if (s.parse.lemma != "be") {
    write_thing_doing(thing);
  } else if (tells_value(thing)) {
    write_value(thing);
  }
  return true;
}

// "my dog's name is Rufus"
bool Reader::learn_pets_name(const Statement& s) {
  const bool names = s.parse.subject.person && s.parse.subject.thing.ends_with("'s name") &&
                     s.parse.lemma == "be" && page_.words[s.rest.begin].capital;
  if (!names) return false;
  Person person = people_.at(*s.parse.subject.person);
  if (!person.name.empty() || person.relation.empty()) return false;
  person.name = page_.words[s.rest.begin].text;
  people_.mention(person);
  return true;
}

// What a statement about a thing is about, and whose it is.
Reader::Thing Reader::thing_of(const Statement& s) {
  const SubjectKind kind = s.parse.subject.kind;
  Thing out;
  out.told = s;
  out.name = lower(kind == SubjectKind::kIt ? topic_ : s.parse.subject.thing);
  out.owned = kind == SubjectKind::kOwnThing || s.subject.starts_with(possessive(owner_name_));
  out.of_person = kind == SubjectKind::kThing && s.subject.find("'s ") != std::string::npos;
  if (kind != SubjectKind::kThing || !s.subject.starts_with("the ")) return out;
  // "the tractor": one that the owner has spoken of as theirs.
  const std::string noun = s.subject.substr(4);
  const auto owns = notebook_.open(owner_key_, [&](const store::Card& card) {
    return one_of(card.relation, {"owns", "has", "bought"}) &&
           overlap(content_words(noun), content_words(card.text)) == 1.0;
  });
  if (owns.empty() && !owner_got_it(page_.words, s.clause.end)) return out;
  out.owned = true;
  out.told.subject = topic_ = possessive(owner_name_) + " " + noun;
  return out;
}

// "the reunion is on 9 May", "judo starts every tuesday at 6": an event with its times.
bool Reader::is_scheduled(const Thing& thing) const {
  const Statement& s = thing.told;
  const bool dated = has_own_time(s);
  if ((!dated && !recurs(s)) || s.parse.negated) return false;
  if (s.parse.tense != Tense::kPresent && s.parse.tense != Tense::kFuture) return false;
  if (s.parse.lemma != "be" && !in(Set::kSchedulingVerb, s.parse.lemma)) return false;
  if (dated || thing.owned || has_word_of(Set::kEventNoun, thing.name)) return true;
  const auto stems = content_words(thing.name);
  return std::any_of(stems.begin(), stems.end(),
                     [](const std::string& w) { return in(Set::kEventNoun, w); });
}

// "eggs are still fine", after something was given up.
bool Reader::state_still_eats(const Statement& s, const std::string& thing) {
  const bool fine = s.parse.lemma == "be" && s.parse.subject.kind == SubjectKind::kThing && last_ &&
                    one_of(rest_low(s, 0), {"ok", "okay", "fine", "allowed", "still"});
  if (!fine) return false;
  const Draft& before = notebook_.draft(*last_);
  if (before.card.relation != "eats" || before.turn != page_.index) return false;
  write(draft(owner_name_ + " still eats " + s.subject, owner_key_, "eats", thing, Colour::kFact,
              frame_of("eat", {})));
  return true;
}

// "my spare key hangs in the shed"
void Reader::write_thing_doing(const Thing& thing) {
  const Statement& s = thing.told;
  const std::string& lemma = s.parse.lemma;
  if (!thing.owned || !in(Set::kThingVerb, lemma) || s.parse.negated) return;
  const bool valued = listing_ || noted_ || names_value(page_.words, s.rest);
  if (!valued && one_of(lemma, {"need", "take", "run", "have", "live", "lie"})) return;
  const auto text = compose(s, s.parse.verb_text, true);
  if (!text) return;
  Frame frame = frame_of("own", {});
  frame.tags = "thing possession";
  write(draft(*text, owner_key_, thing.name + " " + lemma, object_of(s), Colour::kFact, frame));
}

// "my hobby is knitting", "my goal is to run a marathon"
bool Reader::tells_aim(const Thing& thing) const {
  const std::string_view first = rest_low(thing.told, 0);
  if (thing.name.ends_with("hobby")) return first.ends_with("ing");
  const bool purpose = thing.name.ends_with("goal") || thing.name.ends_with("dream") ||
                       thing.name.ends_with("ambition");
  return purpose && first == "to";
}

// "my favourite band is Kent", "my blood type is A"; anything where it is to be noted.
bool Reader::tells_value(const Thing& thing) const {
  const Statement& s = thing.told;
  const bool noted = listing_ || noted_;
  if (!thing.owned && !thing.of_person && !noted) return false;
  if (s.parse.negated) return false;
  if (noted || thing.favourite() || tells_aim(thing)) return true;
  const bool value = names_value(page_.words, s.rest);
  const std::string_view first = rest_low(s, 0);
  if (!has_word_of(Set::kAttribute, thing.name)) return value && !in(Set::kPreposition, first);
  const bool names = in(Set::kDeterminer, first) && !in(Set::kEmptyObject, rest_low(thing.told, 1));
  return value || page_.words[s.rest.begin].kind != WordKind::kWord || names;
}

void Reader::write_value(const Thing& thing) {
  Statement s = thing.told;
  s.rest.end = before_what_it_is_not(page_.words, s.rest);
  const auto text = compose(s, s.parse.verb_text, true);
  if (!text) return;
  Frame frame = frame_of("be", {});
  frame.domain = thing.favourite() ? "preferences" : "details";
  frame.tags = thing.favourite() ? "favourite preference" : "detail number";
  frame.importance = 0.6;
  Draft card = draft(*text, s.subject_key, thing.name, lower(rest_text(s)), Colour::kFact, frame);
  if (s.time && !has_own_time(s)) date(card, s);
  card.single = true;
  write(std::move(card));
}

}  // namespace kartei::daemon
