// What is sent to a chat endpoint: instructions, the sheet, the schema of the answer. Pure.
#pragma once

#include <cstddef>
#include <string>

#include "daemon/manager/model/sheet.h"

namespace kartei::daemon {

// Endpoints differ in what they take; tried in this order until one is not refused.
enum class AskForm {
  kSchema,  // with a JSON schema in which nearly nothing fits but an answer that can be read
  kNewer,   // the same in the words of newer models: other limit, no temperature
  kLoose,   // with a schema of types alone: not all know patterns
  kLooseNewer,
  kPlain,  // without a schema
  kPlainNewer,
  kEnd,
};

// As many as the longest answer within the schema takes, nearly.
inline constexpr std::size_t kAnswerTokensMost = 1'200;

// The body of POST .../chat/completions.
std::string chat_request(const std::string& model, const Sheet& sheet, AskForm form);

}  // namespace kartei::daemon
