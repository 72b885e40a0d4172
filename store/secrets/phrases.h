// Secrets that are rows of words or letters without any mark: seed phrases of wallets (BIP 39) and
// the recovery keys of Kartei's own boxes. Both have checksums.
#pragma once

#include <string_view>
#include <vector>

#include "store/secrets/secrets.h"

namespace kartei::secrets {

void find_phrases(std::string_view plain, std::vector<Finding>& out);

}  // namespace kartei::secrets
