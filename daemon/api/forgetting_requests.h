// The bodies of the calls about forgetting, read strictly. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "crypto/result.h"
#include "daemon/manager/forgetting_policy.h"
#include "store/time.h"

namespace kartei::daemon::api {

// What the call says changes in the policy, all else stays.
Result<ForgettingPolicy> read_forgetting(std::string_view body, ForgettingPolicy now);

Result<bool> read_forgetting_run(std::string_view body);  // whether it is a dry run

struct UndoInput {  // one of the two
  std::string run, card;
};
Result<UndoInput> read_undo(std::string_view body);

// Where a dry run's next page begins: of which moment, after how many steps.
struct DryCursor {
  store::Time at{};
  std::size_t from = 0;
};
Result<DryCursor> read_dry_cursor(std::string_view text);
std::string dry_cursor(const DryCursor& cursor);

}  // namespace kartei::daemon::api
