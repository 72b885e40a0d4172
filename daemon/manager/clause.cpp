#include "daemon/manager/clause.h"

namespace kartei::daemon {
namespace {

// Several at once who have no names: "my parents".
bool several(const Person& person) {
  return person.name.empty() && (person.relation.ends_with("s") || person.relation == "children");
}

// "'s" before these is "is": "Sam's allergic", "Sam's from Oslo".
bool follows_is(const Words& words, std::size_t i, std::size_t end) {
  if (i >= end) return false;
  const std::string& low = words[i].low;
  return in(Set::kState, low) || low == "not" || in(Set::kAdverb, low) || low.ends_with("ing") ||
         one_of(low, {"a", "an", "from", "in", "at", "my"});
}

// Behind what only joins a clause: "and then", "in 2019"; not "that is ...", which is a subject.
std::size_t after_connectives(const Words& words, std::size_t i, std::size_t end) {
  while (i < end && (words[i].phrase >= 0 || words[i].kind != WordKind::kWord ||
                     in(Set::kFiller, words[i].low) ||
                     one_of(words[i].low, {"and", "but", "so", "then", "remember", "note", "that",
                                           "in", "of"}))) {
    const std::string_view next = low_at(words, i + 1, end);
    if (words[i].low == "that" && in(Set::kAux, next)) break;
    const bool leads = words[i].phrase < 0 && one_of(words[i].low, {"in", "of"});
    if (leads && !one_of(next, {"course", "fact"})) break;
    i += leads ? 2 : 1;
  }
  return i;
}

// "in the morning I drink tea": the subject comes later.
std::size_t after_lead(const Words& words, std::size_t i, std::size_t end, Range& lead) {
  if (i >= end || !in(Set::kPreposition, words[i].low)) return i;
  constexpr std::size_t kReach = 7;
  for (std::size_t k = i + 2; k + 1 < end && k < i + kReach; ++k) {
    if (words[k].low != "i" && words[k].low != "we") continue;
    lead = {i, k};
    while (!lead.empty() && comma(words[lead.end - 1])) --lead.end;
    return k;
  }
  return i;
}

// A sentence that begins with its verb: "bought a tent", "love hiking", not "cables everywhere".
bool tells_without_subject(const VerbForm& form) {
  return form.form == Form::kPast || form.form == Form::kParticiple || form.past_too ||
         (form.form == Form::kBase && in(Set::kOpeningVerb, form.lemma));
}

}  // namespace

// "i", "bo and i" is read elsewhere; "I and Bo" here.
std::size_t ClauseParser::owner_subject(const Words& words, std::size_t i, std::size_t end,
                                        Subject& subject) {
  subject.kind = SubjectKind::kOwner;
  if (i + 2 >= end || words[i + 1].low != "and") return i + 1;
  const auto other = person(words, i + 2, end);
  if (!other) return i + 1;
  subject.and_owner = true;
  subject.person = other->second;
  subject.plural = true;
  return other->first;
}

// "he", "she": whoever was spoken of; no subject where that is not known.
void ClauseParser::pronoun_subject(const std::string& low, Subject& subject) {
  const auto who = people_.by_pronoun(low);
  if (!who) return;
  subject.kind = SubjectKind::kPerson;
  subject.person = *who;
  if (people_.at(*who).gender == Gender::kUnknown) {
    people_.note_gender(*who, low == "he" ? Gender::kMale : Gender::kFemale);
  }
  people_.touch(*who);
}

// "they": the parents just spoken of, else nobody in particular.
void ClauseParser::they_subject(Subject& subject) {
  subject.kind = SubjectKind::kThey;
  const auto who = people_.latest();
  if (!who || !several(people_.at(*who))) return;
  subject.kind = SubjectKind::kPerson;
  subject.person = *who;
  subject.plural = true;
}

// A person has been read up to word `at`: "Bo and I", "Bo and Ida", "Bo's boat", "Bo".
std::size_t ClauseParser::person_subject(const Words& words, std::size_t i, std::size_t end,
                                         PersonAt who, Subject& subject) {
  const std::size_t at = who.first;
  const bool joined = at + 1 < end && words[at].low == "and";
  if (joined && one_of(words[at + 1].low, {"i", "me"})) {
    subject.kind = SubjectKind::kOwner;
    subject.and_owner = true;
    subject.person = who.second;
    subject.plural = true;
    return at + 2;
  }
  if (joined) {
    if (const auto second = person(words, at + 1, end)) {
      // Two people: the card names both, its subject is the first.
      subject.kind = SubjectKind::kThing;
      subject.thing =
          people_.at(who.second).display() + " and " + people_.at(second->second).display();
      subject.plural = true;
      return second->first;
    }
  }
  subject.kind = SubjectKind::kPerson;
  subject.person = who.second;
  const Person& known = people_.at(who.second);
  subject.plural = several(known) && known.relation.size() > 3;
  const bool owns = at > i && words[at - 1].possessive && !follows_is(words, at, end);
  return owns ? persons_thing(words, at, end, subject) : at;
}

// "Sam's favourite band": a thing of his, up to the verb.
std::size_t ClauseParser::persons_thing(const Words& words, std::size_t at, std::size_t end,
                                        Subject& subject) {
  constexpr std::size_t kLongest = 5;
  std::size_t k = at;
  while (k < end && k < at + kLongest && !finite(words, k, lexicon_) &&
         words[k].kind == WordKind::kWord) {
    ++k;
  }
  if (k == at || k >= end || !finite(words, k, lexicon_)) return at;
  subject.kind = SubjectKind::kThing;
  subject.thing = possessive(people_.at(*subject.person).display());
  for (std::size_t w = at; w < k; ++w) subject.thing += " " + words[w].text;
  return k;
}

// Behind the words of a thing that begins at `first`: its verb or an adverb before it. Nothing
// where another subject ("the way I ...") or "to" with a verb comes first.
std::optional<std::size_t> ClauseParser::end_of_thing(const Words& words, std::size_t first,
                                                      std::size_t end) const {
  constexpr std::size_t kLongest = 7;
  std::size_t at = first;
  while (at < end && at < first + kLongest && words[at].kind == WordKind::kWord &&
         !in(Set::kAdverb, words[at].low) && words[at].phrase < 0) {
    const std::string& low = words[at].low;
    const bool to_verb = low == "to" && !(at + 1 < end && words[at + 1].capital);
    if (to_verb || one_of(low, {"me", "i", "you", "we", "he", "she", "they"})) return std::nullopt;
    const auto form = lexicon_.verb(low);
    const bool verb = form && (form->form == Form::kThird || form->form == Form::kPast) &&
                      at > first && !in(Set::kAux, low_at(words, at + 1, end));
    if (in(Set::kAux, low) || verb) break;
    ++at;
  }
  return at;
}

// "my shoe size", "the reunion", "judo": words up to the finite verb.
std::size_t ClauseParser::thing_subject(const Words& words, std::size_t i, std::size_t end,
                                        Subject& subject) {
  const std::string& low = words[i].low;
  const bool mine = low == "my" || low == "our";
  if (in(Set::kNoSubject, low)) return i;
  const bool open_noun = mine || in(Set::kDeterminer, low) || words[i].kind == WordKind::kWord;
  if (!open_noun || low == "to" || in(Set::kPreposition, low) || in(Set::kAux, low)) return i;
  const std::size_t first = mine || low == "the" ? i + 1 : i;
  const auto at = end_of_thing(words, first, end);
  if (!at || *at == first) return i;
  std::size_t verb = *at;
  while (verb < end && in(Set::kAdverb, words[verb].low)) ++verb;
  if (verb >= end || !finite(words, verb, lexicon_)) return i;
  subject.kind = mine ? SubjectKind::kOwnThing : SubjectKind::kThing;
  for (std::size_t k = first; k < *at; ++k) {
    const bool of_now =
        mine && k == first && *at > first + 1 && one_of(words[k].low, {"new", "own", "current"});
    if (of_now) continue;
    if (!subject.thing.empty()) subject.thing += ' ';
    subject.thing += words[k].text + (words[k].possessive ? "'s" : "");
  }
  if (!mine && low == "the") subject.thing = "the " + subject.thing;
  subject.plural = one_of(words[verb].low, {"are", "were", "have"});
  return *at;
}

// Reads the subject; answers the word after it. kNone: the clause has none.
std::size_t ClauseParser::subject(const Words& words, std::size_t i, std::size_t end, Parse& out) {
  Subject& subject = out.subject;
  if (i >= end) return i;
  const std::string& low = words[i].low;
  if (one_of(low, {"i", "we", "me"})) return owner_subject(words, i, end, subject);
  if (low == "you") return subject.kind = SubjectKind::kYou, i + 1;
  if (low == "he" || low == "she") return pronoun_subject(low, subject), i + 1;
  if (low == "they") return they_subject(subject), i + 1;
  if (low == "it") return subject.kind = SubjectKind::kIt, i + 1;
  if (low == "that" || low == "this") return subject.kind = SubjectKind::kDemonstrative, i + 1;
  if (const auto who = person(words, i, end)) return person_subject(words, i, end, *who, subject);
  return thing_subject(words, i, end, subject);
}

// "bought a tent", "lost the key": the owner, or whom the clause before was about.
bool ClauseParser::borrow_subject(const Word& verb, const Subject* previous, Subject& out) const {
  if (verb.phrase >= 0) return false;  // "Last week was hard"
  const auto form = lexicon_.verb(verb.low);
  const bool begins =
      form || in(Set::kAdverb, verb.low) || in(Set::kAux, verb.low) || verb.low == "used";
  if (!begins) return false;
  const bool shared = previous && previous->kind != SubjectKind::kNone;
  if (form && !shared && !tells_without_subject(*form)) return false;
  if (shared) {
    out = *previous;
  } else {
    out.kind = SubjectKind::kOwner;
  }
  out.elided = true;
  // "... and takes long", "something like that": not said of the owner.
  const bool misfit =
      form && out.kind == SubjectKind::kOwner &&
      (form->form == Form::kThird || (form->lemma == "like" && form->form == Form::kBase));
  if (misfit) out = {};
  return !misfit;
}

Parse ClauseParser::parse(const Words& words, const Range& clause, const Subject* previous) {
  Parse out;
  const std::size_t end = clause.end;
  const std::size_t i =
      after_lead(words, after_connectives(words, clause.begin, end), end, out.lead);
  out.subject_words.begin = i;
  out.subject_words.end = subject(words, i, end, out);
  if (out.subject.kind == SubjectKind::kNone) {
    if (i >= end || !borrow_subject(words[i], previous, out.subject)) return out;
    if (!verb_phrase(words, i, end, out)) out.subject = {};
    return out;
  }
  // A time may stand between the subject and its verb.
  std::size_t verb_at = out.subject_words.end;
  while (verb_at < end && words[verb_at].phrase >= 0) ++verb_at;
  if (!verb_phrase(words, verb_at, end, out)) out.tense = Tense::kNone;
  return out;
}

}  // namespace kartei::daemon
