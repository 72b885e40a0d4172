// A conversation of an exam played to a daemon, in a box of its own. One thread.
#pragma once

#include <boost/json.hpp>
#include <string>
#include <string_view>

#include "crypto/result.h"
#include "tests/exams/exam.h"
#include "tests/harness/unix_client.h"

namespace kartei::exams {

// The answer's object; one that refuses, or is none, is an error with what it said.
Result<boost::json::object> call(harness::UnixClient& client, std::string_view method,
                                 const std::string& target, const boost::json::value& body);

// "?box=...", the box of this conversation.
std::string box_query(const ExamConversation& conversation);

// All turns, each session ended; returns when the secretary and what makes vectors have nothing
// left to do.
Status play(harness::UnixClient& client, const ExamConversation& conversation);

}  // namespace kartei::exams
