// A box in the clear becomes an encrypted one in its place. Whatever is cut off, at any point: the
// box opens, as the one or the other, with all that it held; calling this again goes on from there.
//
// The copy is made beside the box, row by row, then opened anew, checked and compared with it; only
// then it takes the box's place, and the old file is overwritten and removed.
#pragma once

#include <filesystem>
#include <functional>

#include "crypto/result.h"
#include "crypto/secret.h"

namespace kartei::store {

struct EncryptStep {
  const char* doing;
  std::uint64_t done = 0, all = 0;  // rows; each is read three times
};
using TellEncryptStep = std::function<void(const EncryptStep&)>;

// Nobody else has the box open. True: it was in the clear, and is encrypted now. False: it was
// encrypted before; what an earlier call left to be removed is gone, once the box has been opened
// with this key and found sound. After an error it is as it was, but for those of its very last
// step (kIo, kFull, kReadOnly): encrypted then, with the old file still there.
Result<bool> encrypt_box(const std::filesystem::path& file, const crypto::Secret& data_key,
                         const TellEncryptStep& tell = {});

}  // namespace kartei::store
