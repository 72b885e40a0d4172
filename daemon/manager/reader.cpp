#include "daemon/manager/reader.h"

#include <algorithm>

namespace kartei::daemon {
namespace {

std::string first_word(std::string_view name) {
  const std::size_t space = name.find(' ');
  return std::string(name.substr(0, space));
}

std::string short_name(const std::string& full) {
  return full == "The user" ? full : first_word(full);
}

// Without what stands between ``` and ```.
Words without_code(Words words) {
  auto fence = [&](std::size_t i) {
    return i + 2 < words.size() && words[i].text == "`" && words[i + 1].text == "`" &&
           words[i + 2].text == "`";
  };
  std::size_t kept = 0;
  bool inside = false;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (fence(i)) {
      inside = !inside;
      i += 2;
      continue;
    }
    if (inside) continue;
    if (kept != i) words[kept] = std::move(words[i]);
    ++kept;
  }
  words.resize(kept);
  return words;
}

// "please note", "remember": what follows is meant to be kept.
bool meant_to_keep(const Words& words, const Range& range) {
  for (std::size_t i = range.begin; i < range.end && i < range.begin + 7; ++i) {
    if (one_of(words[i].low,
               {"fyi", "note", "remember", "reminder", "record", "reference", "notes"}))
      return true;
    if (words[i].low == "heads" && i + 1 < range.end && words[i + 1].low == "up") return true;
  }
  return false;
}

// "please note down:": what follows is a list to be kept.
bool opens_list(const Words& words, const Range& sentence) {
  const bool ends_so = sentence.end >= words.size() ||
                       words[sentence.end].kind == WordKind::kBreak ||
                       words[sentence.end].text == ":" || words[sentence.end - 1].text == ":";
  if (!ends_so) return false;
  for (std::size_t i = sentence.begin; i < sentence.end; ++i) {
    if (one_of(words[i].low,
               {"keep", "remember", "note", "save", "store", "notes", "reminder", "list"}))
      return true;
  }
  return false;
}

constexpr std::size_t kLongestTurn = 32 * 1024;  // more is no talk but a document

}  // namespace

Reader::Reader(const Lexicon& lexicon, const SecretaryTask& task, const Voice& voice,
               Notebook& notebook)
    : lexicon_(lexicon),
      task_(task),
      voice_(voice),
      owner_name_(short_name(voice.name)),
      owner_key_(store::normalised_text(voice.name)),
      people_(owner_name_),
      parser_(lexicon, people_),
      notebook_(notebook) {}

void Reader::run() {
  meet_old_friends();
  hear_context();
  for (std::size_t i = 0; i < task_.turns.size(); ++i) read_turn(task_.turns[i], i);
}

// Earlier turns: who is who, nothing else. Whom they introduce has got a card from them.
void Reader::hear_context() {
  silent_ = true;
  notebook_.hear_only(true);
  for (const store::Turn& turn : task_.context) read_turn(turn, 0);
  notebook_.hear_only(false);
  silent_ = false;
  for (std::size_t i = 0; i < people_.count(); ++i) {
    const Person& person = people_.at(i);
    if (!person.name.empty() && !person.relation.empty()) introduced_.insert(i);
  }
}

// People whom older cards introduced: "Bo is Nora's uncle."
void Reader::meet_old_friends() {
  const auto cards = notebook_.open(owner_key_, [](const store::Card& card) {
    return card.colour == store::Colour::kFact && !card.object.empty() &&
           (relative(card.relation) != nullptr || card.relation == "pet");
  });
  for (const Found& found : cards) {
    Person person;
    const Relative* relation = relative(found.card.relation);
    person.of = owner_name_;
    if (relation) {
      person.relation = found.card.relation;
      person.kind = relation->kind;
      person.gender = relation->gender;
      person.animal = relation->kind == "pet";
    } else {
      person.animal = true;
      person.kind = "pet";
    }
    // The name as the card writes it.
    for (const Word& word : lex_words(found.card.text)) {
      if (!word.capital || !one_of(found.card.object, {word.low})) continue;
      person.name = word.text;
    }
    if (person.name.empty()) person.name = capitalised(found.card.object);
    introduced_.insert(people_.mention(person));
  }
  people_.forget_focus();
}

void Reader::read_turn(const store::Turn& turn, std::size_t index) {
  if (!voice_.says(turn) || turn.text.size() > kLongestTurn) return;
  page_.turn = &turn;
  page_.index = index;
  page_.words = without_code(lex_words(turn.text));
  if (page_.words.empty()) return;
  page_.when.emplace(turn.text, turn.said_at, task_.zone, page_.words);
  if (const Language language = language_of(page_.words); language != Language::kEnglish) {
    return read_foreign_turn(language);
  }
  if (voice_.among_people()) page_.words = voice_.without_addresses(std::move(page_.words));
  page_.words = lift_asides(std::move(page_.words));
  name_known(page_.words);
  mend_words(page_.words);
  if (is_material(page_.words)) return;
  forget_turn();
  const std::size_t before = notebook_.size();
  for (const Sentence& sentence : split_sentences(page_.words)) read_sentence(sentence);
  turn_drafts_.clear();
  for (std::size_t i = before; i < notebook_.size(); ++i) turn_drafts_.push_back(i);
}

