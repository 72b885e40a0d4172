// Whether bytes are well-formed UTF-8 (Unicode 15, table 3-7): what comes from others must be.
#pragma once

#include <string_view>

namespace kartei::store {

bool valid_utf8(std::string_view text);

}  // namespace kartei::store
