#include "daemon/log.h"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <cstdlib>

namespace kartei::daemon {

void start_log(const std::string& level) {
  auto logger = std::make_shared<spdlog::logger>("karteid",
                                                 std::make_shared<spdlog::sinks::stderr_sink_mt>());
  logger->set_pattern("%Y-%m-%dT%H:%M:%S.%e%z %l %v");
  logger->flush_on(spdlog::level::info);
  spdlog::set_default_logger(std::move(logger));
  set_log_level(level);
}

void end_after_defect(const std::string& thread, const char* what) {
  spdlog::critical("{}: ended by a defect: {}", thread, what);
  spdlog::default_logger()->flush();
  std::_Exit(1);
}

void set_log_level(const std::string& level) {
  spdlog::set_level(level == "warn" ? spdlog::level::warn : spdlog::level::from_str(level));
}

}  // namespace kartei::daemon