// What only holds within one turn.
void Reader::forget_turn() {
  listing_ = false;
  moving_ = false;
  moved_.reset();
  period_.reset();
  avoided_.clear();
  subject_.reset();
  turn_texts_.clear();
}

// "greta called": a name that is known already is written as it was.
void Reader::name_known(Words& words) const {
  for (Word& word : words) {
    if (word.capital || word.kind != WordKind::kWord || word.low.size() < 3 ||
        in(Set::kNotName, word.low) || lexicon_.verb(word.low)) {
      continue;
    }
    const auto known = people_.by_name(word.low);
    if (!known) continue;
    word.text = people_.at(*known).name;
    word.capital = true;
  }
}

void Reader::read_foreign_turn(Language language) {
  if (silent_) return;
  for (ForeignStatement& told :
       read_foreign(language, page_.turn->text, page_.words, *page_.when, owner_name_)) {
    const bool event = told.phrase >= 0 && !told.since;
    Draft card =
        draft(std::move(told.text), owner_key_, told.relation, told.object,
              event ? store::Colour::kEvent : store::Colour::kFact, frame_of(told.relation, {}));
    if (!told.subject.empty()) card.card.subject = store::normalised_text(told.subject);
    if (told.phrase >= 0) date_from(card, page_.when->phrase(told.phrase));
    card.single = told.single;
    write(std::move(card));
  }
}

void Reader::read_sentence(const Sentence& sentence) {
  subject_.reset();
  const Words& words = page_.words;
  if (takes_back(words, sentence)) {
    for (const std::size_t index : turn_drafts_) notebook_.drop(index);
    turn_drafts_.clear();
    return;
  }
  if (sentence.item && listing_) return read_list_item(sentence);
  const Kind kind = kind_of(words, sentence);
  if (kind == Kind::kSecret || kind == Kind::kMaterial) return;
  if (kind == Kind::kJoke || kind == Kind::kSarcasm || kind == Kind::kFiction ||
      kind == Kind::kHypothetical || kind == Kind::kQuote) {
    if (kind == Kind::kQuote) note_people(sentence);
    return;
  }
  listing_ = listing_ || opens_list(words, sentence);
  if (read_correction(sentence)) return;
  if (!voice_.among_people() && (read_withdrawal(sentence) || read_order(sentence))) return;
  if (kind == Kind::kQuestion) {
    read_question(sentence);
  } else {
    noted_ = meant_to_keep(words, sentence);
    for (const Clause& clause : split_clauses(words, sentence, lexicon_)) {
      read_clause(clause, sentence);
      note_people(clause);
    }
    noted_ = false;
  }
  note_people(sentence);
  note_belongings(sentence);
  write_relations();
}

// Facts that stand inside a question: "is soy fine if I have gout?", "I'm vegan, what
// can I cook?"
void Reader::read_question(const Sentence& sentence) {
  const Words& words = page_.words;
  const auto clauses = split_clauses(words, sentence, lexicon_);
  for (std::size_t k = 0; k < clauses.size(); ++k) {
    Clause clause = clauses[k];
    Sentence part;
    part.begin = clause.begin;
    part.end = clause.end;
    if (kind_of(words, part) == Kind::kQuestion) continue;
    const bool given = one_of(clause.link, {"if", "because", "since", "who", "as", "but", ","});
    const bool led = k + 1 < clauses.size();
    if (!given && !led) continue;
    const auto statement = understand(clause);
    if (!statement) continue;
    subject_ = statement->parse.subject;
    const Statement& s = *statement;
    if (s.parse.subject.kind == SubjectKind::kYou || s.parse.tense == Tense::kNone) continue;
    const bool lasting = s.parse.tense == Tense::kPresent && s.parse.lemma == "be" &&
                         (in(Set::kState, rest_low(s, 0)) || in(Set::kState, rest_low(s, 1)));
    if (clause.conditional && !lasting) continue;
    if (!s.parse.modal.empty()) continue;
    clause.conditional = false;
    read_clause(clause, sentence);
  }
}

