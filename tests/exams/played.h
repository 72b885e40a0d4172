// A conversation of an exam played to a daemon, in a box of its own. One thread.
#pragma once

#include <string>

#include "crypto/result.h"
#include "tests/exams/exam.h"
#include "tests/harness/unix_client.h"

namespace kartei::exams {

// "?box=...", the box of this conversation.
std::string box_query(const ExamConversation& conversation);

// All turns, each session ended; returns when the secretary and what makes vectors have nothing
// left to do.
Status play(harness::UnixClient& client, const ExamConversation& conversation);

}  // namespace kartei::exams
