#include "crypto/keyring/secret_service.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <system_error>
#include <thread>
#include <vector>

#include "crypto/keyring/helper_protocol.h"

extern "C" char** environ;

namespace kartei::keyring {

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kWordsMax = 1024;  // of the helper's complaint
constexpr int kLookUpMs = 50;            // whether the waiting is given up

class Pipe {
 public:
  bool make() { return ::pipe2(ends_, O_CLOEXEC) == 0; }
  // Where nobody reads it is no signal.
  bool make_sockets() { return ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends_) == 0; }
  ~Pipe() {
    close_reader();
    close_writer();
  }
  int reader() const { return ends_[0]; }
  int writer() const { return ends_[1]; }
  void close_reader() { close_end(ends_[0]); }
  void close_writer() { close_end(ends_[1]); }

 private:
  static void close_end(int& fd) {
    if (fd >= 0) ::close(fd);
    fd = -1;
  }
  int ends_[2] = {-1, -1};
};

struct Outcome {
  bool in_time = false;
  int status = kHelperFailed;  // of the exit
  crypto::Secret value;
  std::string words;
};

// What a person may be shown: no control characters, not too much.
std::string tidy(std::string words) {
  for (char& c : words)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  while (!words.empty() && words.back() == ' ') words.pop_back();
  return words;
}

// One run of the helper.
class Run {
 public:
  Run(std::int64_t timeout_ms, const std::function<bool()>& given_up)
      : deadline_(Clock::now() + std::chrono::milliseconds(timeout_ms)), given_up_(given_up) {}
  ~Run() {
    if (child_ <= 0) return;
    ::kill(child_, SIGKILL);
    wait_for_end(true);
  }

  Status start(const fs::path& program, const std::vector<std::string>& words) {
    if (!in_.make_sockets() || !out_.make() || !err_.make()) return failed("pipe", errno);
    std::vector<char*> arguments;
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, in_.reader(), STDIN_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions, out_.writer(), STDOUT_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions, err_.writer(), STDERR_FILENO);
    ::posix_spawn_file_actions_addclosefrom_np(&actions, 3);
    ::posix_spawnattr_init(&attributes);
    sigset_t all, none;
    ::sigfillset(&all);
    ::sigemptyset(&none);
    ::posix_spawnattr_setsigdefault(&attributes, &all);
    ::posix_spawnattr_setsigmask(&attributes, &none);
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
    const int code =
        ::posix_spawn(&child_, program.c_str(), &actions, &attributes, arguments.data(), environ);
    ::posix_spawnattr_destroy(&attributes);
    ::posix_spawn_file_actions_destroy(&actions);
    if (code != 0) {
      child_ = 0;
      return failed(program.c_str(), code);
    }
    in_.close_reader();
    out_.close_writer();
    err_.close_writer();
    return {};
  }

  // The value fits in, so that this does not block. That nobody takes it, the helper's end says.
  void give(const crypto::Secret* value) {
    if (value != nullptr)
      (void)::send(in_.writer(), value->view().data(), value->size(), MSG_NOSIGNAL);
    in_.close_writer();
  }

  Outcome end() {
    Outcome outcome;
    crypto::Secret value(kHelperValueMax);
    std::size_t size = 0;
    pollfd fds[2] = {{out_.reader(), POLLIN, 0}, {err_.reader(), POLLIN, 0}};
    while (fds[0].fd >= 0 || fds[1].fd >= 0) {
      const int left = left_ms();
      if (left <= 0) return outcome;
      if (::poll(fds, 2, std::min(left, kLookUpMs)) <= 0) continue;
      if (fds[0].revents != 0 && !take_value(fds[0].fd, value, size)) fds[0].fd = -1;
      if (fds[1].revents != 0 && !take_words(fds[1].fd, outcome.words)) fds[1].fd = -1;
    }
    if (!wait_for_end(false)) return outcome;
    outcome.in_time = true;
    outcome.status = WIFEXITED(status_) ? WEXITSTATUS(status_) : int{kHelperFailed};
    outcome.value = crypto::Secret(value.view().first(size));
    outcome.words = tidy(std::move(outcome.words));
    return outcome;
  }

 private:
  static Status failed(const char* what, int code) {
    return Error{Cause::kUnavailable,
                 std::string("The Secret Service cannot be asked: ") + what + ": " +
                     std::strerror(code) + ".",
                 {}};
  }
  int left_ms() const {
    if (given_up_ && given_up_()) return 0;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline_ - Clock::now());
    return static_cast<int>(left.count());
  }
  // False: the end. What is too much is read all the same, so that the helper comes to its own.
  static bool take_value(int fd, crypto::Secret& value, std::size_t& size) {
    std::uint8_t beyond[256];
    const auto room = value.writable().subspan(size);
    const ssize_t got =
        room.empty() ? ::read(fd, beyond, sizeof beyond) : ::read(fd, room.data(), room.size());
    if (got > 0 && !room.empty()) size += static_cast<std::size_t>(got);
    return got > 0 || (got < 0 && errno == EINTR);
  }
  static bool take_words(int fd, std::string& words) {
    char some[256];
    const ssize_t got = ::read(fd, some, sizeof some);
    if (got > 0 && words.size() < kWordsMax) words.append(some, static_cast<std::size_t>(got));
    return got > 0 || (got < 0 && errno == EINTR);
  }
  // The helper has closed its outputs, so its end is near.
  bool wait_for_end(bool however_long) {
    while (true) {
      const pid_t ended = ::waitpid(child_, &status_, however_long ? 0 : WNOHANG);
      if (ended < 0 && errno == EINTR) continue;
      if (ended != 0) {
        child_ = 0;
        return true;
      }
      if (left_ms() <= 0) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }

  const Clock::time_point deadline_;
  const std::function<bool()>& given_up_;
  Pipe in_, out_, err_;
  pid_t child_ = 0;
  int status_ = 0;
};

