// What an endpoint may do to whoever asks it: send elsewhere, drip, send without end, hang.
#include "daemon/http_client.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "tests/daemon/support.h"

namespace kartei::daemon {
namespace {
using namespace test;

// A server of one connection at a time that does what it is told with it.
class ScriptedServer {
 public:
  using Script = std::function<void(ScriptedServer& server, int fd)>;
  explicit ScriptedServer(Script script) : script_(std::move(script)) {
    listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    if (::bind(listener_, reinterpret_cast<sockaddr*>(&address), size) != 0 ||
        ::listen(listener_, 8) != 0 ||
        ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) != 0)
      throw std::runtime_error("no server");
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { serve(); });
  }
  ~ScriptedServer() {
    over_ = true;
    thread_.join();
    ::close(listener_);
  }
  ScriptedServer(const ScriptedServer&) = delete;
  ScriptedServer& operator=(const ScriptedServer&) = delete;

  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_) + "/v1"; }
  int connections() const { return connections_; }
  std::size_t sent() const { return sent_; }
  // False: the other side is gone, or the test is over.
  bool send(int fd, std::string_view bytes) {
    while (!bytes.empty()) {
      if (!ready(fd, POLLOUT)) return false;
      const ssize_t done = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
      if (done < 0 && errno != EAGAIN) return false;
      if (done > 0) bytes.remove_prefix(static_cast<std::size_t>(done));
      if (done > 0) sent_ += static_cast<std::size_t>(done);
    }
    return true;
  }
  // Until what has come ends so. False: the other side is gone, or the test is over.
  bool receive(int fd, std::string_view end) {
    std::string all;
    while (ready(fd, POLLIN)) {
      char bytes[4096];
      const ssize_t got = ::recv(fd, bytes, sizeof bytes, MSG_DONTWAIT);
      if (got == 0 || (got < 0 && errno != EAGAIN)) return false;
      if (got > 0) all.append(bytes, static_cast<std::size_t>(got));
      if (all.ends_with(end)) return true;
    }
    return false;
  }
  bool gone(int fd) {  // waits a moment for it
    pollfd one{fd, POLLIN, 0};
    if (over_) return true;
    if (::poll(&one, 1, 5) <= 0) return false;
    char bytes[4096];
    return ::recv(fd, bytes, sizeof bytes, MSG_DONTWAIT) == 0;
  }

 private:
  bool ready(int fd, short what) {
    pollfd one{fd, what, 0};
    while (!over_) {
      if (::poll(&one, 1, 10) > 0) return (one.revents & what) != 0;
    }
    return false;
  }
  void serve() {
    while (ready(listener_, POLLIN)) {
      const int fd = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
      if (fd < 0) continue;
      ++connections_;
      if (ready(fd, POLLIN)) script_(*this, fd);
      ::close(fd);
    }
  }
  const Script script_;
  int listener_ = -1;
  std::uint16_t port_ = 0;
  std::atomic<bool> over_{false};
  std::atomic<int> connections_{0};
  std::atomic<std::size_t> sent_{0};
  std::thread thread_;
};

class HttpClientTest : public ::testing::Test {
 protected:
  Result<std::string> post(const ScriptedServer& server) {
    HttpCall call;
    call.url = server.url() + "/embeddings";
    call.body = "{}";
    call.bearer = "open-sesame";
    call.timeout_ms = timeout_ms_;
    call.answer_bytes_max = 100'000;
    call.given_up = [this] { return given_up_.load(); };
    return client_->post_json(call);
  }
  void expect_refused(const Result<std::string>& answer, Cause cause, const std::string& part) {
    ASSERT_TRUE(answer.has_error());
    EXPECT_EQ(answer.error().cause, cause) << answer.error().what;
    EXPECT_NE(answer.error().what.find(part), std::string::npos) << answer.error().what;
    EXPECT_EQ(answer.error().what.find("sesame"), std::string::npos);
  }
  std::int64_t timeout_ms_ = kPatienceMs;
  std::atomic<bool> given_up_{false};
  const std::shared_ptr<const HttpClient> client_ = HttpClient::load().value();
};

const std::string kOkHead = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n";

TEST_F(HttpClientTest, GivesTheBodyOfA200) {
  ScriptedServer server(
      [](ScriptedServer& it, int fd) { it.send(fd, kOkHead + "Content-Length: 2\r\n\r\n[]"); });
  const auto answer = post(server);
  ASSERT_TRUE(answer.has_value()) << answer.error().what;
  EXPECT_EQ(*answer, "[]");
}

TEST_F(HttpClientTest, KeepsItsConnectionAsLongAsTheServerDoes) {
  std::atomic<int> answers{0};
  const auto answer = [&](ScriptedServer& it, int fd) {
    ++answers;
    return it.send(fd, kOkHead + "Content-Length: 2\r\n\r\n[]");
  };
  ScriptedServer kept([&](ScriptedServer& it, int fd) {
    // All of a small request comes at once, its end is "{}".
    while (it.receive(fd, "{}") && answer(it, fd)) continue;
  });
  for (int n = 0; n < 5; ++n) EXPECT_TRUE(post(kept).has_value()) << n;
  EXPECT_EQ(answers, 5);
  EXPECT_EQ(kept.connections(), 1);
  ScriptedServer once([&](ScriptedServer& it, int fd) {
    if (it.receive(fd, "{}")) answer(it, fd);  // and closes, though it did not say so
  });
  for (int n = 0; n < 5; ++n) {
    const auto got = post(once);
    EXPECT_TRUE(got.has_value()) << n << ' ' << got.error().what;
  }
  EXPECT_EQ(once.connections(), 5);
}

