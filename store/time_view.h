// What a question asks for in time, and whether a card that was put away may answer it. Pure.
#pragma once

#include <optional>

#include "store/question.h"
#include "store/time.h"

namespace kartei::store {

struct TimeView {
  std::optional<Time> now, as_of, known_at;
  std::optional<Interval> event;  // before or after what the question names
};

// Whether the question names a time at all: else nothing that was put away answers.
bool names_a_time(const Question& question, const TimeView& view);
// Whether it names one that is the card's: by its own dates, or as of a moment, which looks at all
// that stood then.
bool names_its_time(Date valid_from, Date valid_to, const Question& question, const TimeView& view);

}  // namespace kartei::store
