// Numbers that are secrets: those of payment cards, and a Telegram bot's with its token.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "store/secrets/secrets.h"

namespace kartei::secrets {

// At the first digit of a number; `end` becomes the place behind its first group of digits.
std::optional<Finding> number_at(std::string_view plain, std::size_t at, std::size_t& end);

}  // namespace kartei::secrets
