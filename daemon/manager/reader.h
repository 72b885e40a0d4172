// Reads what one voice says in the turns of a task, in order, and writes the notebook. "Owner" is
// whoever speaks. One object a run; not shared.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "daemon/manager/clause.h"
#include "daemon/manager/foreign.h"
#include "daemon/manager/kind.h"
#include "daemon/manager/notebook.h"
#include "daemon/manager/patterns.h"
#include "daemon/manager/voices.h"
#include "daemon/manager/wording.h"

namespace kartei::daemon {

class Reader {
 public:
  // Borrows all of it.
  Reader(const Lexicon& lexicon, const SecretaryTask& task, const Voice& voice, Notebook& notebook);
  void run();

 private:
  // What is being read: one turn, its words and times.
  struct Page {
    const store::Turn* turn = nullptr;
    std::size_t index = 0;
    Words words;
    std::optional<When> when;
  };
  // A clause understood, on its way to a card.
  struct Statement {
    Parse parse;
    Range clause;
    std::string subject;      // as written: "Maya", "Maya's husband Sam"
    std::string subject_key;  // normalised
    bool about_owner = false;
    Range rest;  // trimmed
    std::vector<int> phrases;
    std::optional<int> time;  // the phrase that dates it
    bool from_then = false;   // what it dates holds from then on
  };

  // How a card about what somebody is gets filed.
  struct Trait {
    std::string_view relation, domain, tags;
    double importance = 0.5;
    bool single = false;
  };
  // What "I have ..." holds.
  struct Belonging {
    const Relative* kin = nullptr;
    bool animal = false;
    std::string relation = "has", object;
  };
  // What a clause denies.
  struct Denial {
    Statement about;
    std::string lemma;  // of what is denied: of "stopped vaping" it is "vape"
    bool anymore = false;
    bool ended = false;     // it was so before
    bool gives_up = false;  // "stopped", "quit", "gave up"
  };
  // What a statement about a thing is about: "shoe size".
  struct Thing {
    std::string name;
    bool owned = false, of_person = false;
    Statement told;  // its subject names the owner where the thing is theirs
    bool favourite() const { return name.find("favourite") != std::string::npos; }
  };

  void hear_context();
  void meet_old_friends();
  void read_turn(const store::Turn& turn, std::size_t index);
  void read_foreign_turn(Language language);
  void forget_turn();
  void name_known(Words& words) const;
  void read_sentence(const Sentence& sentence);
  void read_question(const Sentence& sentence);
  void read_list_item(const Sentence& sentence);
  void read_clause(const Clause& clause, const Sentence& sentence);
  bool read_fragment(const Clause& clause);
  void note_people(const Range& range);
  void note_belongings(const Range& range);
  void write_relations();

  // Statements, by what they tell; each answers true where it has dealt with the clause.
  std::optional<Statement> understand(const Clause& clause);
  bool name_subject(Statement& s) const;
  bool spoken_to(std::size_t who) const;
  bool named_in(const Range& range) const;
  bool is_misread(const Statement& s) const;
  // Who people are and where they live, in reader_life.cpp.
  bool state_identity(const Statement& s);
  bool learn_called(const Statement& s);
  bool learn_role(const Statement& s, std::size_t who);
  bool learn_name(const Statement& s, std::size_t who);
  bool state_birthday(const Statement& s);
  bool state_age_day(const Statement& s);
  bool read_own_birthday(const Range& range);
  store::Date day_from_birthday(const Statement& s);
  void write_birthday(const std::string& name, const std::string& key, const store::Date& day);
  bool state_home(const Statement& s);
  bool state_arrival(const Statement& s);
  bool state_move(const Statement& s);
  bool write_living_with(const Statement& s, const std::string& whom);
  bool write_old_move(const Statement& s, const std::string& place);
  void write_new_home(const Statement& s, bool inner, const std::string& place,
                      const std::string& object);
  bool state_living(const Statement& s);
  void write_home(const Statement& s);
  bool state_work(const Statement& s);

  // What people are, in reader_states.cpp.
  bool state_health(const Statement& s);
  bool state_allergic(const Statement& s);
  bool settle_avoided(const Statement& s);
  bool state_cannot_stand(const Statement& s);
  bool state_avoids(const Statement& s);
  bool state_has_allergy(const Statement& s);
  bool state_being(const Statement& s);
  bool with_article(const Statement& s, std::size_t at) const;
  void write_being(const Statement& s, const Trait& trait);
  std::optional<std::string> lasting_state(const Statement& s, std::size_t at) const;
  bool write_state(const Statement& s, const std::string& state);
  bool state_measure(const Statement& s, std::size_t at);
  bool state_origin(const Statement& s, std::size_t at);
  bool is_taste(const Statement& s, std::size_t at) const;
  bool state_taste(const Statement& s);
  bool state_leaning(const Statement& s, std::size_t at);
  bool state_whereabouts(const Statement& s, std::size_t at);
  std::optional<bool> state_profession(const Statement& s, std::size_t at);
  bool state_trait(const Statement& s, std::size_t at);

