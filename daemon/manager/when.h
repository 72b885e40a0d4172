// The time of a statement: phrases laid over the words, and their absolute wording.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "daemon/manager/sentences.h"
#include "store/time_phrase.h"

namespace kartei::daemon {

class When {
 public:
  // Finds the phrases of a turn and marks the words that belong to them. `zone` (IANA) gives dates
  // in another half of the year their own offset.
  When(std::string_view text, store::ZonedTime said_at, const std::string& zone, Words& words);

  const store::TimePhrase& phrase(int index) const {
    return phrases_[static_cast<std::size_t>(index)];
  }
  // Indexes of the phrases that lie in the range.
  std::vector<int> inside(const Words& words, const Range& range) const;
  // The one that dates the statement: the narrowest that is neither a habit nor a length.
  std::optional<int> main(const std::vector<int>& phrases) const;

  // "on 10 March 2026", "in March 2026", "from 3 to 5 July 2026", "since 2018", and for habits the
  // words as they were said. `said` is the text of the phrase.
  std::string wording(const store::TimePhrase& phrase, std::string_view said) const;
  const store::Date& today() const { return today_; }

 private:
  std::vector<store::TimePhrase> phrases_;
  store::Date today_;
};

// Moves a date with a time of day to the zone's offset on that day.
store::Date in_zone(store::Date date, const std::string& zone, store::ZonedTime said_at);

}  // namespace kartei::daemon
