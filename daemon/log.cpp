#include "daemon/log.h"

#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <cstdlib>

#include "store/secrets/secrets.h"

namespace kartei::daemon {

namespace {

// Errors name what they are about: a secret that got into one gets no further.
class MaskingFormatter final : public spdlog::formatter {
 public:
  void format(const spdlog::details::log_msg& message, spdlog::memory_buf_t& out) override {
    spdlog::memory_buf_t line;
    plain_.format(message, line);
    const std::string masked = secrets::masked({line.data(), line.size()});
    out.append(masked.data(), masked.data() + masked.size());
  }
  std::unique_ptr<spdlog::formatter> clone() const override {
    return std::make_unique<MaskingFormatter>();
  }

 private:
  spdlog::pattern_formatter plain_{"%Y-%m-%dT%H:%M:%S.%e%z %l %v"};
};

}  // namespace

void start_log(const std::string& level) {
  auto logger = std::make_shared<spdlog::logger>("karteid",
                                                 std::make_shared<spdlog::sinks::stderr_sink_mt>());
  logger->set_formatter(std::make_unique<MaskingFormatter>());
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