std::optional<Reader::Statement> Reader::understand(const Clause& clause) {
  Statement s;
  s.clause = clause;
  s.parse = parser_.parse(page_.words, clause, subject_ ? &*subject_ : nullptr);
  if (clause.link == "who" && s.parse.subject.kind == SubjectKind::kOwner &&
      s.parse.subject.elided) {
    // "my brother, who works ...": the last one named.
    if (subject_ && subject_->kind == SubjectKind::kPerson)
      s.parse.subject.person = subject_->person;
    if (!s.parse.subject.person) return std::nullopt;
    s.parse.subject.kind = SubjectKind::kPerson;
  }
  // "hope and love exist": without a subject before, what follows an "and" is no verb of the
  // owner's.
  if (s.parse.subject.elided && !subject_ && one_of(clause.link, {"and", "or"}))
    return std::nullopt;
  if (!name_subject(s)) {
    // "it cheered me up and gave me ...": the verb that follows is not the owner's either.
    if (s.parse.subject.kind == SubjectKind::kIt) subject_ = s.parse.subject;
    return std::nullopt;
  }
  s.rest = trimmed(page_.words, s.parse.rest);
  s.phrases = page_.when->inside(page_.words, clause);
  s.time = page_.when->main(s.phrases);
  return s;
}

// Whom or what the card will begin with; false where that is not known.
bool Reader::name_subject(Statement& s) const {
  const Subject& subject = s.parse.subject;
  s.subject_key = owner_key_;
  switch (subject.kind) {
    case SubjectKind::kNone:
      return false;
    case SubjectKind::kOwner:
      s.subject = owner_name_;
      s.about_owner = !subject.and_owner;
      if (subject.and_owner) s.subject += " and " + people_.at(*subject.person).display();
      return true;
    case SubjectKind::kPerson:
      if (!subject.person) return false;
      if (spoken_to(*subject.person) && !named_in(s.parse.subject_words)) return false;
      s.subject = people_.at(*subject.person).display();
      s.subject_key = people_.at(*subject.person).key();
      return true;
    case SubjectKind::kOwnThing:
      s.subject = possessive(owner_name_) + " " + subject.thing;
      return true;
    case SubjectKind::kThing:
      s.subject = subject.thing;
      return true;
    case SubjectKind::kIt:
      s.subject = topic_;
      return !topic_.empty();
    default:
      return true;
  }
}

void Reader::read_clause(const Clause& clause, const Sentence& sentence) {
  if (clause.conditional || clause.link == "which" || clause.link == "where" ||
      clause.link == "when") {
    return;
  }
  // A part that asks within a statement: "heads up, what time is it".
  Sentence part;
  part.begin = clause.begin;
  part.end = clause.end;
  if (kind_of(page_.words, part) != Kind::kStatement) return;
  if (read_own_birthday(clause) || read_reminder(clause)) return;
  const auto statement = understand(clause);
  wrote_ = false;
  if (!statement || statement->parse.tense == Tense::kNone) {
    if (!read_fragment(clause) && voice_.among_people()) told_effect(clause);
    return;
  }
  const Statement& s = *statement;
  subject_ = s.parse.subject;
  if (is_misread(s)) return;
  if (s.parse.subject.kind == SubjectKind::kThing ||
      s.parse.subject.kind == SubjectKind::kOwnThing) {
    const bool definite =
        s.parse.subject.kind == SubjectKind::kOwnThing || s.subject.starts_with("the ");
    topic_ = definite ? s.subject : std::string{};
  }
  (void)sentence;
  if (s.time) period_ = s.time;
  if (state_identity(s) || state_change_of_plan(s)) return;
  if (s.parse.subject.kind == SubjectKind::kYou || s.parse.subject.kind == SubjectKind::kThey ||
      s.parse.subject.kind == SubjectKind::kDemonstrative) {
    return;
  }
  const std::string& modal = s.parse.modal;
  if (one_of(modal, {"would", "could", "should", "might", "may", "shall"})) return;
  const bool dealt = state_birthday(s) || state_break_up(s) || state_home(s) || state_ending(s) ||
                     state_work(s) || state_health(s) || state_negation(s) || state_thing(s) ||
                     state_having(s) || state_being(s) || state_plan(s) || state_past(s);
  if (!dealt) state_habit(s);
  // What is told to an assistant is mostly the matter in hand, among people it is their lives.
  if (!wrote_ && voice_.among_people() && !state_told(s)) told_effect(clause);
}

void Reader::note_people(const Range& range) {
  for (std::size_t i = range.begin; i < range.end;) {
    const std::string& low = page_.words[i].low;
    const bool may_begin =
        one_of(low, {"my", "our", "his", "her"}) ||
        (page_.words[i].capital && i + 2 < range.end && page_.words[i + 1].text == "," &&
         one_of(page_.words[i + 2].low, {"my", "our"})) ||
        people_.by_name(low) ||
        (page_.words[i].capital && i > range.begin && !in(Set::kNotName, low) &&
         one_of(page_.words[i - 1].low, {"with", "for", "about", "meet", "visit"}));
    if (page_.words[i].quoted || !may_begin) {
      ++i;
      continue;
    }
    const auto found = parser_.person(page_.words, i, range.end);
    i = found && found->first > i ? found->first : i + 1;
  }
}

