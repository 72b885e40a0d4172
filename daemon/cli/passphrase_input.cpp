#include "daemon/cli/passphrase_input.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <termios.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <iostream>

#include "crypto/keyring/passphrase.h"
#include "store/valid_utf8.h"

namespace kartei::daemon::cli {
namespace {

constexpr std::size_t kRoomBytes = keyring::kPassphraseBytesMax + 1;

// For the handlers of signals: what the terminal was like, and whether it shall be silent now.
termios g_terminal_before;
volatile sig_atomic_t g_asking = 0;

void silence_terminal() {
  if (g_asking == 0) return;
  termios silent = g_terminal_before;
  silent.c_lflag &= ~static_cast<tcflag_t>(ECHO);
  ::tcsetattr(STDIN_FILENO, TCSANOW, &silent);
}

void restore_terminal_and_go(int number) {
  ::tcsetattr(STDIN_FILENO, TCSANOW, &g_terminal_before);
  ::signal(number, SIG_DFL);
  ::raise(number);
}

// Whoever has the terminal meanwhile sees what is typed; from `fg` on it is silent again. Where
// nobody could continue it, the system does not stop it.
void restore_terminal_and_stop(int number) {
  const int errno_before = errno;
  ::tcsetattr(STDIN_FILENO, TCSANOW, &g_terminal_before);
  struct sigaction stop {
  }, mine{};
  stop.sa_handler = SIG_DFL;
  ::sigaction(number, &stop, &mine);
  sigset_t it, before;
  ::sigemptyset(&it);
  ::sigaddset(&it, number);
  ::raise(number);
  ::sigprocmask(SIG_UNBLOCK, &it, &before);  // here it stands still
  ::sigprocmask(SIG_SETMASK, &before, nullptr);
  ::sigaction(number, &mine, nullptr);
  silence_terminal();
  errno = errno_before;
}

// Also after a SIGSTOP, which nobody hears: a shell may have changed the terminal.
void go_on_silently(int) {
  const int errno_before = errno;
  silence_terminal();
  errno = errno_before;
}

// The terminal shows nothing of what is typed, until this goes, also by a signal.
class NoEcho {
 public:
  NoEcho() {
    on_ = ::tcgetattr(STDIN_FILENO, &g_terminal_before) == 0;
    if (!on_) return;
    for (std::size_t i = 0; i < kCount; ++i) {
      ::sigaction(kSignals[i].number, nullptr, &before_[i]);
      if (before_[i].sa_handler == SIG_IGN) continue;  // it goes on as it would have
      struct sigaction action {};
      action.sa_handler = kSignals[i].handler;
      ::sigaction(kSignals[i].number, &action, nullptr);
    }
    termios silent = g_terminal_before;
    silent.c_lflag &= ~static_cast<tcflag_t>(ECHO);
    g_asking = 1;
    ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent);
  }
  ~NoEcho() {
    if (!on_) return;
    g_asking = 0;  // first: a handler must not silence what is restored here
    ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &g_terminal_before);
    for (std::size_t i = 0; i < kCount; ++i) ::sigaction(kSignals[i].number, &before_[i], nullptr);
  }
  NoEcho(const NoEcho&) = delete;
  NoEcho& operator=(const NoEcho&) = delete;

 private:
  struct Handled {
    int number;
    void (*handler)(int);
  };
  static constexpr Handled kSignals[] = {
      {SIGINT, restore_terminal_and_go},    {SIGTERM, restore_terminal_and_go},
      {SIGHUP, restore_terminal_and_go},    {SIGQUIT, restore_terminal_and_go},
      {SIGTSTP, restore_terminal_and_stop}, {SIGCONT, go_on_silently}};
  static constexpr std::size_t kCount = sizeof kSignals / sizeof kSignals[0];
  struct sigaction before_[kCount];
  bool on_ = false;
};

// A byte at a time: what follows the line belongs to somebody else.
Result<crypto::Secret> line_of(int fd) {
  crypto::Secret room(kRoomBytes);
  std::size_t size = 0;
  for (;;) {
    std::uint8_t byte = 0;
    const ssize_t got = ::read(fd, &byte, 1);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0)
      return Error{Cause::kIo,
                   std::string("The passphrase cannot be read: ") + std::strerror(errno) + ".",
                   {}};
    if (got == 0 || byte == '\n') break;
    if (size == room.size()) return bad_input("The passphrase is too long.");
    room.writable()[size++] = byte;
  }
  if (size > 0 && room.view()[size - 1] == '\r') --size;
  return crypto::Secret(room.view().first(size));
}

}  // namespace

PassphraseInput::PassphraseInput(Surroundings& around, std::optional<int> fd)
    : around_(around), fd_(fd) {
  const rlimit none{0, 0};
  ::setrlimit(RLIMIT_CORE, &none);
  ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  const bool real = &around.in == &std::cin;
  if (!fd_ && real) fd_ = STDIN_FILENO;
  asks_ = !fd && real && ::isatty(STDIN_FILENO) != 0;
}

Result<crypto::Secret> PassphraseInput::line(const std::string& prompt) {
  KARTEI_ASSIGN(crypto::Secret secret, read_line(prompt));
  if (!store::valid_utf8(as_text(secret.view())))
    return bad_input(
        "That is not UTF-8. A passphrase is text, as a terminal in a UTF-8 locale types it.");
  return secret;
}

Result<crypto::Secret> PassphraseInput::read_line(const std::string& prompt) {
  if (fd_ && !asks_) return line_of(*fd_);
  if (!fd_) {  // a stream in the place of standard input
    std::string text;
    std::getline(around_.in, text);
    crypto::Secret secret(as_bytes(text));
    wipe(text);
    return secret;
  }
  around_.err << prompt << std::flush;
  auto secret = [] {
    const NoEcho quiet;
    return line_of(STDIN_FILENO);
  }();
  around_.err << '\n';
  return secret;
}

std::string secret_json(
    std::initializer_list<std::pair<const char*, const crypto::Secret*>> secrets) {
  std::size_t most = 2;
  for (const auto& [name, secret] : secrets) most += std::strlen(name) + 6 + 6 * secret->size();
  std::string out;
  out.reserve(most);  // so that no copy is left behind
  for (const auto& [name, secret] : secrets) {
    if (secret->empty()) continue;
    out.append(out.empty() ? "{\"" : ",\"").append(name).append("\":\"");
    for (const std::uint8_t byte : secret->view()) {
      static constexpr char kHex[] = "0123456789abcdef";
      if (byte < 0x20 || byte == '"' || byte == '\\')
        out.append({'\\', 'u', '0', '0', kHex[byte >> 4], kHex[byte & 15]});
      else
        out.push_back(static_cast<char>(byte));
    }
    out.push_back('"');
  }
  return out.append(out.empty() ? "{}" : "}");
}

void wipe(std::string& text) {
  ::explicit_bzero(text.data(), text.size());
  text.clear();
}

}  // namespace kartei::daemon::cli