  // What they have, and what their things are, in reader_things.cpp.
  bool state_having(const Statement& s);
  bool has_own_time(const Statement& s) const;
  void write_appointment(const Statement& s, const std::string& text, const std::string& object);
  void write_belonging(const Statement& s);
  void meet_held(const Statement& s, Belonging& held);
  bool state_favourite(const Statement& s);
  bool state_thing(const Statement& s);
  bool learn_pets_name(const Statement& s);
  Thing thing_of(const Statement& s);
  bool is_scheduled(const Thing& thing) const;
  bool state_still_eats(const Statement& s, const std::string& thing);
  void write_thing_doing(const Thing& thing);
  bool tells_aim(const Thing& thing) const;
  bool tells_value(const Thing& thing) const;
  void write_value(const Thing& thing);

  // What ends and what is moved, in reader_changes.cpp.
  bool state_ending(const Statement& s);
  bool state_death(const Statement& s);
  bool state_loss(const Statement& s);
  bool dismissed(const Statement& s) const;
  bool state_leaving(const Statement& s);
  bool state_break_up(const Statement& s);
  std::string left_partner(const Statement& s);
  bool state_change_of_plan(const Statement& s);
  bool is_off(const Statement& s) const;
  bool is_not_happening(const Statement& s) const;
  bool moves_event(const Statement& s) const;
  std::vector<std::string> event_words(const Statement& s) const;
  bool cancel_event(const Statement& s, const Found& event);
  bool state_cancelled(const Statement& s, const std::vector<std::string>& what);
  bool state_moved_event(const Statement& s, const std::vector<std::string>& what);
  std::string what_was_moved(const Statement& s) const;
  bool state_unknown_event_moved(const Statement& s);
  store::Date new_day(const Statement& s) const;

  // What is not so, in reader_denials.cpp.
  bool state_negation(const Statement& s);
  Denial denial_of(const Statement& s) const;
  std::optional<bool> read_given_up(const Statement& s, Denial& denial) const;
  bool denies_nothing(Denial& denial) const;
  std::string denied_object(const Denial& denial) const;
  std::vector<Found> denied_cards(const Denial& denial);
  std::string denying_verb(const Denial& denial) const;
  void write_denial(const Denial& denial, const std::vector<Found>& old);

  // What is planned, what is done often, what one can do: reader_acts.cpp.
  bool state_plan(const Statement& s);
  bool is_until(const Statement& s) const;
  bool dated_plan(const Statement& s) const;
  bool lies_ahead(const Statement& s) const;
  bool intends(const Statement& s) const;
  bool wishes_only(const Statement& s, bool ahead) const;
  void write_plan(const Statement& s);
  bool state_habit(const Statement& s);
  bool told_often(const Statement& s) const;
  bool is_habit(const Statement& s, bool often) const;
  bool by_the_way(const Statement& s, bool often) const;
  void write_habit(const Statement& s);
  bool state_ability(const Statement& s);
  bool state_pursuit(const Statement& s);
  bool pursues(const Statement& s) const;

  // What was, in reader_past.cpp.
  bool state_past(const Statement& s);
  bool state_used_to(const Statement& s);
  bool state_never(const Statement& s);
  bool state_until_now(const Statement& s);
  bool state_been_to(const Statement& s);
  bool state_period(const Statement& s);
  bool state_former(const Statement& s);
  bool state_grew_up(const Statement& s);
  bool was_somewhere(const Statement& s) const;
  bool dated_past(const Statement& s) const;
  bool notable_event(const Statement& s) const;
  bool tells_without_date(const Statement& s, bool notable) const;
  bool everyday(const Statement& s, bool notable) const;
  void write_past_event(const Statement& s);
  void end_pregnancies(const store::Date& when, std::size_t birth);

  // What people tell each other besides: reader_told.cpp.
  bool state_told(const Statement& s);
  bool told_done(const Statement& s);
  bool tells_deed(const Statement& s) const;
  bool names_something(const Statement& s, std::size_t from) const;
  bool begins_thing_at(std::size_t i) const;
  bool long_gone(const Statement& s) const;
  // What they hope for, are busy with and moved by: reader_hopes.cpp.
  bool told_hope(const Statement& s);
  std::optional<std::size_t> hoped_for(const Statement& s) const;
  bool told_attitude(const Statement& s);
  bool told_doing(const Statement& s);
  bool told_intent(const Statement& s);
  bool told_effect(const Clause& clause);
  void write_effect(const Range& subject, const Range& verb, const Range& rest);
  bool names_cause(const Range& subject) const;

