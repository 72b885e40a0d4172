// Who says "I" in a conversation: its owner, and others who write in it as people do. Each of them
// is read by himself, so that nobody's words are held for another's.
//
// Pure; any thread.
#pragma once

#include <string>
#include <vector>

#include "daemon/manager/secretary.h"
#include "daemon/manager/words.h"

namespace kartei::daemon {

struct Voice {
  std::string name;  // full, as written; "The user" where nobody has a name
  // Whose turns are this one's, normalised.
  std::vector<std::string> speakers;
  // First names of the others who speak, lower case: "you" may be one of them, so that orders are
  // none to the assistant.
  std::vector<std::string> others;

  bool says(const store::Turn& turn) const;
  bool among_people() const { return !others.empty(); }
  // "Nice one, Jonas!": without the names by which others are spoken to.
  Words without_addresses(Words words) const;
};

// In the order in which they come up; at least one.
std::vector<Voice> voices_of(const SecretaryTask& task);

}  // namespace kartei::daemon
