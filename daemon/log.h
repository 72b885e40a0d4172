// The daemon's log: standard error, levels. Never the content of turns, cards or queries, never a
// secret: what is logged is counts, ids, causes.
#pragma once

#include <string>

namespace kartei::daemon {

void start_log(const std::string& level);
void set_log_level(const std::string& level);  // as in the configuration

}  // namespace kartei::daemon