  bool read_reminder(const Range& range);  // these notes in reader_notes.cpp
  bool read_taste(const Range& range);
  bool note_appointment(const Range& range);
  bool names_appointment(const Range& what) const;
  std::optional<std::string> appointment_text(const Range& what, int time) const;
  void note_entry(const Range& range);
  void finish_event(Draft& card, const Statement& s) const;
  std::optional<Found> matching_event(const std::vector<std::string>& words);
  std::vector<Found> owned_like(const std::string& subject, const std::vector<std::string>& words);
  void end_relation(const std::string& name, const store::Date& when, std::optional<std::size_t> by,
                    const std::string& why, bool partners_only);

  // Standing instructions, and taking them back.
  bool read_order(const Sentence& sentence);
  bool read_ban(const Sentence& sentence, std::size_t at);
  bool read_occasion(const Sentence& sentence, std::size_t at);
  std::optional<std::string> occasion_of(std::size_t at, std::size_t end) const;
  bool read_wish(const Range& wish, const Sentence& sentence);
  void write_order(const Range& body, bool negative, bool gerund);
  Draft rule(std::string text, std::string_view topic, const std::string& object,
             std::string_view tags) const;
  bool read_withdrawal(const Sentence& sentence);
  // "oops, I meant sunday", "no wait, 9".
  bool read_correction(const Sentence& sentence);
  void mend_words(Words& words) const;

  // Making cards.
  Draft draft(std::string text, std::string subject, std::string relation, std::string object,
              store::Colour colour, const Frame& frame) const;
  std::optional<std::size_t> write(Draft draft);
  // The words of a range of this turn as a card says them; see turned().
  Turned reworded(const Range& range, bool about_owner, int without = -1) const;
  // Turned rest with its times; `verb` in front; false where it may not be written.
  std::optional<std::string> compose(const Statement& s, const std::string& verb,
                                     bool with_since) const;
  int time_apart(const Statement& s) const;
  std::optional<std::string> with_topic(const std::string& said) const;
  std::string outer_times(const Statement& s, int apart) const;
  std::string_view said_as(const store::TimePhrase& phrase) const;
  void date(Draft& draft, const Statement& s) const;
  void date_from(Draft& draft, const store::TimePhrase& phrase) const;
  void date_return(Draft& draft, const Statement& s) const;
  // The phrase that dates it; none.
  const store::TimePhrase* time_of(const Statement& s) const;
  const store::TimePhrase* length_of(const Statement& s) const;
  store::Date begun_before(const store::TimePhrase& length) const;
  bool recurs(const Statement& s) const;
  std::string object_of(const Statement& s) const;
  std::string rest_text(const Statement& s) const;
  bool rest_has(const Statement& s, std::string_view low) const;
  std::string_view rest_low(const Statement& s, std::size_t k) const;
  store::Date end_date(const Statement& s) const;
  static bool about_somebody(const Statement& s) {
    const SubjectKind kind = s.parse.subject.kind;
    return kind == SubjectKind::kOwner || kind == SubjectKind::kPerson;
  }
  // No object, or one that only points: "it", "how".
  static bool vague(std::string_view object) {
    return object.empty() || in(Set::kVagueObject, object);
  }
  std::string owner_key() const { return owner_key_; }

  const Lexicon& lexicon_;
  const SecretaryTask& task_;
  const Voice& voice_;
  std::string owner_name_;  // the first name, as written
  std::string owner_key_;   // the full name, normalised
  People people_;
  ClauseParser parser_;
  Notebook& notebook_;
  Page page_;
  bool silent_ = false;                   // reading the context: learns who is who, writes nothing
  std::set<std::size_t> introduced_;      // people whose relation has its card
  std::optional<Subject> subject_;        // of the clause before
  std::string topic_;                     // the thing spoken of, for "it"
  std::vector<std::size_t> turn_drafts_;  // of the turn before, for "just kidding"
  std::vector<std::string> turn_texts_;   // what this turn has told so far
  std::optional<std::size_t> last_;       // the draft written last, for corrections
  std::optional<int> moved_;              // a move whose place has not been said yet
  std::optional<int> period_;             // the time that the turn named last
  bool moving_ = false;
  bool listing_ = false;          // "please note down:"
  std::vector<Found> withdrawn_;  // rules taken back, until what replaces them
  std::string avoided_;           // "can't have shellfish", until "I'm allergic"
  std::optional<std::size_t> avoided_draft_;
  bool noted_ = false;  // the sentence is meant to be kept
  bool wrote_ = false;  // the clause has made a card, or would have made one that is there
};

}  // namespace kartei::daemon
