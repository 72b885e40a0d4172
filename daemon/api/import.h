// Taking in what an export wrote. Reading is pure; filing goes through the engine like any user's
// words, so that imported things are shared, undone and found like all others.
#pragma once

#include <map>
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
  bool of_kartei = false;  // with the first line of an export: its turns were read already
  std::map<store::DrawerId, std::string> drawers;
  std::vector<store::Turn> turns;
  std::vector<store::Card> cards;
};
Result<ImportFile> read_import(std::string_view lines);

Result<HttpResponse> import_lines(BoxHost& host, const Call& call);

}  // namespace kartei::daemon::api
