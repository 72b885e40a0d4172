// The verb phrase of a clause: auxiliaries, denials, tense, and the third person.
#include "daemon/manager/clause.h"

namespace kartei::daemon {
namespace {

void take_form(Parse& out, const VerbForm& form) {
  out.lemma = std::string(form.lemma);
  out.verb = form.verb;
}

// The verb of that form; a word that is no known verb stands for itself.
void take_verb(Parse& out, const std::string& low, const std::optional<VerbForm>& form) {
  out.lemma = form ? std::string(form->lemma) : low;
  out.verb = form ? form->verb : Verb::kPlain;
}

// One adverb before a verb. Those that change what is said are written, others are left out.
void read_adverb(const std::string& low, std::string& text, Parse& out) {
  if (low == "not") {
    out.negated = true;
    text += " not";
  } else if (low == "never") {
    out.never = true;
    text += " never";
  } else if (in(Set::kTellingAdverb, low)) {
    text += " " + low;
  }
}

// "tinkering with": a verb that no table has; "amazing for me" is a quality.
bool does_unknown(const Words& words, std::size_t i, std::size_t end) {
  constexpr std::size_t kShortest = 6;
  const std::string_view low = low_at(words, i, end);
  return low.size() >= kShortest && low.ends_with("ing") && i + 1 < end && words[i].phrase < 0 &&
         !in(Set::kIngQuality, low);
}

bool may_precede_verb(const Word& word) {
  return in(Set::kAdverb, word.low) || word.low == "no" || word.low == "not";
}

// Between an auxiliary and its verb: "has never been", "is no longer".
void read_inner_adverbs(const Words& words, std::size_t& i, std::size_t end, std::string& text,
                        Parse& out) {
  for (; i < end && words[i].phrase < 0 && may_precede_verb(words[i]); ++i) {
    if (words[i].low == "no") {
      if (low_at(words, i + 1, end) != "longer") return;
      out.ended = out.negated = true;
      ++i;
      continue;
    }
    read_adverb(words[i].low, text, out);
  }
}

// Before the whole verb phrase: "no longer", "usually"; nothing where "no" denies a noun.
std::optional<std::string> read_outer_adverbs(const Words& words, std::size_t& i, std::size_t end,
                                              Parse& out) {
  std::string text;
  for (; i < end && words[i].phrase < 0 && (may_precede_verb(words[i]) || comma(words[i])); ++i) {
    if (words[i].low == "no") {
      if (low_at(words, i + 1, end) != "longer") return std::nullopt;
      out.ended = out.negated = true;
      text += " no longer";
      ++i;
      continue;
    }
    read_adverb(words[i].low, text, out);
  }
  return text;
}

// "usually has been": an adverb from before the phrase goes behind its first auxiliary, where there
// is one.
void put_adverbs(const std::string& before, Parse& out) {
  if (before.empty()) return;
  const std::size_t space = out.verb_text.find(' ');
  if (space == std::string::npos && out.lemma != "be") {
    out.verb_text = before.substr(1) + " " + out.verb_text;
    return;
  }
  out.verb_text.insert(space == std::string::npos ? out.verb_text.size() : space, before);
}

}  // namespace

// "is", "am not", "was going to sell", "are building", "was moved".
void ClauseParser::read_be(const Words& words, std::size_t& i, std::size_t end, Parse& out) {
  const bool past = words[i].low == "was" || words[i].low == "were";
  const bool plural = out.subject.plural;
  out.tense = past ? Tense::kPast : Tense::kPresent;
  out.lemma = "be";
  out.verb_text = past ? (plural ? "were" : "was") : (plural ? "are" : "is");
  ++i;
  read_inner_adverbs(words, i, end, out.verb_text, out);
  if (i >= end || read_going_to(words, i, end, out)) return;
  const std::string& low = words[i].low;
  const auto form = lexicon_.verb(low);
  if (form && form->form == Form::kIng && words[i].phrase < 0) {
    out.tense = past ? Tense::kPast : Tense::kProgressive;
    take_form(out, *form);
    out.verb_text += " " + words[i++].low;
    return;
  }
  const bool somebody =
      out.subject.kind == SubjectKind::kOwner || out.subject.kind == SubjectKind::kPerson;
  if (somebody && !past && !form && does_unknown(words, i, end)) {
    out.tense = Tense::kProgressive;
    out.lemma = low;
    out.verb_text += " " + words[i++].low;
    return;
  }
  const auto participle = lexicon_.participle(low);
  const bool born = low == "born";
  if (!born && (!participle || in(Set::kState, low) || low == "used")) return;
  out.passive = true;
  out.lemma = born ? "bear" : std::string(participle->lemma);
  out.verb = born ? Verb::kEvent : participle->verb;
  out.verb_text += " " + words[i++].low;
}

// "is going to sell": a plan; "was going to": nothing that came true.
bool ClauseParser::read_going_to(const Words& words, std::size_t& i, std::size_t end,
                                 Parse& out) const {
  if (i + 2 >= end || words[i].low != "going" || words[i + 1].low != "to") return false;
  const Word& verb = words[i + 2];
  const auto form = lexicon_.verb(verb.low);
  if (!form || verb.phrase >= 0 || verb.capital) return false;
  out.tense = out.tense == Tense::kPast ? Tense::kNone : Tense::kFuture;
  take_form(out, *form);
  out.verb_text += " going to " + verb.low;
  i += 3;
  return true;
}

// "has", "has got", "have to sell", "has been building", "have sold".
void ClauseParser::read_have(const Words& words, std::size_t& i, std::size_t end, Parse& out) {
  const std::size_t begin = i;
  const bool had = words[i].low == "had";
  const Tense tense = had ? Tense::kPast : Tense::kPresent;
  std::string text = had ? "had" : out.subject.plural ? "have" : "has";
  ++i;
  read_inner_adverbs(words, i, end, text, out);
  const bool got =
      low_at(words, i, end) == "got" && !had &&
      !one_of(low_at(words, i + 1, end), {"married", "engaged", "divorced", "promoted"});
  if (!got && i + 1 < end && words[i].low == "to" && i == begin + 1) {
    out.modal = "must";
    out.tense = tense;
    take_verb(out, words[i + 1].low, lexicon_.verb(words[i + 1].low));
    out.verb_text = text + " to " + words[i + 1].low;
    i += 2;
    return;
  }
  if (low_at(words, i, end) == "been") return read_have_been(words, i, end, std::move(text), out);
  if (!got && !had && read_have_done(words, i, end, text, out)) return;
  if (got) ++i;
  out.lemma = "have";
  out.tense = tense;
  out.verb_text = std::move(text);
}

// "has been", "has been building", "have been moved".
void ClauseParser::read_have_been(const Words& words, std::size_t& i, std::size_t end,
                                  std::string text, Parse& out) const {
  text += " been";
  ++i;
  out.perfect = true;
  out.tense = Tense::kPerfect;
  out.lemma = "be";
  const std::string_view low = low_at(words, i, end);
  const auto form = lexicon_.verb(low), participle = lexicon_.participle(low);
  if (form && form->form == Form::kIng) {
    take_form(out, *form);
    text += " " + words[i++].low;
  } else if (participle && !in(Set::kState, low)) {
    out.passive = true;
    take_form(out, *participle);
    text += " " + words[i++].low;
  } else if (does_unknown(words, i, end)) {
    out.lemma = low;
    text += " " + words[i++].low;
  }
  out.verb_text = std::move(text);
}

// "has sold", "have put": a participle, or a base form that is one too.
bool ClauseParser::read_have_done(const Words& words, std::size_t& i, std::size_t end,
                                  const std::string& text, Parse& out) const {
  const std::string_view low = low_at(words, i, end);
  const auto participle = lexicon_.participle(low), form = lexicon_.verb(low);
  if ((!participle && !(form && form->past_too)) || in(Set::kState, low)) return false;
  out.perfect = true;
  out.tense = Tense::kPerfect;
  take_form(out, participle ? *participle : *form);
  out.verb_text = text + " " + words[i++].low;
  return true;
}

// "does not eat", "did go"; without a denial "do eat" is "eats".
void ClauseParser::read_do(const Words& words, std::size_t& i, std::size_t end, Parse& out) const {
  const bool past = words[i].low == "did";
  std::string text = past ? "did" : out.subject.plural ? "do" : "does";
  ++i;
  read_inner_adverbs(words, i, end, text, out);
  out.tense = past ? Tense::kPast : Tense::kPresent;
  if (i >= end) return;
  const std::string& low = words[i++].low;
  take_verb(out, low, lexicon_.verb(low));
  if (low == "have" || low == "do") out.verb = Verb::kPlain;
  const bool bare = !out.negated && !out.never && !past;
  out.verb_text = bare ? third_person(low) : text + " " + low;
}

// "can swim", "cannot eat", "will be travelling".
void ClauseParser::read_modal(const Words& words, std::size_t& i, std::size_t end,
                              Parse& out) const {
  std::string text = out.modal = words[i].low;
  ++i;
  read_inner_adverbs(words, i, end, text, out);
  if (out.modal == "can" && out.negated) {
    const std::size_t at = text.find(" not");
    if (at != std::string::npos) text.replace(at, 4, "not");
  }
  const bool ahead = out.modal == "will" || out.modal == "shall";
  out.tense = ahead ? Tense::kFuture : Tense::kPresent;
  if (i >= end) return;
  const std::string& low = words[i++].low;
  take_verb(out, low, lexicon_.verb(low));
  out.verb_text = text + " " + low;
  if (low != "be" || i >= end) return;
  const auto form = lexicon_.verb(words[i].low);
  if (!form || form->form != Form::kIng || words[i].phrase >= 0) return;
  take_form(out, *form);
  out.verb_text += " " + words[i++].low;
}

// Reads auxiliaries from word i on with their verb; false where there are none.
bool ClauseParser::auxiliary(const Words& words, std::size_t& i, std::size_t end, Parse& out) {
  const std::string& low = words[i].low;
  if (one_of(low, {"am", "is", "are", "was", "were"})) return read_be(words, i, end, out), true;
  if (one_of(low, {"have", "has", "had"})) return read_have(words, i, end, out), true;
  if (one_of(low, {"do", "does", "did"})) {
    // "I do yoga" does something, "I do work" only says so.
    const std::string_view next = low_at(words, i + 1, end);
    const bool helps = (next == "not" || lexicon_.verb(next)) && next != "yoga";
    if (helps) read_do(words, i, end, out);
    return helps;
  }
  if (one_of(low, {"can", "will", "would", "could", "should", "must", "may", "might", "shall"})) {
    return read_modal(words, i, end, out), true;
  }
  return false;
}

// "Sam's allergic", "Sam's working": the subject's "'s" is its verb.
bool ClauseParser::possessive_is(const Words& words, std::size_t& i, Parse& out) const {
  const bool is = out.subject.kind == SubjectKind::kPerson && i > 0 && words[i - 1].possessive &&
                  i == out.subject_words.end && !in(Set::kAux, words[i].low);
  if (!is) return false;
  out.tense = Tense::kPresent;
  out.lemma = "be";
  out.verb_text = "is";
  if (!words[i].low.ends_with("ing")) return true;
  if (const auto form = lexicon_.verb(words[i].low)) {
    out.tense = Tense::kProgressive;
    take_form(out, *form);
    out.verb_text += " " + words[i++].low;
  }
  return true;
}

// "used to smoke"
bool ClauseParser::used_to(const Words& words, std::size_t& i, std::size_t end, Parse& out) const {
  if (words[i].low != "used" || i + 2 >= end || words[i + 1].low != "to") return false;
  const std::string& low = words[i + 2].low;
  out.tense = Tense::kUsedTo;
  take_verb(out, low, lexicon_.verb(low));
  out.verb_text = "used to " + low;
  i += 3;
  return true;
}

// A verb without auxiliaries: "keep", "moved", and of those who speak also one that is not known.
bool ClauseParser::plain_verb(const Word& word, Parse& out) const {
  const std::string& low = word.low;
  const auto form = lexicon_.verb(low);
  const bool speaks =
      out.subject.kind == SubjectKind::kOwner || out.subject.kind == SubjectKind::kThey;
  if (!form) {
    if (!speaks || out.subject.elided || word.capital) return false;
    const bool past = low.size() > 4 && low.ends_with("ed");
    out.tense = past ? Tense::kPast : Tense::kPresent;
    out.lemma = low;
    out.verb_text = past ? low : third_person(low);
    return true;
  }
  if (form->form == Form::kIng || (form->form == Form::kParticiple && !speaks)) return false;
  // "put", "quit", "read": past where the owner's habit is unlikely.
  const bool past_too = form->past_too && form->form == Form::kBase && form->verb != Verb::kHabit;
  const bool past = form->form == Form::kPast || form->form == Form::kParticiple || past_too;
  out.tense = past ? Tense::kPast : Tense::kPresent;
  take_form(out, *form);
  const bool as_said = past || form->form == Form::kThird || out.subject.plural;
  out.verb_text = as_said ? low : third_person(low);
  return true;
}

// "been sketching a lot": "I have" is left out.
bool ClauseParser::been_doing(const Words& words, std::size_t& i, std::size_t end,
                              Parse& out) const {
  if (words[i].low != "been" || !out.subject.elided) return false;
  read_have_been(words, i, end, "has", out);
  return true;
}

bool ClauseParser::verb_phrase(const Words& words, std::size_t i, std::size_t end, Parse& out) {
  const auto before = read_outer_adverbs(words, i, end, out);
  if (!before || i >= end || words[i].kind != WordKind::kWord) return false;
  if (possessive_is(words, i, out)) {
    out.rest = {i, end};
    return true;
  }
  if (auxiliary(words, i, end, out)) {
    put_adverbs(*before, out);
    out.rest = {i, end};
    return true;
  }
  if (been_doing(words, i, end, out)) {
    put_adverbs(*before, out);
    out.rest = {i, end};
    return true;
  }
  if (used_to(words, i, end, out)) {
    out.rest = {i, end};
    return true;
  }
  if (!plain_verb(words[i], out)) return false;
  if (!before->empty()) out.verb_text = before->substr(1) + " " + out.verb_text;
  out.rest = {i + 1, end};
  return true;
}

}  // namespace kartei::daemon
