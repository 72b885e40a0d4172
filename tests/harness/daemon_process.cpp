#include "tests/harness/daemon_process.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <sstream>
#include <thread>

extern char** environ;

namespace kartei::harness {

namespace {

constexpr auto kPatience = std::chrono::seconds(20);
constexpr auto kPoll = std::chrono::milliseconds(2);

Error start_error(const std::string& what) {
  return {Cause::kUnavailable, what, {}};
}

bool ended(pid_t pid) {
  int status = 0;
  return ::waitpid(pid, &status, WNOHANG) == pid;
}

}  // namespace

Result<std::unique_ptr<DaemonProcess>> DaemonProcess::start(const std::filesystem::path& program,
                                                            const std::string& name,
                                                            std::vector<std::string> config_lines) {
  std::unique_ptr<DaemonProcess> daemon(new DaemonProcess);
  char place[] = "/tmp/kartei-measure-XXXXXX";
  if (::mkdtemp(place) == nullptr) return start_error("no temporary folder can be made in /tmp");
  daemon->home_ = place;
  daemon->program_ = program;
  std::ofstream config(daemon->home_ / "karteid.toml");
  config << "name = \"" << name << "\"\ndiscovery = false\n";
  for (const auto& line : config_lines) config << line << "\n";
  config.close();
  KARTEI_TRY(daemon->spawn());
  return daemon;
}

// Without the way to the desktop's keyring: a test leaves nothing in it.
static bool passed_on(std::string_view variable) {
  for (const char* kept_back : {"KARTEI_HOME=", "DBUS_SESSION_BUS_ADDRESS=", "XDG_RUNTIME_DIR="})
    if (variable.starts_with(kept_back)) return false;
  return true;
}

Status DaemonProcess::spawn() {
  const std::string log = home_ / "log.txt", config = home_ / "karteid.toml";
  std::string program = program_.string(), flag = "--config", file = config;
  std::string home = "KARTEI_HOME=" + home_.string();
  std::vector<char*> environment{home.data()};
  for (char** e = environ; *e != nullptr; ++e)
    if (passed_on(*e)) environment.push_back(*e);
  environment.push_back(nullptr);
  char* arguments[] = {program.data(), flag.data(), file.data(), nullptr};

  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, 1, log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  ::posix_spawn_file_actions_adddup2(&actions, 1, 2);
  const int failed =
      ::posix_spawn(&pid_, program.c_str(), &actions, nullptr, arguments, environment.data());
  ::posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) {
    pid_ = -1;
    return start_error(program + " cannot be started; build it, or name its folder with --bin");
  }
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  while (std::chrono::steady_clock::now() < deadline) {
    if (ended(pid_)) {
      pid_ = -1;
      std::ifstream in(log);
      const std::string said{std::istreambuf_iterator<char>(in), {}};
      return start_error("karteid ended at once: " + said);
    }
    auto answer = client().call("GET", "/v1/status");
    if (answer.has_value() && answer->status == 200) return {};
    std::this_thread::sleep_for(kPoll);
  }
  return start_error("karteid does not answer");
}

DaemonProcess::~DaemonProcess() {
  stop(SIGTERM);
  std::error_code ignored;
  std::filesystem::remove_all(home_, ignored);
}

void DaemonProcess::stop(int signal) {
  if (pid_ < 0) return;
  ::kill(pid_, signal);
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  while (!ended(pid_)) {
    if (std::chrono::steady_clock::now() > deadline) ::kill(pid_, SIGKILL);
    std::this_thread::sleep_for(kPoll);
  }
  pid_ = -1;
}

Status DaemonProcess::restart() {
  stop(SIGTERM);
  return spawn();
}

Result<Usage> DaemonProcess::usage() const {
  const std::filesystem::path proc = "/proc/" + std::to_string(pid_);
  Usage usage;
  std::ifstream stat(proc / "stat");
  std::string text{std::istreambuf_iterator<char>(stat), {}};
  const auto after_name = text.rfind(')');
  if (after_name == std::string::npos) return not_found("the daemon is not running");
  std::istringstream fields(text.substr(after_name + 2));
  std::string skipped;
  for (int i = 0; i < 11; ++i) fields >> skipped;
  double user = 0, system = 0;
  fields >> user >> system;
  usage.cpu_s = (user + system) / static_cast<double>(::sysconf(_SC_CLK_TCK));

  std::error_code ignored;
  for (const auto& task : std::filesystem::directory_iterator(proc / "task", ignored)) {
    std::ifstream status(task.path() / "status");
    for (std::string line; std::getline(status, line);)
      if (line.rfind("voluntary_ctxt_switches:", 0) == 0)
        usage.wakeups += std::stoull(line.substr(line.find(':') + 1));
  }
  std::ifstream status(proc / "status");
  for (std::string line; std::getline(status, line);) {
    const auto megabytes = [&] { return std::stod(line.substr(line.find(':') + 1)) / 1024; };
    if (line.rfind("VmRSS:", 0) == 0) usage.resident_mb = megabytes();
    if (line.rfind("VmHWM:", 0) == 0) usage.peak_mb = megabytes();
  }
  return usage;
}

}  // namespace kartei::harness