Error unavailable(std::string what) {
  return {Cause::kUnavailable, std::move(what), {}};
}

Error error_of(const Outcome& outcome) {
  const std::string words = outcome.words.empty() ? "" : " (" + outcome.words + ")";
  switch (outcome.status) {
    case kHelperNotFound:
      return not_found("The Secret Service has no such key.");
    case kHelperNoLibrary:
      return unavailable("The Secret Service needs libsecret, which is not on this system" + words +
                         ". Install it (Debian: apt-get install libsecret-1-0).");
    case kHelperNoBus:
      return unavailable(
          "There is no D-Bus session here, so no Secret Service" + words +
          ". Start karteid in the desktop's session, where DBUS_SESSION_BUS_ADDRESS is set.");
    case kHelperNoService:
      return unavailable("No Secret Service runs in this session" + words +
                         ". Start the one that was in use (gnome-keyring, KWallet, KeePassXC).");
    case kHelperLocked:
      return unavailable("The Secret Service is locked" + words +
                         ". Unlock the desktop's keyring, or let it ask with `kartei unlock`.");
    default:
      return unavailable("The Secret Service failed" + (words.empty() ? " without a word" : words) +
                         ".");
  }
}

}  // namespace

fs::path find_secret_service_helper() {
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  if (error) return {};
  const fs::path folder = self.parent_path();
  for (const fs::path& file :
       {folder / kHelperProgram, folder.parent_path() / "libexec/kartei" / kHelperProgram})
    if (::access(file.c_str(), X_OK) == 0) return file;
  return {};
}

Result<crypto::Secret> HelperSecretService::call(const char* verb, const WrapId& id,
                                                 const crypto::Secret* value) {
  reached_ = false;
  if (options_.program.empty())
    return unavailable("The Secret Service cannot be asked: " + std::string(kHelperProgram) +
                       " is not where karteid was installed.");
  std::vector<std::string> words{kHelperProgram, verb, to_hex(id)};
  if (options_.may_ask) words.emplace_back(kAskFlag);
  const std::int64_t timeout_ms = options_.may_ask ? options_.ask_timeout_ms : options_.timeout_ms;
  Run run(timeout_ms, options_.given_up);
  KARTEI_TRY(run.start(options_.program, words));
  run.give(value);
  Outcome outcome = run.end();
  const bool nobody = outcome.status == kHelperNoLibrary || outcome.status == kHelperNoBus ||
                      outcome.status == kHelperNoService;
  reached_ = !(outcome.in_time && nobody);
  if (!outcome.in_time && given_up())
    return unavailable("The Secret Service was not waited for: Kartei is stopping.");
  if (!outcome.in_time)
    return unavailable("The Secret Service did not answer within " +
                       std::to_string(timeout_ms / 1000) + " s.");
  if (outcome.status != kHelperDone) return error_of(outcome);
  if (outcome.value.size() == kHelperValueMax)
    return unavailable("The Secret Service has something else than a key for this keyring.");
  return std::move(outcome.value);
}

Result<crypto::Secret> HelperSecretService::look_up(const WrapId& id) {
  return call(kLookUpVerb, id, nullptr);
}

Status HelperSecretService::store(const WrapId& id, const crypto::Secret& value) {
  KARTEI_TRY(call(kStoreVerb, id, &value));
  return {};
}

Status HelperSecretService::forget(const WrapId& id) {
  KARTEI_TRY(call(kForgetVerb, id, nullptr));
  return {};
}

}  // namespace kartei::keyring
