// One call from outside is one transaction. Not for others than the files engine*.cpp.
#pragma once

#include "sync/engine_impl.h"

namespace kartei::sync {

// Runs `body`, settles and commits. A failure takes everything back, the mirrors included.
template <class Body>
Status Engine::Impl::write(Durability durability, Body body, Now now) {
  std::size_t changes_before = changes.size();
  Status status = [&]() -> Status {
    KARTEI_ASSIGN(auto transaction, box.begin());
    box_moved = true;
    KARTEI_TRY(body());
    KARTEI_TRY(settle(now));
    return transaction.commit(durability);
  }();
  deltas_of.clear();
  if (status.has_value()) return status;
  changes.resize(changes_before);
  Status again = load(now);
  return again.has_error() ? again : status;
}

}  // namespace kartei::sync
