// The unit while it is being written: new cards, what they close, what they confirm. Holds the
// rules of replacing: a single-valued relation has one open card, nothing is written twice, and
// only what really ended is closed. Owned by one run of the secretary.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "daemon/manager/secretary.h"

namespace kartei::daemon {

struct Draft {
  store::Card card;
  bool single = false;  // the relation holds one value at a time
  bool dropped = false;
  bool ending = false;   // tells that something ended: gives way to what comes instead
  std::string head;      // of events: the words that name it ("reunion")
  std::size_t turn = 0;  // place of its first source among the task's turns
};

// A card that was there before, or an index into the drafts of this unit.
struct Found {
  std::optional<std::size_t> draft;
  store::Card card;
};

class Notebook {
 public:
  Notebook(const SecretaryTask& task, CardLookup& cards) : task_(task), lookup_(cards) {}

  // Writes it, or confirms the card that says so already, or closes what it takes the place of.
  // Answers the draft's index, nothing where it was a repetition.
  std::optional<std::size_t> add(Draft draft);
  // Closes the card or draft; `by`: the draft that stands in its place.
  void close(const Found& found, const store::Date& when, std::optional<std::size_t> by,
             std::string why);
  // While earlier turns are heard again nothing is closed: their own unit has done that.
  void hear_only(bool only) { hears_only_ = only; }
  // Open cards and drafts of a subject for which `fits` holds, the newest last: those that the task
  // sees.
  std::vector<Found> open(const std::string& subject,
                          const std::function<bool(const store::Card&)>& fits);
  void drop(std::size_t draft) { drafts_[draft].dropped = true; }
  std::optional<std::size_t> last() const;
  Draft& draft(std::size_t index) { return drafts_[index]; }
  std::size_t size() const { return drafts_.size(); }

  // The finished unit. `Status` of look-ups that failed comes first.
  Result<store::UnitFiled> finish(ByteView box_secret32);

 private:
  struct Ending {
    Found found;
    store::Date when;
    std::optional<std::size_t> by;
    std::string why;
  };
  std::vector<Found> open_anywhere(const std::string& subject,
                                   const std::function<bool(const store::Card&)>& fits);
  const std::vector<store::Card>& known(const std::string& subject);
  bool ended(const store::Card& card) const;
  void confirm(const Found& found, const store::TurnId& by);
  store::Date begun(const Draft& draft) const;
  void close_denials(std::size_t index);

  const SecretaryTask& task_;
  CardLookup& lookup_;
  std::map<std::string, std::vector<store::Card>> known_;
  bool hears_only_ = false;
  std::optional<Error> failed_;
  std::vector<Draft> drafts_;
  std::vector<Ending> endings_;
  std::vector<std::pair<store::CardId, store::TurnId>> confirmed_;
};

// Words of a text that carry its meaning, stemmed a little; names and numbers included.
std::vector<std::string> content_words(std::string_view text);
// How many of `part`'s words stand in `whole`, 0 to 1.
double overlap(const std::vector<std::string>& part, const std::vector<std::string>& whole);

}  // namespace kartei::daemon
