// Formats with one thing wrong each: the tests must notice every one of them. Never linked into
// anything but tests.
#pragma once

#include "crypto/vault/vault_core.h"

namespace kartei::vault_test {

enum class Defect {
  kNone,          // the same as the real one, written a second time
  kSwappedNonce,  // another nonce is stored than was used
  kSameNonce,     // the place decides on the nonce
  kSkippedTag,    // nothing is authenticated
  kShortTag,      // only a part of the tag is looked at
  kNoNumber,      // pages and frames can be swapped
  kNoId,          // boxes can be mixed
  kSlotOffByOne,  // two frames of the log share a place
  kSlotOverlap,   // as above, in the midst only
};
inline constexpr Defect kDefects[] = {
    Defect::kSwappedNonce, Defect::kSameNonce, Defect::kSkippedTag,   Defect::kShortTag,
    Defect::kNoNumber,     Defect::kNoId,      Defect::kSlotOffByOne, Defect::kSlotOverlap};
const char* name_of(Defect defect);

vault::FormatMaker broken_format(Defect defect);

}  // namespace kartei::vault_test
