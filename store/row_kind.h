// The two kinds of rows that are found. The numbers are on disk.
#pragma once

#include <cstdint>

namespace kartei::store {

enum class RowKind : std::uint8_t { kTurn = 0, kCard = 1 };

}  // namespace kartei::store
