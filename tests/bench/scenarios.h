// What is measured, each with real daemons of its own. Every scenario gives one JSON object.
#pragma once

#include <boost/json.hpp>
#include <filesystem>

#include "crypto/result.h"
#include "tests/bench/stats.h"

namespace kartei::bench {

struct Setting {
  std::filesystem::path karteid;
  bool quick = false;                 // fewer rounds, no 100,000 rows, a shorter idle
  bool large = false;                 // a million rows, too
  Samples ping_pong, append, sqlite;  // the floors of this run
};

// POST /v1/turns of one turn, until 202.
Result<boost::json::object> turn_to_202(const Setting& setting);
// From 202 on the phone to the turn, and to its card, findable on the laptop over a direct link.
Result<boost::json::object> phone_to_laptop(const Setting& setting);
// POST /v1/recall at 1,000, 10,000 and 100,000 rows, half of them turns, half cards.
Result<boost::json::object> recall_at_size(const Setting& setting);
// A new device joins a box that holds many cards: until it has them all.
Result<boost::json::object> catch_up(const Setting& setting);
// The same work on a box in the clear and on an encrypted one, in turns; without a daemon.
Result<boost::json::object> closed_box(const Setting& setting);
// Two paired daemons with nothing to do.
Result<boost::json::object> idle(const Setting& setting);

}  // namespace kartei::bench
