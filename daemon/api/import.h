// Taking in what an export wrote. Reading is pure; filing goes through the engine like any user's
// words, so that imported things are shared, undone and found like all others.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "crypto/result.h"
#include "daemon/api/router.h"
#include "daemon/box_host.h"
#include "store/values.h"

namespace kartei::daemon::api {

// The lines of one call. Ids are those of the export; drawers are named by the export's ids.
struct ImportFile {
  bool of_kartei = false;  // with the first line of an export: its turns were read, if they say so
  std::string owner, zone;
  std::set<store::TurnId> unread;
  std::map<store::DrawerId, std::string> drawers;
  std::vector<store::Turn> turns;
  std::vector<store::Card> cards;
  struct Annotations {  // those of a card that did not fit into its line
    store::CardId card;
    std::size_t from = 0;
    std::vector<std::string> texts;
  };
  std::vector<Annotations> annotations;
  bool allow_secrets = false;
};
Result<ImportFile> read_import(std::string_view lines);

// What of a file may not be stored, for its secrets; and those that it is allowed to bring.
struct ImportSecrets {
  std::map<store::TurnId, SecretsSeen> turns;
  std::map<store::CardId, SecretsSeen> cards;  // with the annotations that follow a card
};
// Names that hold one are masked. Any thread.
ImportSecrets look_for_secrets(ImportFile& file);

// On the writer thread, a batch at a time, other work in between. Answers when all is on disk.
// Repeating it changes nothing: what is there already is left. What holds secrets is left out and
// named in the answer, unless it is allowed.
void take_in(std::shared_ptr<BoxHost> host, ImportFile file, ImportSecrets secrets,
             Responder responder);

}  // namespace kartei::daemon::api
