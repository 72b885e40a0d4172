// Words without a verb of their own: appointments, reminders, tastes, fragments, lines of lists.
#include <algorithm>

#include "daemon/manager/reader.h"

namespace kartei::daemon {
namespace {

using store::Colour;
using store::TimePhrase;

// The article that an appointment without its verb lacks: "meeting with Jonas" is "a meeting".
std::string appointment_noun(const Words& words, const Range& what) {
  std::size_t i = what.begin;
  while (i < what.end && words[i].phrase >= 0) ++i;
  if (i >= what.end || words[i].capital) return {};
  const std::string& low = words[i].low;
  const bool alone = i + 1 >= what.end || words[i + 1].phrase >= 0 ||
                     in(Set::kPreposition, words[i + 1].low) ||
                     words[i + 1].kind != WordKind::kWord;
  if (alone &&
      one_of(low, {"dentist", "doctor", "vet", "gp", "optician", "hairdresser", "dermatologist"})) {
    return "an appointment at the ";
  }
  if (one_of(low, {"appointment", "exam", "interview", "audition", "mri", "x-ray"})) return "an ";
  if (one_of(low,
             {"meeting",  "haircut", "concert", "party",   "flight",   "wedding",    "test",
              "check-up", "checkup", "scan",    "lesson",  "workshop", "conference", "consultation",
              "job",      "blood",   "driving", "parents", "call",     "hearing",    "funeral",
              "gig",      "game",    "match",   "vet",     "dentist",  "doctor"})) {
    return "a ";
  }
  return {};
}

// The mark or verb between a thing and its value; the end where there is none.
std::size_t entry_split(const Words& words, const Range& range) {
  constexpr std::size_t kReach = 8;
  for (std::size_t i = range.begin + 1; i < range.end && i < range.begin + kReach; ++i) {
    const Word& word = words[i];
    const bool parts = word.text == ":" || word.text == "=" || (word.text == "-" && !word.glued) ||
                       one_of(word.low, {"is", "are"});
    if (parts) return i;
  }
  return range.end;
}

// Behind "note:", "and got a", which name nothing.
Range after_appointment_opener(const Words& words, Range range) {
  while (!range.empty()) {
    const Word& word = words[range.begin];
    const bool opens = in(Set::kFiller, word.low) || word.kind == WordKind::kPunct ||
                       one_of(word.low, {"and", "note", "remember", "reminder", "got", "have",
                                         "with", "my", "a", "the", "then"});
    if (!opens) break;
    ++range.begin;
  }
  return range;
}

}  // namespace

// "haircut with Jo this friday at 9, Kungsgatan 4": no verb, but a day and a purpose.
bool Reader::note_appointment(const Range& range) {
  const auto time = page_.when->main(page_.when->inside(page_.words, range));
  if (!time) return false;
  const TimePhrase& phrase = page_.when->phrase(*time);
  if (!phrase.from.day || phrase.since || phrase.until) return false;
  if (phrase.from.end() <= page_.when->today().begin()) return false;
  const Range what = trimmed(page_.words, after_appointment_opener(page_.words, range));
  if (what.empty() || !names_appointment(what)) return false;
  const auto written = appointment_text(what, *time);
  if (!written) return false;
  std::string object;
  for (std::size_t i = what.begin; i < what.end; ++i) {
    const Word& word = page_.words[i];
    if (word.phrase < 0 && word.kind == WordKind::kWord)
      object += (object.empty() ? "" : " ") + word.low;
  }
  Frame frame = frame_of("event", {});
  frame.domain = "calendar";
  frame.tags = "appointment calendar";
  Draft card = draft(*written, owner_key_, "event", object, Colour::kEvent, frame);
  date_from(card, phrase);
  write(std::move(card));
  return true;
}

// A few words without a verb of which one is an event's name, or that are meant to be kept.
bool Reader::names_appointment(const Range& what) const {
  constexpr std::size_t kMostWords = 14;
  bool event_noun = false;
  std::size_t plain = 0;
  for (std::size_t i = what.begin; i < what.end; ++i) {
    const Word& word = page_.words[i];
    if (word.phrase >= 0) continue;
    if (in(Set::kAux, word.low) || one_of(word.low, {"i", "you"})) return false;
    event_noun = event_noun || in(Set::kEventNoun, word.low);
    plain += word.kind == WordKind::kWord;
  }
  return plain > 0 && plain <= kMostWords && (event_noun || noted_);
}

// "Nora has a haircut with Jo on 20 March 2026 at 09:00": the time goes to the end.
std::optional<std::string> Reader::appointment_text(const Range& what, int time) const {
  const Words& words = page_.words;
  const Turned text = reworded(what, true);
  if (text.foreign_you) return std::nullopt;
  const TimePhrase& phrase = page_.when->phrase(time);
  const std::string start = owner_name_ + " has " + appointment_noun(words, what);
  if (page_.when->inside(words, what).empty()) {
    return start + text.text + " " + page_.when->wording(phrase, said_as(phrase));
  }
  if (words[what.begin].phrase < 0) return start + text.text;
  return start + reworded(what, true, time).text + " " + page_.when->wording(phrase, {});
}

// "remind me to water the plants on friday at 6"
bool Reader::read_reminder(const Range& range) {
  const Words& words = page_.words;
  std::size_t i = range.begin;
  while (i + 3 < range.end && words[i].low != "remind") ++i;
  if (i + 3 >= range.end || words[i].low != "remind" || words[i + 1].low != "me") return false;
  const auto time = page_.when->main(page_.when->inside(words, range));
  const bool dated = time && page_.when->phrase(*time).from.day && !page_.when->phrase(*time).since;
  if (!dated) return true;
  const Turned what = reworded(trimmed(words, {i + 2, range.end}), true, *time);
  if (what.foreign_you || what.unresolved || what.text.empty()) return true;
  const TimePhrase& phrase = page_.when->phrase(*time);
  Frame frame = frame_of("event", {});
  frame.domain = "calendar";
  frame.tags = "reminder calendar";
  Draft card = draft(
      owner_name_ + " wants to be reminded " + what.text + " " + page_.when->wording(phrase, {}),
      owner_key_, "event", lower(what.text), Colour::kEvent, frame);
  date_from(card, phrase);
  write(std::move(card));
  return true;
}

// "not a fan of horror films", "big fan of opera": a taste without its subject.
bool Reader::read_taste(const Range& range) {
  const Words& words = page_.words;
  std::size_t i = range.begin;
  while (i < range.end && in(Set::kFiller, words[i].low)) ++i;
  const std::size_t begin = i;
  const bool denied = i < range.end && words[i].low == "not";
  if (denied) ++i;
  while (i < range.end && one_of(words[i].low, {"a", "big", "huge", "really", "such", "exactly"}))
    ++i;
  if (i + 2 >= range.end || i == begin || words[i].low != "fan" || words[i + 1].low != "of")
    return false;
  const Turned what = reworded(trimmed(words, {i + 2, range.end}), true);
  if (what.foreign_you || what.unresolved) return true;
  const Frame frame = frame_of(denied ? "hate" : "like", {});
  write(draft(owner_name_ + (denied ? " is not a fan of " : " is a fan of ") + what.text,
              owner_key_, std::string(frame.relation), lower(what.text), Colour::kFact, frame));
  return true;
}

// Words without a verb of their own.
bool Reader::read_fragment(const Clause& clause) {
  const Words& words = page_.words;
  if (read_taste(clause) || note_appointment(clause)) return true;
  Range range = clause;
  while (!range.empty() && (in(Set::kFiller, words[range.begin].low) ||
                            words[range.begin].kind == WordKind::kPunct)) {
    ++range.begin;
  }
  // "each night after supper": belongs to what was said just before.
  const auto phrases = page_.when->inside(words, range);
  if (!phrases.empty() && words[range.begin].phrase == phrases.front() && last_ && !silent_ &&
      page_.when->phrase(phrases.front()).recurring) {
    Draft& before = notebook_.draft(*last_);
    if (before.turn == page_.index && !before.dropped && before.card.colour == Colour::kFact) {
      const Turned text = reworded(trimmed(words, range), true);
      std::string joined =
          before.card.text.substr(0, before.card.text.size() - 1) + ", " + text.text + ".";
      if (!text.foreign_you && fit_to_write(joined))
        before.card.text = before.card.micro_context = joined;
      return true;
    }
  }
  // "with Bo", "my aunt.": somebody to speak of.
  for (std::size_t i = range.begin; i < range.end; ++i) {
    const bool led =
        i > range.begin && one_of(words[i - 1].low, {"with", "and", "for", "about", "to", "from"});
    if (one_of(words[i].low, {"my", "our"}) || (led && words[i].capital)) {
      if (const auto found = parser_.person(words, i, range.end)) {
        Subject subject;
        subject.kind = SubjectKind::kPerson;
        subject.person = found->second;
        subject_ = subject;
        i = std::max(i, found->first - 1);
      }
    }
  }
  return false;
}

// A line of a list to be kept: "plumber: Mr. Falk, 08 123 45", "shed key 4".
void Reader::read_list_item(const Sentence& sentence) {
  const Words& words = page_.words;
  if (looks_secret(words, sentence)) return;
  Range range = sentence;
  while (!range.empty() && one_of(words[range.begin].low, {"my", "our", "the", "-", "*", "and"}))
    ++range.begin;
  if (range.empty()) return;
  if (one_of(words[range.begin].low, {"i", "we"})) {
    noted_ = true;
    for (const Clause& clause : split_clauses(words, sentence, lexicon_))
      read_clause(clause, sentence);
    noted_ = false;
    return;
  }
  const bool was_noted = noted_;
  noted_ = true;
  const bool appointment = note_appointment(range);
  noted_ = was_noted;
  if (!appointment) note_entry(range);
}

// "plumber: Mr. Falk": a thing and its value; without a mark between them a note.
void Reader::note_entry(const Range& range) {
  const Words& words = page_.words;
  Frame frame = frame_of("be", {});
  frame.domain = "details";
  frame.tags = "detail note number";
  frame.importance = 0.6;
  const std::size_t split = entry_split(words, range);
  if (split >= range.end) {
    const std::string text = reworded(range, true).text;
    if (text.empty()) return;
    write(draft(possessive(owner_name_) + " note: " + text, owner_key_, "note", lower(text),
                Colour::kFact, frame));
    return;
  }
  Range name{range.begin, split};
  if (name.end - name.begin > 1 && one_of(words[name.begin].low, {"new", "current"})) ++name.begin;
  const std::string thing = reworded(name, true).text;
  const std::string value = reworded({split + 1, range.end}, true).text;
  if (thing.empty() || value.empty()) return;
  const std::string verb = words[split].low == "are" ? " are " : " is ";
  Draft card = draft(possessive(owner_name_) + " " + thing + verb + value, owner_key_, lower(thing),
                     lower(value), Colour::kFact, frame);
  card.single = true;
  write(std::move(card));
}

}  // namespace kartei::daemon
