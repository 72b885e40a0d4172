// What is sent to a chat endpoint: instructions, the sheet, the schema of the answer. Pure.
#pragma once

#include <cstddef>
#include <string>

#include "daemon/manager/model/sheet.h"

namespace kartei::daemon {

// Endpoints differ in what they take; tried in this order until one is not refused.
enum class AskForm {
  kSchema,  // with a JSON schema
  kNewer,   // the same in the words of newer models: other limit, no temperature
  kPlain,   // without a schema
  kPlainNewer,
  kEnd,
};

inline constexpr std::size_t kAnswerTokensMost = 900;

// The body of POST .../chat/completions.
std::string chat_request(const std::string& model, const Sheet& sheet, AskForm form);

}  // namespace kartei::daemon
