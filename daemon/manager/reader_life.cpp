// Who people are, where they live, what they do for a living, when they were born.
#include <algorithm>
#include <array>

#include "daemon/manager/reader.h"

namespace kartei::daemon {
namespace {

using store::Colour;
using store::Date;

constexpr std::array<std::string_view, 13> kMonths = {
    "",     "January", "February",  "March",   "April",    "May",     "June",
    "July", "August",  "September", "October", "November", "December"};

std::string day_and_month(const Date& date) {
  return std::to_string(date.day) + " " + std::string(kMonths[date.month]);
}

std::string month_day_key(const Date& date) {
  return std::to_string(date.month) + "-" + std::to_string(date.day);
}

}  // namespace

// "that's my uncle", "Bo is my uncle", "my aunt is Greta".
bool Reader::state_identity(const Statement& s) {
  // "my partner is called Robin"
  const bool named = s.parse.passive && one_of(s.parse.lemma, {"call", "name"}) &&
                     s.parse.subject.person && s.rest.begin < s.rest.end &&
                     page_.words[s.rest.begin].capital;
  if (named) {
    Person person = people_.at(*s.parse.subject.person);
    if (!person.name.empty()) return false;
    person.name = page_.words[s.rest.begin].text;
    people_.mention(person);
    return true;
  }
  if (s.parse.lemma != "be" || s.parse.negated || s.parse.tense != Tense::kPresent) return false;
  const Words& words = page_.words;
  const SubjectKind kind = s.parse.subject.kind;
  std::optional<std::size_t> who = s.parse.subject.person;
  if (kind == SubjectKind::kDemonstrative) {
    who = people_.latest();
    if (!who) return true;
  }
  if (kind != SubjectKind::kPerson && kind != SubjectKind::kDemonstrative) return false;
  const std::size_t at = s.rest.begin;
  if (at + 1 < s.rest.end && one_of(words[at].low, {"my", "our"})) {
    std::size_t k = at + 1;
    while (k < s.rest.end &&
           one_of(words[k].low, {"older", "little", "best", "younger", "big", "new", "old"}))
      ++k;
    if (k >= s.rest.end) return false;
    const Relative* relation = relative(words[k].low);
    if (!relation) return kind == SubjectKind::kDemonstrative;
    Person person = people_.at(*who);
    if (person.name.empty() || !person.relation.empty()) return kind == SubjectKind::kDemonstrative;
    person.relation =
        relation->name.empty() ? std::string(relation->word) : std::string(relation->name);
    person.kind = relation->kind;
    person.of = owner_name_;
    person.gender = relation->gender;
    person.animal = relation->kind == "pet";
    people_.mention(person);
    return true;
  }
  if (kind == SubjectKind::kDemonstrative) return true;
  // "my dentist is Dr. Weber"
  const Person known = people_.at(*who);
  if (known.name.empty() && at < s.rest.end && words[at].capital &&
      !in(Set::kNotName, words[at].low)) {
    Person person = known;
    std::size_t k = at;
    while (k < s.rest.end && words[k].capital && k < at + 3) {
      person.name += (person.name.empty() ? "" : " ") + words[k++].text;
    }
    people_.mention(person);
    if (k >= s.rest.end) return true;
    // "my gp is Dr. Ek, 018 55 66 77": the number stays with the name.
    const Turned value = reworded(s.rest, true);
    if (value.foreign_you || value.unresolved || known.of != owner_name_) return false;
    Frame frame = frame_of("be", {});
    frame.domain = "people";
    frame.tags = "people number";
    introduced_.insert(*who);
    write(draft(possessive(owner_name_) + " " + person.relation + " is " + value.text, owner_key_,
                person.relation, lower(person.name), Colour::kFact, frame));
    return true;
  }
  return false;
}

bool Reader::state_birthday(const Statement& s) {
  const Words& words = page_.words;
  std::string thing = lower(s.parse.subject.thing);
  const bool named = thing.ends_with("birthday") || thing.ends_with("bday");
  const bool turns = s.parse.lemma == "turn" && s.parse.subject.kind != SubjectKind::kThing &&
                     s.rest.begin < s.rest.end && words[s.rest.begin].kind == WordKind::kNumber &&
                     s.time;
  if (!named && !turns) return false;
  std::string subject = owner_key_, name = owner_name_;
  if (s.parse.subject.person) {
    subject = people_.at(*s.parse.subject.person).key();
    name = people_.at(*s.parse.subject.person).display();
  }
  if (turns) {
    auto text = compose(s, s.parse.verb_text, false);
    if (!text) return true;
    const Date day = page_.when->phrase(*s.time).from;
    Frame frame = frame_of("bear", {});
    frame.tags = "birthday people";
    Draft card = draft(*text, subject, "birthday", month_day_key(day), Colour::kEvent, frame);
    date(card, s);
    write(std::move(card));
    return true;
  }
  if (s.parse.lemma != "be") return false;
  Date day;
  if (s.time) day = page_.when->phrase(*s.time).from;
  if (!day.known()) {
    // "a week before Bo's": found by whose it is.
    int shift = 0;
    std::optional<std::size_t> whose;
    for (std::size_t i = s.rest.begin; i < s.rest.end; ++i) {
      const std::string& low = words[i].low;
      if (low == "after" || low == "before") {
        const bool week = i > s.rest.begin && one_of(words[i - 1].low, {"week", "weeks"});
        int many = 1;
        if (i >= s.rest.begin + 2) {
          if (words[i - 2].low == "two" || words[i - 2].low == "2") many = 2;
          if (words[i - 2].low == "three" || words[i - 2].low == "3") many = 3;
        }
        shift = (low == "after" ? 1 : -1) * many * (week ? 7 : 1);
      }
      if (const auto known = people_.by_name(low)) whose = known;
      if (low == "his" || low == "her" || low == "hers") whose = people_.by_pronoun(low);
      const Relative* relation = relative(low);
      if (relation && !whose) {
        whose = people_.by_relation(relation->name.empty() ? relation->word : relation->name);
      }
    }
    const bool mine = rest_has(s, "mine") || rest_has(s, "my");
    if (!whose && !mine) return true;
    const std::string other = whose ? people_.at(*whose).key() : owner_key_;
    for (const Found& found : notebook_.open(
             other, [](const store::Card& card) { return card.relation == "birthday"; })) {
      const std::size_t dash = found.card.object.find('-');
      if (dash == std::string::npos) continue;
      const int month = std::atoi(found.card.object.c_str());
      const int date_day = std::atoi(found.card.object.c_str() + dash + 1);
      if (month < 1 || month > 12 || date_day < 1 || date_day > 31) continue;
      Date base;
      base.year = page_.when->today().year;
      base.month = static_cast<std::uint8_t>(month);
      base.day = static_cast<std::uint8_t>(date_day);
      day = Date::day_of(base.begin() + std::chrono::hours{24 * shift + 12}, 0);
    }
  }
  if (!day.known() || !day.day) return true;
  Frame frame = frame_of("bear", {});
  frame.tags = "birthday people";
  Draft card = draft(possessive(name) + " birthday is on " + day_and_month(day), subject,
                     "birthday", month_day_key(day), Colour::kFact, frame);
  card.single = true;
  write(std::move(card));
  return true;
}

// "it's my birthday on friday"
bool Reader::read_own_birthday(const Range& range) {
  const Words& words = page_.words;
  for (std::size_t i = range.begin; i + 3 < range.end; ++i) {
    if (words[i].low != "it" || words[i + 1].low != "is" || words[i + 2].low != "my") continue;
    if (words[i + 3].low != "birthday") continue;
    const auto time = page_.when->main(page_.when->inside(words, range));
    const Date day = time ? page_.when->phrase(*time).from : Date{};
    if (!day.day) return true;
    Frame frame = frame_of("bear", {});
    frame.tags = "birthday people";
    Draft card = draft(possessive(owner_name_) + " birthday is on " + day_and_month(day),
                       owner_key_, "birthday", month_day_key(day), Colour::kFact, frame);
    card.single = true;
    write(std::move(card));
    return true;
  }
  return false;
}

bool Reader::state_home(const Statement& s) {
  const Words& words = page_.words;
  const SubjectKind kind = s.parse.subject.kind;
  if (kind != SubjectKind::kOwner && kind != SubjectKind::kPerson) return false;
  if (s.parse.subject.and_owner) return false;
  const std::string& lemma = s.parse.lemma;
  const bool lives =
      one_of(lemma, {"live", "reside", "stay"}) || (lemma == "base" && s.parse.passive);
  const bool moves = one_of(lemma, {"move", "relocate", "emigrate", "settle", "immigrate"});
  const bool is_in = lemma == "be" && one_of(rest_low(s, 0), {"in", "back"}) &&
                     s.parse.tense == Tense::kPresent && !s.parse.negated;
  if (lemma == "stay" && s.parse.tense != Tense::kPast) return false;
  if (lemma == "stay") return false;
  if (!lives && !moves && !is_in) return false;
  const bool placed = [&] {
    for (std::size_t i = s.rest.begin; i < s.rest.end; ++i) {
      if (words[i].phrase < 0 && one_of(words[i].low, {"in", "to", "at", "near", "on", "with",
                                                       "outside", "by", "around"})) {
        return i + 1 < s.rest.end && words[i + 1].phrase < 0 &&
               !in(Set::kNotPlace, words[i + 1].low);
      }
    }
    return false;
  }();
  const Frame frame = frame_of("live", rest_low(s, 0));
  if (is_in) {
    // "I'm in Falun now": home only where a move was spoken of.
    if (!moving_ || s.rest.begin + 1 >= s.rest.end || s.time) return false;
    if (in(Set::kNotPlace, rest_low(s, 1))) return false;
    Statement home = s;
    if (moved_) home.time = moved_;
    auto text = reworded(s.rest, s.about_owner).text;
    std::string card_text = s.subject + " lives " + place_name(text);
    if (moved_)
      card_text += " (" +
                   std::string(page_.when->phrase(*moved_).to.known() ? "since about " : "since ") +
                   store::spoken(page_.when->phrase(*moved_).from) + ")";
    Draft card = draft(card_text, s.subject_key, "lives_in", object_of(s), Colour::kFact, frame);
    if (moved_) card.card.valid_from = page_.when->phrase(*moved_).from;
    card.single = true;
    write(std::move(card));
    moving_ = false;
    return true;
  }
  if (moves) {
    if (s.parse.tense == Tense::kFuture || s.parse.tense == Tense::kProgressive) return false;
    if (s.parse.negated) return true;
    if (s.parse.tense != Tense::kPast && s.parse.tense != Tense::kPerfect) return false;
    std::size_t to = s.rest.begin;
    while (to < s.rest.end &&
           !(one_of(words[to].low, {"to", "in", "into", "with"}) && words[to].phrase < 0 &&
             to + 1 < s.rest.end && words[to + 1].phrase < 0)) {
      // "moved the party to friday" is no move of house.
      if (one_of(words[to].low, {"the", "my", "our", "it", "a", "desks", "teams"}) &&
          words[to].phrase < 0)
        return false;
      ++to;
    }
    moving_ = true;
    moved_ = s.time;
    if (to >= s.rest.end) return true;
    const bool with =
        words[to].low == "with" || (to + 1 < s.rest.end && words[to + 1].low == "with");
    Statement home = s;
    home.rest = {to + 1, s.rest.end};
    std::string place = reworded(home.rest, s.about_owner, s.time ? *s.time : -1).text;
    if (place.empty()) return true;
    if (with) {
      if (words[to].low != "with") place = place.substr(std::min(place.size(), std::size_t{5}));
      Draft card = draft(s.subject + " lives with " + place, s.subject_key, "lives_with", place,
                         Colour::kFact, frame_of("live", "with"));
      if (s.time) card.card.valid_from = page_.when->phrase(*s.time).from;
      card.single = true;
      write(std::move(card));
      return true;
    }
    const Date from = s.time ? page_.when->phrase(*s.time).from : Date{};
    constexpr int kPresentYears = 2;
    if (from.known() && from.year + kPresentYears < page_.when->today().year) {
      // Long ago: it need not be the home of today.
      auto text = compose(s, s.parse.verb_text, false);
      if (!text) return true;
      Draft card = draft(*text, s.subject_key, "moved", object_of(home), Colour::kEvent, frame);
      date(card, s);
      write(std::move(card));
      return true;
    }
    const bool inner = words[to].low == "into";
    std::string text = s.subject + " lives in " + (inner ? place : place_name(place));
    if (from.known()) text += " (since " + store::spoken(from) + ")";
    Draft card = draft(text, s.subject_key, inner ? "home" : "lives_in", object_of(home),
                       Colour::kFact, frame_of("live", {}));
    card.card.valid_from = from;
    card.single = true;
    write(std::move(card));
    moving_ = false;
    return true;
  }
  if (!placed) return true;
  if (s.parse.negated || s.parse.ended) {
    const auto old = owned_like(s.subject_key, content_words(object_of(s)));
    for (const Found& found : old) {
      if (found.card.relation == "lives_in")
        notebook_.close(found, end_date(s), std::nullopt, "denied");
    }
    return true;
  }
  const bool present = s.parse.tense == Tense::kPresent || s.parse.tense == Tense::kProgressive ||
                       s.parse.tense == Tense::kPerfect;
  if (!s.parse.modal.empty()) return true;
  if (present) {
    auto text = compose(s, s.parse.verb_text, s.parse.tense != Tense::kPerfect);
    if (!text) return true;
    const bool home = frame.relation == "lives_in";
    // The place gets its capitals, the verb before it does not.
    const std::size_t verb = text->find(s.parse.verb_text);
    if (home && verb != std::string::npos) {
      const std::size_t place = verb + s.parse.verb_text.size() + 1;
      if (place < text->size()) *text = text->substr(0, place) + place_name(text->substr(place));
    }
    Draft card = draft(*text, s.subject_key, std::string(frame.relation), object_of(s),
                       Colour::kFact, frame);
    if (s.time) {
      const auto& phrase = page_.when->phrase(*s.time);
      date_from(card, phrase);
    }
    // "I've lived here for two years"
    for (const int index : s.phrases) {
      const auto& phrase = page_.when->phrase(index);
      if (!phrase.duration || s.parse.tense != Tense::kPerfect) continue;
      const auto length = phrase.to.begin() - phrase.from.begin();
      Date from = Date::day_of(page_.when->today().begin() - length + std::chrono::hours{12}, 0);
      from.day = 0;
      card.card.valid_from = from;
    }
    card.single = frame.single;
    write(std::move(card));
    return true;
  }
  return state_past(s);
}

bool Reader::state_work(const Statement& s) {
  const std::string& lemma = s.parse.lemma;
  const SubjectKind kind = s.parse.subject.kind;
  if (kind != SubjectKind::kOwner && kind != SubjectKind::kPerson) return false;
  const bool works =
      lemma == "work" && one_of(rest_low(s, 0), {"as", "at", "for", "in", "with", "from",
                                                 "part-time", "full-time", "night", "nights"});
  const bool begins = one_of(lemma, {"start", "begin"}) &&
                      (one_of(rest_low(s, 0), {"working", "at", "as"}) || rest_has(s, "job"));
  const bool gets =
      (one_of(lemma, {"get", "land", "accept", "take"}) && rest_has(s, "job")) || lemma == "join";
  const bool hired = s.parse.passive && lemma == "hire";
  if (!works && !begins && !gets && !hired) return false;
  if (s.parse.negated || s.parse.ended || !s.parse.modal.empty()) return false;
  const Tense tense = s.parse.tense;
  if (tense == Tense::kFuture) return false;
  const bool past = tense == Tense::kPast;
  if (works && (past || tense == Tense::kUsedTo)) return false;
  if (begins && !past && tense != Tense::kPerfect) return false;
  if (gets && lemma == "join" && !past && tense != Tense::kPerfect) return false;
  if (gets && lemma == "join" &&
      (rest_has(s, "gym") || rest_has(s, "club") || rest_has(s, "choir") || rest_has(s, "team") ||
       rest_has(s, "group") || rest_has(s, "band"))) {
    return false;
  }
  if (s.time && page_.when->phrase(*s.time).until) return false;
  const Frame frame = frame_of("work", {});
  auto text = compose(s, s.parse.verb_text, tense == Tense::kPresent);
  if (!text) return true;
  Draft card = draft(*text, s.subject_key, "works", object_of(s), Colour::kFact, frame);
  date(card, s);
  card.card.valid_to = {};
  card.single = true;
  write(std::move(card));
  return true;
}

}  // namespace kartei::daemon