TEST_F(HttpClientTest, FollowsNobodyElsewhere) {
  ScriptedServer other(
      [](ScriptedServer& it, int fd) { it.send(fd, kOkHead + "Content-Length: 2\r\n\r\n[]"); });
  for (const std::string status : {"301", "302", "303", "307", "308"}) {
    for (const std::string& where : {other.url() + "/embeddings", std::string("/v2/embeddings")}) {
      ScriptedServer server([&](ScriptedServer& it, int fd) {
        it.send(fd, "HTTP/1.1 " + status + " Elsewhere\r\nLocation: " + where +
                        "\r\nContent-Length: 0\r\n\r\n");
      });
      expect_refused(post(server), Cause::kBadInput, "nothing was sent there");
      EXPECT_EQ(server.connections(), 1);
    }
  }
  EXPECT_EQ(other.connections(), 0);
}

// The deadline is of the whole call, not of each byte: without it these would never end.
TEST_F(HttpClientTest, WaitsNoLongerForWhatDrips) {
  timeout_ms_ = 100;
  const auto drip = [](ScriptedServer& it, int fd) {
    while (it.send(fd, " ") && !it.gone(fd)) continue;
  };
  ScriptedServer body([&](ScriptedServer& it, int fd) {
    it.send(fd, kOkHead + "Content-Length: 90000\r\n\r\n");
    drip(it, fd);
  });
  expect_refused(post(body), Cause::kUnavailable, "cannot be reached");
  ScriptedServer head([&](ScriptedServer& it, int fd) {
    it.send(fd, "HTTP/1.1 200 OK\r\nX-Drip: ");
    drip(it, fd);
  });
  expect_refused(post(head), Cause::kUnavailable, "cannot be reached");
  ScriptedServer silent([](ScriptedServer& it, int fd) {
    while (!it.gone(fd)) continue;
  });
  expect_refused(post(silent), Cause::kUnavailable, "cannot be reached");
}

TEST_F(HttpClientTest, TakesNoMoreThanItAskedFor) {
  const std::string much(64 << 10, '7');
  ScriptedServer with_length([&](ScriptedServer& it, int fd) {
    it.send(fd, kOkHead + "Content-Length: 80000000000\r\n\r\n");
    while (it.send(fd, much)) continue;
  });
  expect_refused(post(with_length), Cause::kBadInput, "more than is expected");
  EXPECT_LT(with_length.sent(), std::size_t{64} << 20);
  ScriptedServer in_chunks([&](ScriptedServer& it, int fd) {
    it.send(fd, kOkHead + "Transfer-Encoding: chunked\r\n\r\n");
    while (it.send(fd, "10000\r\n" + much + "\r\n")) continue;
  });
  expect_refused(post(in_chunks), Cause::kBadInput, "more than is expected");
  ScriptedServer without_end([&](ScriptedServer& it, int fd) {
    it.send(fd, kOkHead + "Connection: close\r\n\r\n");
    while (it.send(fd, much)) continue;
  });
  expect_refused(post(without_end), Cause::kBadInput, "more than is expected");
}

TEST_F(HttpClientTest, TakesNoHeadersWithoutEnd) {
  const std::string line = "X-More: " + std::string(8'000, 'a') + "\r\n";
  ScriptedServer headers([&](ScriptedServer& it, int fd) {
    it.send(fd, kOkHead);
    while (it.send(fd, line)) continue;
  });
  expect_refused(post(headers), Cause::kBadInput, "more than is expected");
  ScriptedServer not_yet([&](ScriptedServer& it, int fd) {
    while (it.send(fd, "HTTP/1.1 103 Early Hints\r\n" + line + "\r\n")) continue;
  });
  expect_refused(post(not_yet), Cause::kBadInput, "more than is expected");
}

TEST_F(HttpClientTest, ANoThatIsNoHttpIsANo) {
  for (const std::string bytes : {"", "\r\n\r\n", "HTTP/0.9", "220 mail.example ESMTP\r\n",
                                  "HTTP/1.1 999999999999 What\r\n\r\n", "\0\1\2"}) {
    ScriptedServer server([&](ScriptedServer& it, int fd) { it.send(fd, bytes); });
    EXPECT_TRUE(post(server).has_error()) << bytes;
  }
}

TEST_F(HttpClientTest, GivesUpWhenItIsTold) {
  ScriptedServer silent([&](ScriptedServer& it, int fd) {
    given_up_ = true;
    while (!it.gone(fd)) continue;
  });
  EXPECT_TRUE(post(silent).has_error());
}

}  // namespace
}  // namespace kartei::daemon
