// A file of a conversation, for `kartei observe`: plain text, one "speaker: text" a line, or JSON:
// the body of POST /v1/turns, a list of turns, or one turn a line. Pure.
#pragma once

#include <boost/json/object.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "crypto/result.h"

namespace kartei::daemon::cli {

struct ConversationOptions {
  std::string conversation;  // where the file names none
  std::string drawer;        // for turns that name none; empty: the daemon's choice
};

// Bodies of POST /v1/turns, each small enough for one call.
Result<std::vector<boost::json::object>> read_conversation(std::string_view text,
                                                           const ConversationOptions& options);

}  // namespace kartei::daemon::cli
