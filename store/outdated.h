// Turns that tell what is no longer so. A card that was replaced is withheld from questions about
// the present; so must be the sentence that it was made of, or the old answer comes in by the back
// door.
#pragma once

#include <vector>

#include "store/rank.h"
#include "store/search.h"
#include "store/sql.h"

namespace kartei::store {

// Whether the question asks for another time than now, so that old sentences are what is wanted.
bool asks_for_then(const Question& question, const TimeView& view);

// Share, by weight, of the question's words in this turn that stand in one card of it that has been
// closed; 0 where a card of it that still answers has as much of them. Reads a few cards.
Result<double> outdated_share(Db& db, TurnId id, const TurnHit& turn,
                              const std::vector<TermStats>& terms, const Question& question,
                              const TimeView& view);

}  // namespace kartei::store
