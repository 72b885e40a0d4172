// What the daemon's tests share: temporary folders, a raw client of a Unix socket, a served
// handler.
#pragma once

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <future>
#include <string>
#include <thread>

#include "daemon/api/http.h"
#include "daemon/api/local_socket.h"
#include "daemon/event_loop.h"
#include "daemon/home_key.h"

namespace kartei::daemon::test {

inline constexpr std::int64_t kPatienceMs = 10'000;

// Polls until the condition holds; false after the deadline.
inline bool eventually(const std::function<bool()>& condition) {
  const std::int64_t end = steady_ms() + kPatienceMs;
  while (steady_ms() < end) {
    if (condition()) return true;
    ::poll(nullptr, 0, 1);
  }
  return condition();
}

class TempFolder {
 public:
  TempFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "kartei-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~TempFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// A desktop without a Secret Service.
class NoSecretService final : public keyring::SecretService {
 public:
  Result<crypto::Secret> look_up(const keyring::WrapId&) override { return none(); }
  Status store(const keyring::WrapId&, const crypto::Secret&) override { return none(); }
  Status forget(const keyring::WrapId&) override { return none(); }

 private:
  static Error none() { return {Cause::kUnavailable, "There is no Secret Service.", {}}; }
};

// As at the start of a daemon: the keyring is opened, or made with a key file.
inline Result<crypto::Secret> open_data_key(const std::filesystem::path& home,
                                            crypto::Random& random) {
  keyring::DiskKeyFiles files(home);
  NoSecretService service;
  std::string why;
  KARTEI_ASSIGN(const auto ring, open_or_make_keyring(home, files, random, service, why));
  KARTEI_ASSIGN(auto opened, open_unattended(ring, files, service));
  return std::move(opened.key);
}

struct RawAnswer {
  int status = 0;
  std::string head, body;
  std::string header(const std::string& name) const {
    const std::size_t at = head.find("\r\n" + name + ": ");
    if (at == std::string::npos) return {};
    const std::size_t begin = at + name.size() + 4;
    return head.substr(begin, head.find("\r\n", begin) - begin);
  }
};

// Sends bytes as they are and reads answers one by one. Nothing waits longer than kPatienceMs.
class RawClient {
 public:
  explicit RawClient(const std::filesystem::path& socket) {
    auto fd = api::connect_local(socket);
    fd_ = fd ? *fd : -1;
  }
  ~RawClient() { close(); }
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;
  void close() {
    if (fd_ >= 0) ::close(std::exchange(fd_, -1));
  }
  bool connected() const { return fd_ >= 0; }

  bool send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }
  bool request(const std::string& method, const std::string& target, const std::string& body = {},
               const std::string& more_headers = {}) {
    return send(method + " " + target + " HTTP/1.1\r\nHost: localhost\r\n" + more_headers +
                "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
  }
  // Status 0: the server hung up, or said nothing in time.
  RawAnswer answer() {
    RawAnswer out;
    if (!fill_until([&] { return buffer_.find("\r\n\r\n") != std::string::npos; })) return out;
    const std::size_t end = buffer_.find("\r\n\r\n");
    out.head = buffer_.substr(0, end + 2);
    buffer_.erase(0, end + 4);
    const std::string length = out.header("Content-Length");
    const std::size_t size = length.empty() ? 0 : std::stoul(length);
    if (!fill_until([&] { return buffer_.size() >= size; })) return out;
    out.body = buffer_.substr(0, size);
    buffer_.erase(0, size);
    out.status = std::stoi(out.head.substr(9, 3));
    return out;
  }
  RawAnswer call(const std::string& method, const std::string& target, const std::string& body = {},
                 const std::string& more_headers = {}) {
    request(method, target, body, more_headers);
    return answer();
  }
  // Whatever comes until `text` has come, or the server hangs up, or the patience ends.
  std::string read_until(std::string_view text) {
    fill_until([&] { return buffer_.find(text) != std::string::npos; });
    return buffer_;
  }
  // The same, and it is gone from what answer() reads.
  std::string take_until(std::string_view text) {
    std::string all = read_until(text);
    const std::size_t at = all.find(text);
    if (at == std::string::npos) return all;
    buffer_.erase(0, at + text.size());
    return all.substr(0, at + text.size());
  }
  bool hung_up() {
    return !fill_until([] { return false; }) && ended_;
  }

 private:
  bool fill_until(const std::function<bool()>& enough) {
    const std::int64_t end = steady_ms() + kPatienceMs;
    while (!enough()) {
      const std::int64_t left = end - steady_ms();
      pollfd poll_fd{fd_, POLLIN, 0};
      if (left <= 0 || ended_ || ::poll(&poll_fd, 1, static_cast<int>(left)) <= 0) return false;
      char bytes[65536];
      const ssize_t got = ::recv(fd_, bytes, sizeof bytes, 0);
      if (got <= 0) {
        ended_ = true;
        return enough();
      }
      buffer_.append(bytes, static_cast<std::size_t>(got));
    }
    return true;
  }
  int fd_ = -1;
  bool ended_ = false;
  std::string buffer_;
};

// A server with a handler of the test's, on a thread of its own.
class Served {
 public:
  explicit Served(api::HttpHandler handler, api::HttpLimits limits = {}) {
    if (limits.peer_uid == 0) limits.peer_uid = ::geteuid();
    auto fd = api::listen_local(socket());
    server_ = api::HttpServer::make(loop_.io(), *fd, limits, std::move(handler));
    thread_ = std::thread([this] { loop_.run(); });
  }
  ~Served() { stop(); }
  // Ends the server's thread. Its loop still takes what other threads post, so that those that
  // answer requests can be joined between this and the destructor.
  void stop() {
    if (!thread_.joinable()) return;
    loop_.post([this] {
      server_->close();
      loop_.stop();
    });
    thread_.join();
  }
  std::filesystem::path socket() const { return folder_.path() / "kartei.sock"; }
  api::HttpServer& server() { return *server_; }
  EventLoop& loop() { return loop_; }
  // Returns when the server has taken in what its clients had sent by now: each time around, the
  // loop looks at its sockets, and does what it found there the next time.
  void catch_up() {
    for (int around = 0; around < 5; ++around) {
      std::promise<void> done;
      loop_.post([&] { done.set_value(); });
      done.get_future().wait();
    }
  }

 private:
  TempFolder folder_;
  EventLoop loop_;
  std::unique_ptr<api::HttpServer> server_;
  std::thread thread_;
};

}  // namespace kartei::daemon::test
