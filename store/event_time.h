// When what a question names was: "before I moved to Utrecht" is before the day on which a card
// says so. Reads; one thread.
#pragma once

#include <optional>

#include "store/search.h"

namespace kartei::store {

// The time before or after the event; empty: no dated card tells of it.
Result<std::optional<Interval>> event_interval(const EventClause& clause, Search& search,
                                               const Search::Scope& scope, Stemmer& stemmer);

}  // namespace kartei::store
