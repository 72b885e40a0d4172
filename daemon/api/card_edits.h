// What calls that change cards share. The writer's thread.
#pragma once

#include <string>

#include "daemon/api/router.h"
#include "daemon/box_host.h"

namespace kartei::daemon::api {

Error conflict(std::string what);
// The card that is to be changed; one that was erased is a conflict, not a stranger.
Result<store::Card> card_to_change(BoxHost& host, const Call& call);
// An edit of this card, of this kind; the rest is to be filled in.
store::CardEdited edit_of(const store::Card& card, store::EditKind kind);

}  // namespace kartei::daemon::api
