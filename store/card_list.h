// One page of cards under a filter; for the box and, on their own connections, the librarians.
#pragma once

#include "store/box.h"
#include "store/sql.h"

namespace kartei::store {

Result<CardPage> list_cards(Db& db, const CardFilter& filter);

}  // namespace kartei::store