// "my kayak leaks": there is a kayak.
void Reader::note_belongings(const Range& range) {
  const Words& words = page_.words;
  for (std::size_t i = range.begin; i + 1 < range.end; ++i) {
    if (words[i].quoted || !one_of(words[i].low, {"my", "our"})) continue;
    std::size_t at = i + 1;
    while (at + 1 < range.end && at < i + 3 && words[at].kind == WordKind::kWord &&
           one_of(words[at].low,
                  {"old", "new", "own", "little", "red", "blue", "green", "white", "black",
                   "electric", "second", "used", "trusty", "road", "mountain"})) {
      ++at;
    }
    const std::string& noun = words[at].low;
    if (!in(Set::kOwnable, noun) || words[at].possessive) continue;
    // "my piano teacher", "my car insurance": another thing.
    if (at + 1 < range.end && words[at + 1].kind == WordKind::kWord && words[at + 1].phrase < 0 &&
        !finite(words, at + 1, lexicon_) && !in(Set::kPreposition, words[at + 1].low) &&
        !in(Set::kAdverb, words[at + 1].low) &&
        !one_of(words[at + 1].low, {"and", "but", "or", "because", "when", "if", "which", "that",
                                    "so", "i", "he", "she", "we", "they"})) {
      continue;
    }
    const auto known = notebook_.open(owner_key_, [&](const store::Card& card) {
      const auto names = content_words(card.text);
      return overlap(content_words(noun), names) == 1.0;
    });
    if (!known.empty() || silent_) continue;
    const std::string article =
        std::string_view("aeiou").find(noun[0]) != std::string_view::npos ? "an " : "a ";
    write(draft(owner_name_ + " has " + article + noun + ".", owner_key_, "owns", noun,
                store::Colour::kFact, frame_of("own", {})));
  }
}

// "Bo is Nora's uncle.": once for each person with a name and a relation.
void Reader::write_relations() {
  if (silent_) return;
  for (std::size_t i = 0; i < people_.count(); ++i) {
    const Person& person = people_.at(i);
    if (person.name.empty() || person.relation.empty() || introduced_.contains(i)) continue;
    introduced_.insert(i);
    if (person.kind == "former") continue;
    Frame frame = frame_of(person.relation, {});
    frame.domain = person.animal ? "pets" : "people";
    frame.tags = person.animal ? "pet people" : "people relation";
    frame.importance = person.kind == "partner" ? 0.8 : 0.6;
    const std::string whose = possessive(person.of);
    std::string text = person.name + " is " + whose + " " + person.relation;
    if (!person.qualifier.empty()) text += " " + person.qualifier;
    // A statement of this turn may have said it by the way.
    const auto said = content_words(text);
    const bool repeats =
        std::any_of(turn_texts_.begin(), turn_texts_.end(), [&](const std::string& other) {
          const auto words = content_words(other);
          return overlap(said, words) == 1.0 && words.size() <= said.size() + 1;
        });
    if (repeats && person.kind != "partner" && !person.animal) continue;
    const std::string holder =
        person.of == owner_name_ ? owner_key_ : store::normalised_text(person.of);
    write(draft(text + ".", holder, person.relation, lower(person.name), store::Colour::kFact,
                frame));
  }
}

Draft Reader::draft(std::string text, std::string subject, std::string relation, std::string object,
                    store::Colour colour, const Frame& frame) const {
  Draft out;
  store::Card& card = out.card;
  card.text = sentence_of(std::move(text));
  card.colour = colour;
  card.drawer = task_.drawer;
  card.sub_domain = frame.domain;
  card.micro_context = card.text;
  card.subject = store::normalised_text(subject);
  card.relation = std::move(relation);
  card.object = store::normalised_text(object == "it" ? topic_ : object);
  card.recorded_at = task_.now;
  card.importance = frame.importance;
  card.tags = tags_of(frame, card.text);
  if (page_.turn) {
    card.conversation = page_.turn->conversation;
    card.sources = {page_.turn->id};
    card.trust = page_.turn->trust;
    card.said_by = page_.turn->speaker;
    card.app = page_.turn->app;
    card.device = page_.turn->device;
  }
  out.turn = page_.index;
  return out;
}

std::optional<std::size_t> Reader::write(Draft draft) {
  wrote_ = true;
  if (silent_) return std::nullopt;
  if (!fit_to_write(draft.card.text)) return std::nullopt;
  turn_texts_.push_back(draft.card.text);
  const auto index = notebook_.add(std::move(draft));
  if (index) last_ = index;
  return index;
}

}  // namespace kartei::daemon
