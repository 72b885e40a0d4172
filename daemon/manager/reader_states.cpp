// What people are and have: health, diet, belongings, the things of the owner and their values.
#include <algorithm>

#include "daemon/manager/reader.h"

namespace kartei::daemon {
namespace {

using store::Colour;

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

}  // namespace

bool Reader::state_health(const Statement& s) {
  const Words& words = page_.words;
  const SubjectKind kind = s.parse.subject.kind;
  if (kind != SubjectKind::kOwner && kind != SubjectKind::kPerson) return false;
  Frame frame;
  frame.lemma = "allergic";
  frame.relation = "allergy";
  frame.domain = "health";
  frame.tags = "allergy health food";
  frame.importance = 0.9;
  const bool to_be = s.parse.lemma == "be" && s.parse.tense == Tense::kPresent;
  std::size_t at = s.rest.begin;
  while (at < s.rest.end && in(Set::kAdverb, words[at].low)) ++at;
  const bool severe = at + 1 < s.rest.end && words[at + 1].low == "allergic";
  if (to_be && at < s.rest.end && (words[at].low == "allergic" || severe)) {
    if (severe) ++at;
    const bool names_it =
        at + 2 < s.rest.end + 1 && at + 1 < s.rest.end && words[at + 1].low == "to";
    if (!names_it) {
      if (avoided_.empty()) return true;
      if (avoided_draft_) notebook_.drop(*avoided_draft_);
      write(draft(s.subject + " is allergic to " + avoided_, s.subject_key, "allergy", avoided_,
                  Colour::kFact, frame));
      avoided_.clear();
      avoided_draft_.reset();
      return true;
    }
    const auto text = compose(s, s.parse.verb_text, true);
    if (!text) return true;
    const Range what{at + 2, s.rest.end};
    Statement object = s;
    object.rest = what;
    if (s.parse.negated) {
      for (const Found& old : owned_like(s.subject_key, content_words(object_of(object)))) {
        if (old.card.relation == "allergy")
          notebook_.close(old, end_date(s), std::nullopt, "denied");
      }
      return true;
    }
    write(draft(*text, s.subject_key, "allergy", object_of(object), Colour::kFact, frame));
    return true;
  }
  // "can't stand coriander"
  if (s.parse.modal == "can" && s.parse.negated && one_of(s.parse.lemma, {"stand", "bear"})) {
    const auto text = compose(s, s.parse.verb_text, true);
    const bool named =
        !s.rest.empty() && !one_of(rest_low(s, 0), {"it", "that", "this", "when", "how", "up"});
    if (text && named) {
      write(draft(*text, s.subject_key, "dislikes", object_of(s), Colour::kFact,
                  frame_of("hate", {})));
    }
    return true;
  }
  // "can't have shellfish", "can't eat gluten"
  const bool cannot = s.parse.modal == "can" && s.parse.negated &&
                      one_of(s.parse.lemma, {"have", "eat", "drink", "tolerate", "digest", "take"});
  if (cannot) {
    const std::string what = rest_text(s);
    if (what.empty() || in(Set::kEmptyObject, rest_low(s, 0)) ||
        one_of(rest_low(s, 0), {"it", "that", "this", "any", "a", "the", "my", "one", "more",
                                "them", "part", "care"})) {
      return true;
    }
    avoided_ = what;
    const auto text = compose(s, s.parse.verb_text, true);
    const auto known = notebook_.open(s.subject_key, [&](const store::Card& card) {
      return card.relation == "allergy" &&
             overlap(content_words(what), content_words(card.object)) == 1.0;
    });
    if (!known.empty()) {
      Draft again = draft(known.front().card.text, s.subject_key, "allergy",
                          known.front().card.object, Colour::kFact, frame);
      write(std::move(again));
      return true;
    }
    frame.tags = "diet health food";
    if (text)
      avoided_draft_ = write(draft(*text, s.subject_key, "cannot", what, Colour::kFact, frame));
    return true;
  }
  if (s.parse.lemma == "have" && s.parse.tense == Tense::kPresent && !s.parse.negated) {
    for (std::size_t i = s.rest.begin; i < s.rest.end; ++i) {
      if (!one_of(words[i].low, {"allergy", "allergies", "intolerance"})) continue;
      const auto text = compose(s, s.parse.verb_text, true);
      if (text) write(draft(*text, s.subject_key, "allergy", object_of(s), Colour::kFact, frame));
      return true;
    }
  }
  return false;
}

bool Reader::state_having(const Statement& s) {
  const Words& words = page_.words;
  if (s.parse.lemma != "have" || s.parse.tense != Tense::kPresent || !s.parse.modal.empty())
    return false;
  const SubjectKind kind = s.parse.subject.kind;
  if (kind != SubjectKind::kOwner && kind != SubjectKind::kPerson) return false;
  if (s.rest.empty()) return true;
  bool event_noun = false, empty = false;
  std::size_t seen = 0;
  for (std::size_t i = s.rest.begin; i < s.rest.end && seen < 5; ++i) {
    if (words[i].phrase >= 0) continue;
    ++seen;
    if (in(Set::kPreposition, words[i].low)) break;
    event_noun = event_noun || in(Set::kEventNoun, words[i].low);
    empty = empty || in(Set::kEmptyObject, words[i].low);
  }
  if (one_of(rest_low(s, 0), {"to", "been", "it", "that", "this", "them", "you", "fun", "enough",
                              "never", "such", "so"})) {
    return true;
  }
  const bool dated = s.time && !page_.when->phrase(*s.time).since;
  if (dated || event_noun) {
    if (!dated && empty) return true;
    const bool habit = std::any_of(s.phrases.begin(), s.phrases.end(),
                                   [&](int p) { return page_.when->phrase(p).recurring; });
    if (!dated && !habit) return true;
    const auto text = compose(s, s.parse.verb_text, true);
    if (!text) return true;
    Frame frame = frame_of("event", {});
    frame.domain = "calendar";
    frame.tags = "appointment calendar";
    Draft card = draft(*text, s.subject_key, "event", object_of(s), Colour::kEvent, frame);
    if (dated) {
      date(card, s);
    } else {
      for (const int p : s.phrases) {
        if (page_.when->phrase(p).recurring) date_from(card, page_.when->phrase(p));
      }
    }
    write(std::move(card));
    return true;
  }
  if (empty) return true;
  const auto text = compose(s, s.parse.verb_text, true);
  if (!text) return true;
  Frame frame = frame_of("have", {});
  std::string relation = "has", object = object_of(s);
  // "a parrot called Kiki", "a daughter, Mia"
  const Relative* kin = nullptr;
  bool animal = false;
  for (std::size_t i = s.rest.begin; i < s.rest.end; ++i) {
    if (words[i].phrase >= 0 || in(Set::kPreposition, words[i].low)) break;
    animal = animal || in(Set::kPet, words[i].low);
    if (const Relative* found = relative(words[i].low)) kin = found;
    const bool called = one_of(words[i].low, {"called", "named"}) || (words[i].text == "," && kin);
    if (!called || i + 1 >= s.rest.end || !words[i + 1].capital) continue;
    Person person;
    person.name = words[i + 1].text;
    person.of = s.about_owner ? owner_name_ : s.subject;
    person.animal = animal;
    if (kin) {
      person.relation = kin->name.empty() ? std::string(kin->word) : std::string(kin->name);
      person.kind = kin->kind;
      person.gender = kin->gender;
    } else if (animal) {
      person.kind = "pet";
    }
    introduced_.insert(people_.mention(person));
    if (s.about_owner) relation = kin ? person.relation : animal ? "pet" : "has";
    object = lower(person.name);
  }
  const bool named = relation != "has";
  if (kin && !named && kin->kind != "pet" && kin->kind != "service" && s.about_owner) {
    // "a daughter": "she" is her from now on.
    Person person;
    person.relation = kin->name.empty() ? std::string(kin->word) : std::string(kin->name);
    person.kind = kin->kind;
    person.gender = kin->gender;
    person.of = owner_name_;
    people_.mention(person);
  }
  if (animal) {
    frame.domain = "pets";
    frame.tags = "pet animal";
  }
  write(draft(*text, s.subject_key, relation, object, Colour::kFact, frame));
  return true;
}

bool Reader::state_being(const Statement& s) {
  const Words& words = page_.words;
  if (s.parse.lemma != "be" || s.parse.passive) return false;
  const SubjectKind kind = s.parse.subject.kind;
  if (kind != SubjectKind::kOwner && kind != SubjectKind::kPerson) return false;
  const bool lasting =
      s.parse.tense == Tense::kPerfect && s.time && page_.when->phrase(*s.time).since;
  if ((s.parse.tense != Tense::kPresent && !lasting) || !s.parse.modal.empty() || s.rest.empty()) {
    return false;
  }
  std::size_t at = s.rest.begin;
  while (at < s.rest.end &&
         (in(Set::kAdverb, words[at].low) || words[at].low == "a" || words[at].low == "an" ||
          one_of(words[at].low, {"severely", "mildly", "strict", "proud", "lifelong", "both"}))) {
    ++at;
  }
  if (at >= s.rest.end) return true;
  const std::string& low = words[at].low;
  const bool article =
      at > s.rest.begin && one_of(words[at - 1].low, {"a", "an", "strict", "lifelong", "proud"});
  auto put = [&](std::string_view relation, std::string_view domain, std::string_view tags,
                 bool single, double importance) {
    const auto text = compose(s, s.parse.verb_text, true);
    if (!text) return;
    Frame frame = frame_of("be", {});
    frame.domain = domain;
    frame.tags = tags;
    frame.importance = importance;
    Draft card =
        draft(*text, s.subject_key, std::string(relation), object_of(s), Colour::kFact, frame);
    if (s.time && page_.when->phrase(*s.time).since) date(card, s);
    card.single = single;
    write(std::move(card));
  };
  const std::size_t states_until = std::min(at + 3, s.rest.end);
  for (std::size_t k = at; k < states_until; ++k) {
    if (!in(Set::kState, words[k].low)) continue;
    const std::string& state = words[k].low;
    if (s.parse.negated) return state_negation(s);
    if (diet_word(state))
      put("diet", "food", "diet food health", true, 0.9);
    else if (marital_word(state))
      put("marital", "people", "family relationship", true, 0.7);
    else if (state == "pregnant")
      put("pregnant", "people", "pregnancy family", true, 0.8);
    else if (one_of(state, {"colour", "color"}) &&
             !(k + 1 < s.rest.end && words[k + 1].low == "blind"))
      continue;
    else
      put("is", "health", "health person", false, 0.7);
    return true;
  }
  if (words[at].kind == WordKind::kNumber) {
    const bool years = at + 1 >= s.rest.end || one_of(rest_low(s, at - s.rest.begin + 1),
                                                      {"years", "yrs", "yo", "now", "year"});
    const bool tall =
        rest_has(s, "tall") || rest_has(s, "cm") || rest_has(s, "m") || rest_has(s, "ft");
    if (tall) {
      put("height", "health", "height body", true, 0.5);
    } else if (years && words[at].low.size() <= 3 && !s.parse.negated) {
      Frame frame = frame_of("be", {});
      frame.tags = "age person";
      Draft card = draft(s.subject + " is " + words[at].text + " years old (as of " +
                             store::spoken(page_.when->today()) + ")",
                         s.subject_key, "age", words[at].text, Colour::kFact, frame);
      card.single = true;
      write(std::move(card));
    }
    return true;
  }
  if (low == "from") {
    if (at + 1 < s.rest.end && words[at + 1].low != "the")
      put("origin", "people", "origin place", true, 0.6);
    return true;
  }
  if (low == "into" || (low == "fan" && article) || (low == "big" && rest_has(s, "fan")) ||
      low == "fond" || (low == "huge" && rest_has(s, "fan"))) {
    if (rest_has(s, "it") || rest_has(s, "this")) return true;
    const bool dislike = s.parse.negated;
    put(dislike ? "dislikes" : "likes", "preferences",
        dislike ? "dislikes preference" : "likes preference", false, 0.5);
    return true;
  }
  if (one_of(low, {"scared", "afraid", "terrified", "interested", "obsessed", "addicted",
                   "responsible", "member"}) ||
      (low == "good" && rest_low(s, at - s.rest.begin + 1) == "at") ||
      (low == "bad" && rest_low(s, at - s.rest.begin + 1) == "at")) {
    if (at + 1 < s.rest.end && in(Set::kPreposition, words[at + 1].low) && at + 2 < s.rest.end &&
        !one_of(words[at + 2].low, {"it", "this", "that", "you"})) {
      put(low, "life", "person trait", false, 0.5);
    }
    return true;
  }
  if (low == "due" && s.time) return state_plan(s);
  if (one_of(low, {"in", "at", "on", "off", "away", "out", "back", "abroad"})) {
    if (s.parse.negated) return true;
    // "in Bath over the holidays", "on leave next week"
    if (s.time && !page_.when->phrase(*s.time).since) return state_plan(s);
    if (low == "in" && at + 1 < s.rest.end &&
        (rest_has(s, "band") || rest_has(s, "choir") || rest_has(s, "team"))) {
      put("member", "hobbies", "hobby group", false, 0.5);
    }
    return true;
  }
  if (article || kind == SubjectKind::kPerson || in(Set::kJob, low)) {
    // "a nurse at the children's hospital", "the oldest of five"
    for (std::size_t k = at; k < s.rest.end && k < at + 4; ++k) {
      if (in(Set::kPreposition, words[k].low) || words[k].kind != WordKind::kWord) break;
      if (in(Set::kTransientNoun, words[k].low)) return true;
      if (!job_noun(words[k].low)) continue;
      if (s.parse.negated) return state_negation(s);
      put("profession", "work", "work job", true, 0.8);
      return true;
    }
    for (std::size_t k = at; k < s.rest.end && k < at + 4; ++k) {
      if (one_of(words[k].low,
                 {"person",    "sleeper",   "learner", "owl",    "bird",       "eater",
                  "drinker",   "runner",    "reader",  "twin",   "vegan",      "citizen",
                  "only",      "member",    "parent",  "smoker", "non-smoker", "widow",
                  "introvert", "extrovert", "lover",   "dual",   "donor"}) &&
          article) {
        if (s.parse.negated) return true;
        put("is", "life", "person trait", false, 0.5);
        return true;
      }
    }
  }
  return state_favourite(s);
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
  const Words& words = page_.words;
  const SubjectKind kind = s.parse.subject.kind;
  if (kind != SubjectKind::kOwnThing && kind != SubjectKind::kThing && kind != SubjectKind::kIt)
    return false;
  if (!s.parse.modal.empty() || s.rest.empty()) return !s.parse.modal.empty();
  if (state_favourite(s)) return true;
  // "my dog's name is Rufus"
  if (s.parse.subject.person && s.parse.subject.thing.ends_with("'s name") &&
      s.parse.lemma == "be" && s.rest.begin < s.rest.end && words[s.rest.begin].capital) {
    Person person = people_.at(*s.parse.subject.person);
    if (person.name.empty() && !person.relation.empty()) {
      person.name = words[s.rest.begin].text;
      people_.mention(person);
      return true;
    }
  }
  const std::string thing = lower(kind == SubjectKind::kIt ? topic_ : s.parse.subject.thing);
  const auto thing_words = content_words(thing);
  std::string subject = s.subject;
  bool owned = kind == SubjectKind::kOwnThing || subject.starts_with(possessive(owner_name_));
  const bool of_person = kind == SubjectKind::kThing && subject.find("'s ") != std::string::npos;
  if (kind == SubjectKind::kThing && subject.starts_with("the ")) {
    // "the tractor": one that the owner has spoken of as theirs.
    const std::string noun = subject.substr(4);
    const auto owns = notebook_.open(owner_key_, [&](const store::Card& card) {
      return one_of(card.relation, {"owns", "has", "bought"}) &&
             overlap(content_words(noun), content_words(card.text)) == 1.0;
    });
    if (!owns.empty()) {
      owned = true;
      subject = possessive(owner_name_) + " " + noun;
      topic_ = subject;
    }
  }
  const bool habit = std::any_of(s.phrases.begin(), s.phrases.end(),
                                 [&](int p) { return page_.when->phrase(p).recurring; });
  const bool to_be = s.parse.lemma == "be";
  Statement named = s;
  named.subject = subject;
  const bool event_like =
      std::any_of(thing_words.begin(), thing_words.end(),
                  [](const std::string& w) { return in(Set::kEventNoun, w); }) ||
      [&] {
        for (const Word& word : lex_words(thing)) {
          if (in(Set::kEventNoun, word.low)) return true;
        }
        return false;
      }();
  // An event with its date.
  const bool dated = s.time && !page_.when->phrase(*s.time).since;
  if ((dated || habit) && !s.parse.negated &&
      (to_be ||
       one_of(s.parse.lemma, {"start", "begin", "take", "happen", "leave", "run", "meet", "end",
                              "open", "expire", "arrive", "go", "finish", "depart"})) &&
      (s.parse.tense == Tense::kPresent || s.parse.tense == Tense::kFuture) &&
      (event_like || owned || dated)) {
    const bool says_only_time = true;
    const auto text = compose(named, s.parse.verb_text, false);
    if (!text || !says_only_time) return true;
    Frame frame = frame_of("event", {});
    frame.domain = "calendar";
    frame.tags = "appointment calendar";
    Draft card = draft(*text, s.subject_key, "event", thing, Colour::kEvent, frame);
    if (dated) {
      date(card, s);
    } else {
      for (const int p : s.phrases) {
        if (page_.when->phrase(p).recurring) date_from(card, page_.when->phrase(p));
      }
    }
    write(std::move(card));
    return true;
  }
  if (s.parse.tense == Tense::kPast || s.parse.tense == Tense::kPerfect) return state_past(named);
  if (s.parse.tense != Tense::kPresent) return true;
  // "eggs are still fine", after something was given up.
  if (to_be && kind == SubjectKind::kThing && last_ &&
      one_of(rest_low(s, 0), {"ok", "okay", "fine", "allowed", "still"}) &&
      notebook_.draft(*last_).card.relation == "eats" &&
      notebook_.draft(*last_).turn == page_.index) {
    write(draft(owner_name_ + " still eats " + s.subject, owner_key_, "eats", thing, Colour::kFact,
                frame_of("eat", {})));
    return true;
  }
  bool value = false;
  for (std::size_t i = s.rest.begin; i < s.rest.end; ++i) {
    value = value || words[i].kind == WordKind::kNumber || words[i].quoted ||
            (words[i].capital && !in(Set::kNotName, words[i].low)) ||
            words[i].low.find('@') != std::string::npos;
  }
  const bool attribute = [&] {
    for (const Word& word : lex_words(thing)) {
      if (in(Set::kAttribute, word.low)) return true;
    }
    return false;
  }();
  const bool favourite = thing.find("favourite") != std::string::npos;
  const bool noted = listing_ || noted_;
  if (!to_be) {
    const bool lasting =
        one_of(s.parse.lemma, {"sit", "stand", "weigh", "cost", "hang", "live", "lie", "measure",
                               "end", "start", "need", "run", "have", "take"});
    if (!owned || !lasting || s.parse.negated) return true;
    if (one_of(s.parse.lemma, {"need", "take", "run", "have", "live", "lie"}) && !value && !noted)
      return true;
    const auto text = compose(named, s.parse.verb_text, true);
    if (!text) return true;
    Frame frame = frame_of("own", {});
    frame.tags = "thing possession";
    write(
        draft(*text, owner_key_, thing + " " + s.parse.lemma, object_of(s), Colour::kFact, frame));
    return true;
  }
  if (!owned && !of_person && !noted) return true;
  if (s.parse.negated) return true;
  const bool pastime = thing.ends_with("hobby") && rest_low(s, 0).ends_with("ing");
  const bool purpose =
      thing.ends_with("goal") || thing.ends_with("dream") || thing.ends_with("ambition");
  const bool aim = pastime || (purpose && rest_low(s, 0) == "to");
  const bool states_thing = favourite || aim ||
                            (value && (attribute || !in(Set::kPreposition, rest_low(s, 0)))) ||
                            (attribute && (words[s.rest.begin].kind != WordKind::kWord ||
                                           in(Set::kDeterminer, rest_low(s, 0)) || noted)) ||
                            (noted && s.rest.end - s.rest.begin >= 1);
  if (!states_thing) return true;
  Statement valued = named;
  const auto text = compose(valued, s.parse.verb_text, true);
  if (!text) return true;
  Frame frame = frame_of("be", {});
  frame.domain = favourite ? "preferences" : "details";
  frame.tags = favourite ? "favourite preference" : "detail number";
  frame.importance = 0.6;
  Draft card = draft(*text, s.subject_key, thing, lower(rest_text(s)), Colour::kFact, frame);
  if (s.time && page_.when->phrase(*s.time).since) date(card, s);
  card.single = true;
  write(std::move(card));
  return true;
}

}  // namespace kartei::daemon
