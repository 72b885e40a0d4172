#include "daemon/manager/clause.h"

#include <algorithm>
#include <array>

namespace kartei::daemon {
namespace {

// Adverbs that change what is said; others are left out.
bool telling(std::string_view low) {
  return one_of(low, {"always",   "usually",    "often",     "sometimes",  "rarely",       "really",
                      "mostly",   "mainly",     "only",      "regularly",  "occasionally", "seldom",
                      "normally", "generally",  "typically", "officially", "partly",       "hardly",
                      "barely",   "frequently", "primarily"});
}

}  // namespace

// Reads the subject; answers the word after it. kNone: the clause has none.
std::size_t ClauseParser::subject(const Words& words, std::size_t i, std::size_t end, Parse& out) {
  Subject& subject = out.subject;
  if (i >= end) return i;
  const std::string& low = words[i].low;
  if (low == "i" || low == "we" || low == "me") {
    subject.kind = SubjectKind::kOwner;
    if (i + 2 < end && words[i + 1].low == "and") {
      if (const auto other = person(words, i + 2, end)) {
        subject.and_owner = true;
        subject.person = other->second;
        subject.plural = true;
        return other->first;
      }
    }
    return i + 1;
  }
  if (low == "you") return subject.kind = SubjectKind::kYou, i + 1;
  if (low == "he" || low == "she") {
    if (const auto who = people_.by_pronoun(low)) {
      subject.kind = SubjectKind::kPerson;
      subject.person = *who;
      if (people_.at(*who).gender == Gender::kUnknown) {
        people_.note_gender(*who, low == "he" ? Gender::kMale : Gender::kFemale);
      }
      people_.touch(*who);
    }
    return i + 1;
  }
  if (low == "they") {
    subject.kind = SubjectKind::kThey;
    if (const auto who = people_.latest()) {
      const std::string& role = people_.at(*who).relation;
      if (people_.at(*who).name.empty() && (role.ends_with("s") || role == "children")) {
        subject.kind = SubjectKind::kPerson;
        subject.person = *who;
        subject.plural = true;
      }
    }
    return i + 1;
  }
  if (low == "it") return subject.kind = SubjectKind::kIt, i + 1;
  if (low == "that" || low == "this") return subject.kind = SubjectKind::kDemonstrative, i + 1;
  if (const auto who = person(words, i, end)) {
    const std::size_t at = who->first;
    if (at + 1 < end && words[at].low == "and" &&
        (words[at + 1].low == "i" || words[at + 1].low == "me")) {
      subject.kind = SubjectKind::kOwner;
      subject.and_owner = true;
      subject.person = who->second;
      subject.plural = true;
      return at + 2;
    }
    if (at + 1 < end && words[at].low == "and") {
      if (const auto second = person(words, at + 1, end)) {
        // Two people: the card names both, its subject is the first.
        subject.kind = SubjectKind::kThing;
        subject.thing =
            people_.at(who->second).display() + " and " + people_.at(second->second).display();
        subject.plural = true;
        return second->first;
      }
    }
    subject.kind = SubjectKind::kPerson;
    subject.person = who->second;
    const std::string& role = people_.at(who->second).relation;
    subject.plural = role.size() > 3 && (role.ends_with("s") || role == "children") &&
                     people_.at(who->second).name.empty();
    if (at > i && words[at - 1].possessive) {
      // "Sam's favourite band": a thing of his; "Sam's allergic": he is.
      const bool is_verb =
          at < end && (in(Set::kState, words[at].low) || words[at].low == "not" ||
                       in(Set::kAdverb, words[at].low) || words[at].low.ends_with("ing") ||
                       one_of(words[at].low, {"a", "an", "from", "in", "at", "my"}));
      if (is_verb) return at;
      std::size_t k = at;
      while (k < end && k < at + 5 && !finite(words, k, lexicon_) &&
             words[k].kind == WordKind::kWord)
        ++k;
      if (k < end && k > at && finite(words, k, lexicon_)) {
        subject.kind = SubjectKind::kThing;
        subject.person = who->second;
        subject.thing = possessive(people_.at(who->second).display());
        for (std::size_t w = at; w < k; ++w) subject.thing += " " + words[w].text;
        return k;
      }
    }
    return at;
  }
  const bool mine = low == "my" || low == "our";
  if (one_of(low,
             {"here",   "there",     "what",     "how",        "who",     "another", "one",
              "some",   "something", "everyone", "everything", "nothing", "nobody",  "somebody",
              "anyone", "all",       "both",     "each",       "such",    "these",   "those"})) {
    return i;
  }
  const bool open_noun = mine || in(Set::kDeterminer, low) || words[i].kind == WordKind::kWord;
  if (!open_noun || low == "to" || in(Set::kPreposition, low) || in(Set::kAux, low)) return i;
  // A thing: words up to the finite verb.
  std::size_t at = mine || low == "the" ? i + 1 : i;
  const std::size_t first = at;
  constexpr std::size_t kLongest = 7;
  while (at < end && at < first + kLongest && words[at].kind == WordKind::kWord &&
         !in(Set::kAdverb, words[at].low) && words[at].phrase < 0) {
    const bool to_verb = words[at].low == "to" && !(at + 1 < end && words[at + 1].capital);
    if (to_verb || one_of(words[at].low, {"me", "i", "you", "we", "he", "she", "they"})) return i;
    const bool aux = in(Set::kAux, words[at].low);
    const auto form = lexicon_.verb(words[at].low);
    const bool third = form && (form->form == Form::kThird || form->form == Form::kPast) &&
                       at > first && !(at + 1 < end && in(Set::kAux, words[at + 1].low));
    if (aux || third) break;
    ++at;
  }
  std::size_t verb = at;
  while (verb < end && in(Set::kAdverb, words[verb].low)) ++verb;
  if (at == first || verb >= end || !finite(words, verb, lexicon_)) return i;
  subject.kind = mine ? SubjectKind::kOwnThing : SubjectKind::kThing;
  for (std::size_t k = first; k < at; ++k) {
    if (mine && k == first && one_of(words[k].low, {"new", "own", "current"}) && at > first + 1)
      continue;
    if (!subject.thing.empty()) subject.thing += ' ';
    subject.thing += words[k].text + (words[k].possessive ? "'s" : "");
  }
  if (!mine && low == "the") subject.thing = "the " + subject.thing;
  subject.plural = one_of(words[verb].low, {"are", "were", "have"});
  return at;
}

// Reads auxiliaries from word i on; true where the main verb is already one of them ("is", "has").
bool ClauseParser::auxiliary(const Words& words, std::size_t& i, std::size_t end, Parse& out) {
  auto adverbs = [&](std::string& text) {
    while (i < end && words[i].phrase < 0 &&
           (in(Set::kAdverb, words[i].low) || words[i].low == "no" || words[i].low == "not")) {
      const std::string& low = words[i].low;
      if (low == "no") {
        if (i + 1 < end && words[i + 1].low == "longer") {
          out.ended = out.negated = true;
          i += 2;
          continue;
        }
        return;
      }
      if (low == "not") {
        out.negated = true;
        text += " not";
      } else if (low == "never") {
        out.never = true;
        text += " never";
      } else if (telling(low)) {
        text += " " + low;
      }
      ++i;
    }
  };
  const std::string low = words[i].low;
  const bool plural = out.subject.plural;
  if (one_of(low, {"am", "is", "are", "was", "were"})) {
    const bool past = low == "was" || low == "were";
    out.tense = past ? Tense::kPast : Tense::kPresent;
    out.lemma = "be";
    out.verb_text = past ? (plural ? "were" : "was") : (plural ? "are" : "is");
    ++i;
    adverbs(out.verb_text);
    if (i >= end) return true;
    const auto form = lexicon_.verb(words[i].low);
    if (words[i].low == "going" && i + 2 < end && words[i + 1].low == "to" &&
        lexicon_.verb(words[i + 2].low) && words[i + 2].phrase < 0 && !words[i + 2].capital) {
      out.tense = past ? Tense::kNone : Tense::kFuture;
      out.lemma = std::string(lexicon_.verb(words[i + 2].low)->lemma);
      out.verb = lexicon_.verb(words[i + 2].low)->verb;
      out.verb_text += " going to " + words[i + 2].low;
      i += 3;
      return true;
    }
    if (form && form->form == Form::kIng && words[i].phrase < 0) {
      out.tense = past ? Tense::kPast : Tense::kProgressive;
      out.lemma = std::string(form->lemma);
      out.verb = form->verb;
      out.verb_text += " " + words[i].low;
      ++i;
      return true;
    }
    const auto participle = lexicon_.participle(words[i].low);
    const bool born = words[i].low == "born";
    if (born || (participle && !in(Set::kState, words[i].low) && words[i].low != "used")) {
      out.passive = true;
      out.lemma = born ? "bear" : std::string(participle->lemma);
      out.verb = born ? Verb::kEvent : participle->verb;
      out.verb_text += " " + words[i].low;
      ++i;
    }
    return true;
  }
  if (one_of(low, {"have", "has", "had"})) {
    const std::size_t begin = i;
    std::string text = low == "had" ? "had" : plural ? "have" : "has";
    ++i;
    adverbs(text);
    if (i < end && words[i].low == "got" && low != "had" &&
        !(i + 1 < end &&
          one_of(words[i + 1].low, {"married", "engaged", "divorced", "promoted"}))) {
      out.lemma = "have";
      out.tense = Tense::kPresent;
      out.verb_text = text;
      ++i;
      return true;
    }
    if (i + 1 < end && words[i].low == "to" && i == begin + 1) {
      out.modal = "must";
      out.tense = low == "had" ? Tense::kPast : Tense::kPresent;
      const auto form = lexicon_.verb(words[i + 1].low);
      out.lemma = form ? std::string(form->lemma) : words[i + 1].low;
      out.verb = form ? form->verb : Verb::kPlain;
      out.verb_text = text + " to " + words[i + 1].low;
      i += 2;
      return true;
    }
    if (i < end && words[i].low == "been") {
      text += " been";
      ++i;
      out.perfect = true;
      out.tense = Tense::kPerfect;
      out.lemma = "be";
      const auto form = i < end ? lexicon_.verb(words[i].low) : std::nullopt;
      const auto participle = i < end ? lexicon_.participle(words[i].low) : std::nullopt;
      if (form && form->form == Form::kIng) {
        out.lemma = std::string(form->lemma);
        out.verb = form->verb;
        text += " " + words[i++].low;
      } else if (participle && !in(Set::kState, words[i].low)) {
        out.passive = true;
        out.lemma = std::string(participle->lemma);
        out.verb = participle->verb;
        text += " " + words[i++].low;
      }
      out.verb_text = text;
      return true;
    }
    const auto participle = i < end ? lexicon_.participle(words[i].low) : std::nullopt;
    const auto finite_form = i < end ? lexicon_.verb(words[i].low) : std::nullopt;
    const bool participle_too = participle || (finite_form && finite_form->past_too);
    if (participle_too && !in(Set::kState, words[i].low) && low != "had") {
      const VerbForm form = participle ? *participle : *finite_form;
      out.perfect = true;
      out.tense = Tense::kPerfect;
      out.lemma = std::string(form.lemma);
      out.verb = form.verb;
      out.verb_text = text + " " + words[i++].low;
      return true;
    }
    out.lemma = "have";
    out.tense = low == "had" ? Tense::kPast : Tense::kPresent;
    out.verb_text = text;
    return true;
  }
  if (one_of(low, {"do", "does", "did"}) && i + 1 < end &&
      (words[i + 1].low == "not" || lexicon_.verb(words[i + 1].low).has_value()) &&
      words[i + 1].low != "yoga") {
    std::string text = low == "did" ? "did" : plural ? "do" : "does";
    ++i;
    adverbs(text);
    out.tense = low == "did" ? Tense::kPast : Tense::kPresent;
    if (i >= end) return true;
    const auto form = lexicon_.verb(words[i].low);
    out.lemma = form ? std::string(form->lemma) : words[i].low;
    out.verb = form ? form->verb : Verb::kPlain;
    if (words[i].low == "have" || words[i].low == "do") out.verb = Verb::kPlain;
    if (!out.negated && !out.never) {
      out.verb_text = low == "did" ? text + " " + words[i].low : third_person(words[i].low);
    } else {
      out.verb_text = text + " " + words[i].low;
    }
    ++i;
    return true;
  }
  if (one_of(low, {"can", "will", "would", "could", "should", "must", "may", "might", "shall"})) {
    out.modal = low;
    std::string text = low;
    ++i;
    adverbs(text);
    if (low == "can" && out.negated) {
      const std::size_t at = text.find(" not");
      if (at != std::string::npos) text.replace(at, 4, "not");
    }
    out.tense = low == "will" || low == "shall" ? Tense::kFuture : Tense::kPresent;
    if (i >= end) return true;
    const auto form = lexicon_.verb(words[i].low);
    const bool be = words[i].low == "be";
    out.lemma = be ? "be" : form ? std::string(form->lemma) : words[i].low;
    out.verb = form ? form->verb : Verb::kPlain;
    out.verb_text = text + " " + words[i].low;
    ++i;
    if (be && i < end) {
      const auto ing_form = lexicon_.verb(words[i].low);
      if (ing_form && ing_form->form == Form::kIng && words[i].phrase < 0) {
        out.lemma = std::string(ing_form->lemma);
        out.verb = ing_form->verb;
        out.verb_text += " " + words[i++].low;
      }
    }
    return true;
  }
  return false;
}

bool ClauseParser::verb_phrase(const Words& words, std::size_t i, std::size_t end, Parse& out) {
  std::string before;
  while (i < end && words[i].phrase < 0 &&
         (in(Set::kAdverb, words[i].low) || words[i].low == "no" || words[i].low == "not" ||
          comma(words[i]))) {
    const std::string& low = words[i].low;
    if (low == "no") {
      if (i + 1 >= end || words[i + 1].low != "longer") return false;
      out.ended = out.negated = true;
      before += " no longer";
      ++i;
    } else if (low == "never") {
      out.never = true;
      before += " never";
    } else if (low == "not") {
      out.negated = true;
      before += " not";
    } else if (telling(low)) {
      before += " " + low;
    }
    ++i;
  }
  if (i >= end || words[i].kind != WordKind::kWord) return false;
  const bool possessive_is = out.subject.kind == SubjectKind::kPerson && i > 0 &&
                             words[i - 1].possessive && i == out.subject_words.end &&
                             !in(Set::kAux, words[i].low);
  if (possessive_is) {
    out.tense = Tense::kPresent;
    out.lemma = "be";
    out.verb_text = "is";
    if (words[i].low.ends_with("ing")) {
      if (const auto form = lexicon_.verb(words[i].low)) {
        out.tense = Tense::kProgressive;
        out.lemma = std::string(form->lemma);
        out.verb = form->verb;
        out.verb_text += " " + words[i++].low;
      }
    } else if (words[i].low == "not") {
      out.negated = true;
      out.verb_text += " not";
      ++i;
    }
    out.rest = {i, end};
    return true;
  }
  if (auxiliary(words, i, end, out)) {
    if (!before.empty()) {
      const std::size_t space = out.verb_text.find(' ');
      // "still is" keeps its order: the adverb follows the first auxiliary.
      out.verb_text.insert(space == std::string::npos ? out.verb_text.size() : space, before);
      if (space == std::string::npos && out.lemma != "be") {
        out.verb_text =
            before.substr(1) + " " + out.verb_text.substr(0, out.verb_text.size() - before.size());
      }
    }
    out.rest = {i, end};
    return true;
  }
  if (words[i].low == "used" && i + 2 < end && words[i + 1].low == "to") {
    const auto form = lexicon_.verb(words[i + 2].low);
    out.tense = Tense::kUsedTo;
    out.lemma = words[i + 2].low == "be" ? "be"
                : form                   ? std::string(form->lemma)
                                         : words[i + 2].low;
    out.verb = form ? form->verb : Verb::kPlain;
    out.verb_text = "used to " + words[i + 2].low;
    out.rest = {i + 3, end};
    return true;
  }
  const auto form = lexicon_.verb(words[i].low);
  const bool speaks =
      out.subject.kind == SubjectKind::kOwner || out.subject.kind == SubjectKind::kThey;
  if (!form) {
    if (!speaks || out.subject.elided || words[i].capital) return false;
    const bool past = words[i].low.size() > 4 && words[i].low.ends_with("ed");
    out.tense = past ? Tense::kPast : Tense::kPresent;
    out.lemma = words[i].low;
    out.verb_text = past ? words[i].low : third_person(words[i].low);
  } else if (form->form == Form::kIng || (form->form == Form::kParticiple && !speaks)) {
    return false;
  } else {
    const bool past = form->form == Form::kPast || form->form == Form::kParticiple;
    out.tense = past ? Tense::kPast : Tense::kPresent;
    out.lemma = std::string(form->lemma);
    out.verb = form->verb;
    if (past || form->form == Form::kThird || out.subject.plural) {
      out.verb_text = words[i].low;
    } else {
      out.verb_text = third_person(words[i].low);
    }
    // "put", "quit", "read": past where the owner's habit is unlikely.
    if (form->past_too && form->form == Form::kBase && form->verb != Verb::kHabit) {
      out.tense = Tense::kPast;
      out.verb_text = words[i].low;
    }
  }
  if (!before.empty()) out.verb_text = before.substr(1) + " " + out.verb_text;
  out.rest = {i + 1, end};
  return true;
}

Parse ClauseParser::parse(const Words& words, const Range& clause, const Subject* previous) {
  Parse out;
  std::size_t i = clause.begin;
  const std::size_t end = clause.end;
  auto skip = [&] {
    while (i < end && (words[i].phrase >= 0 || words[i].kind != WordKind::kWord ||
                       in(Set::kFiller, words[i].low) ||
                       one_of(words[i].low, {"and", "but", "so", "then", "remember", "note", "that",
                                             "in", "of"}))) {
      // "that is my boyfriend", "so do I", "in 2019": only what is no subject itself.
      if (words[i].low == "that" && i + 1 < end && in(Set::kAux, words[i + 1].low)) break;
      if (words[i].phrase < 0 && (words[i].low == "in" || words[i].low == "of") &&
          !(i + 1 < end && (words[i + 1].low == "course" || words[i + 1].low == "fact"))) {
        break;
      }
      if (words[i].phrase < 0 && (words[i].low == "in" || words[i].low == "of")) ++i;
      ++i;
    }
  };
  skip();
  if (i < end && in(Set::kPreposition, words[i].low)) {
    // "in the morning I drink tea": the subject comes later.
    constexpr std::size_t kReach = 7;
    for (std::size_t k = i + 2; k + 1 < end && k < i + kReach; ++k) {
      if (words[k].low != "i" && words[k].low != "we") continue;
      out.lead = {i, k};
      while (!out.lead.empty() && comma(words[out.lead.end - 1])) --out.lead.end;
      i = k;
      break;
    }
  }
  out.subject_words.begin = i;
  const std::size_t after = subject(words, i, end, out);
  out.subject_words.end = after;
  if (out.subject.kind == SubjectKind::kNone) {
    if (i >= end) return out;
    // "bought a tent", "lost the key": the owner, or whom the clause before was about.
    const auto form = lexicon_.verb(words[i].low);
    const bool adverb = in(Set::kAdverb, words[i].low);
    if (!form && !adverb && !in(Set::kAux, words[i].low) && words[i].low != "used") return out;
    const bool shared = previous && previous->kind != SubjectKind::kNone;
    // A sentence that begins with its verb: "bought a tent", "love hiking", not "cables
    // everywhere".
    if (form && !shared) {
      const bool told =
          form->form == Form::kPast || form->form == Form::kParticiple || form->past_too ||
          (form->form == Form::kBase &&
           one_of(form->lemma, {"love", "hate", "live", "work", "play", "prefer", "enjoy", "drive",
                                "speak", "own", "eat", "drink", "study", "teach", "sing"}));
      if (!told) return out;
    }
    if (previous && previous->kind != SubjectKind::kNone) {
      out.subject = *previous;
    } else {
      out.subject.kind = SubjectKind::kOwner;
    }
    out.subject.elided = true;
    // "... and takes long", "something like that": not said of the owner.
    const bool misfit =
        form && out.subject.kind == SubjectKind::kOwner &&
        (form->form == Form::kThird || (form->lemma == "like" && form->form == Form::kBase));
    if (misfit) {
      out.subject = {};
      return out;
    }
    if (!verb_phrase(words, i, end, out)) out.subject = {};
    return out;
  }
  // A time may stand between the subject and its verb.
  std::size_t verb_at = after;
  while (verb_at < end && words[verb_at].phrase >= 0) ++verb_at;
  if (!verb_phrase(words, verb_at, end, out)) out.tense = Tense::kNone;
  return out;
}

}  // namespace kartei::daemon
