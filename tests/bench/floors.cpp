#include "tests/bench/floors.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sqlite3.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <string>
#include <thread>

namespace kartei::bench {

namespace {

constexpr std::size_t kMessage = 300;

Error failed(const char* what) {
  return {Cause::kIo, std::string("floor: ") + what + " failed", {}};
}

bool receive_all(int fd, char* buffer) {
  for (std::size_t got = 0; got < kMessage;) {
    const auto n = ::recv(fd, buffer + got, kMessage - got, 0);
    if (n <= 0) return false;
    got += static_cast<std::size_t>(n);
  }
  return true;
}

void no_delay(int fd) {
  const int on = 1;
  ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

void echo(int listener) {
  const int fd = ::accept(listener, nullptr, nullptr);
  if (fd < 0) return;
  no_delay(fd);
  char buffer[kMessage];
  while (receive_all(fd, buffer) &&
         ::send(fd, buffer, kMessage, MSG_NOSIGNAL) == static_cast<ssize_t>(kMessage)) {
  }
  ::close(fd);
}

}  // namespace

Result<Samples> ping_pong(int rounds) {
  const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  if (::bind(listener, reinterpret_cast<const sockaddr*>(&address), size) != 0 ||
      ::listen(listener, 1) != 0 ||
      ::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size) != 0)
    return failed("listen");
  std::thread other(echo, listener);
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const bool connected = ::connect(fd, reinterpret_cast<const sockaddr*>(&address), size) == 0;
  no_delay(fd);
  Samples samples;
  char buffer[kMessage] = {};
  for (int i = 0; connected && i < rounds; ++i) {
    const auto began = Clock::now();
    if (::send(fd, buffer, kMessage, MSG_NOSIGNAL) < 0 || !receive_all(fd, buffer)) break;
    samples.add(us_since(began));
  }
  ::shutdown(listener, SHUT_RDWR);
  ::close(fd);
  other.join();
  ::close(listener);
  if (samples.us.empty()) return failed("loopback");
  return samples;
}

Result<Samples> append_synced(const std::filesystem::path& folder, int rounds) {
  const auto file = folder / "floor-append";
  const int fd = ::open(file.c_str(), O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC, 0600);
  if (fd < 0) return failed("open");
  Samples samples;
  const std::string bytes(kMessage, 'x');
  for (int i = 0; i < rounds; ++i) {
    const auto began = Clock::now();
    if (::write(fd, bytes.data(), bytes.size()) < 0 || ::fdatasync(fd) != 0) break;
    samples.add(us_since(began));
  }
  ::close(fd);
  ::unlink(file.c_str());
  if (samples.us.empty()) return failed("fdatasync");
  return samples;
}

Result<Samples> sqlite_insert(const std::filesystem::path& folder, int rounds) {
  const auto file = folder / "floor-sqlite";
  sqlite3* db = nullptr;
  if (::sqlite3_open(file.c_str(), &db) != SQLITE_OK) return failed("sqlite");
  ::sqlite3_exec(
      db,
      "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; CREATE TABLE t(id INTEGER PRIMARY KEY, b)",
      nullptr, nullptr, nullptr);
  sqlite3_stmt* insert = nullptr;
  ::sqlite3_prepare_v2(db, "INSERT INTO t(b) VALUES(?)", -1, &insert, nullptr);
  Samples samples;
  const std::string bytes(kMessage, 'x');
  for (int i = 0; i < rounds; ++i) {
    const auto began = Clock::now();
    ::sqlite3_bind_text(insert, 1, bytes.data(), static_cast<int>(bytes.size()), SQLITE_STATIC);
    if (::sqlite3_step(insert) != SQLITE_DONE) break;
    ::sqlite3_reset(insert);
    samples.add(us_since(began));
  }
  ::sqlite3_finalize(insert);
  ::sqlite3_close(db);
  for (const char* suffix : {"", "-wal", "-shm"}) ::unlink((file.string() + suffix).c_str());
  if (samples.us.empty()) return failed("sqlite insert");
  return samples;
}

}  // namespace kartei::bench
