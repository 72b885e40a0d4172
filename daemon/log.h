// The daemon's log: standard error, levels. Never the content of turns, cards or queries, never a
// secret: what is logged is counts, ids, causes.
#pragma once

#include <string>

namespace kartei::daemon {

void start_log(const std::string& level);
void set_log_level(const std::string& level);  // as in the configuration
// After an exception that nobody expected: what stands in memory is not to be believed any more,
// what is on disk is sound. Logs it and ends the process with status 1.
[[noreturn]] void end_after_defect(const std::string& thread, const char* what);

}  // namespace kartei::daemon
