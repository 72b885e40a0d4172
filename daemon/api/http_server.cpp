// Who is let in. What a client says is read in http_connection.cpp.
#include <sys/socket.h>

#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "daemon/api/http_connection.h"
#include "daemon/api/problem.h"
#include "daemon/event_loop.h"

namespace kartei::daemon::api {
namespace {

namespace asio = boost::asio;
using Local = asio::local::stream_protocol;
using Code = boost::system::error_code;

constexpr std::chrono::milliseconds kAcceptPause{100};

class BeastServer final : public HttpServer {
 public:
  BeastServer(asio::io_context& io, int fd, HttpLimits limits, HttpHandler handler)
      : core_(std::make_shared<HttpCore>(io, limits, std::move(handler))),
        acceptor_(io, Local(), fd),
        pause_(io) {
    accept();
  }
  ~BeastServer() override { core_->cut_streams(); }
  void close() override {
    core_->closing = true;
    Code ignored;
    acceptor_.close(ignored);
    pause_.cancel();
    std::vector<std::shared_ptr<HttpConnection>> unserved;
    for (HttpConnection* connection : core_->open)
      if (connection->phase() != HttpConnection::Phase::kServed)
        unserved.push_back(connection->self());
    for (const auto& connection : unserved) connection->close();
  }
  HttpCounts counts() const override {
    return {core_->connections_now, core_->accepted, core_->refused, core_->requests,
            core_->malformed};
  }

 private:
  void accept() {
    acceptor_.async_accept([this](Code error, Local::socket socket) {
      if (core_->closing) return;
      if (error) {  // out of descriptors, most likely: not at once again
        pause_.expires_after(kAcceptPause);
        pause_.async_wait([this](Code stopped) {
          if (!stopped) accept();
        });
        return;
      }
      admit(std::move(socket));
      accept();
    });
  }
  void admit(Local::socket socket) {
    ucred peer{};
    socklen_t size = sizeof peer;
    if (::getsockopt(socket.native_handle(), SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0 ||
        peer.uid != core_->limits.peer_uid) {
      ++core_->refused;
      return;
    }
    if (core_->open.size() >= core_->limits.connections && !make_room()) {
      ++core_->refused;
      return say_busy(socket);
    }
    ++core_->accepted;
    HttpConnection::make(core_, socket.release())->wait_request();
  }

  // The less it is wanted, the smaller; the longest there first. Empty: it is being served.
  std::optional<std::pair<int, std::int64_t>> worth(const HttpConnection& connection) const {
    switch (connection.phase()) {
      case HttpConnection::Phase::kIdle:
        return std::pair(0, connection.phase_since_ms());
      case HttpConnection::Phase::kHeader:
        return std::pair(1, connection.phase_since_ms());
      case HttpConnection::Phase::kBody:
        return std::pair(2, connection.phase_since_ms());
      case HttpConnection::Phase::kServed:
        break;
    }
    const auto since = connection.unread_since_ms();
    if (!since || steady_ms() - *since < core_->limits.unread_ms) return std::nullopt;
    return std::pair(3, *since);
  }
  // Nobody may lock the others out by being slow.
  bool make_room() {
    HttpConnection* least = nullptr;
    std::pair<int, std::int64_t> least_worth;
    for (HttpConnection* connection : core_->open) {
      const auto its = worth(*connection);
      if (!its || (least != nullptr && *its >= least_worth)) continue;
      least = connection;
      least_worth = *its;
    }
    if (least == nullptr) return false;
    least->self()->turn_away();
    return true;
  }
  static void say_busy(Local::socket& socket) {
    const std::string text = busy_text();
    (void)::send(socket.native_handle(), text.data(), text.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  }

  std::shared_ptr<HttpCore> core_;
  Local::acceptor acceptor_;
  asio::steady_timer pause_;
};
}  // namespace

std::string busy_text() {
  const std::string body =
      problem(503, "busy", "Too many connections are busy. Try again in a second.").body;
  return "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/problem+json\r\n"
         "Retry-After: 1\r\nConnection: close\r\nContent-Length: " +
         std::to_string(body.size()) + "\r\n\r\n" + body;
}

HttpRequest::~HttpRequest() {
  if (secret) ::explicit_bzero(body.data(), body.size());
}

const char* to_text(Method method) {
  switch (method) {
    case Method::kGet:
      return "GET";
    case Method::kPost:
      return "POST";
    case Method::kPut:
      return "PUT";
    case Method::kPatch:
      return "PATCH";
    case Method::kDelete:
      return "DELETE";
    case Method::kOther:
      break;
  }
  return "?";
}

std::unique_ptr<HttpServer> HttpServer::make(asio::io_context& io, int listening_fd,
                                             HttpLimits limits, HttpHandler handler) {
  return std::make_unique<BeastServer>(io, listening_fd, limits, std::move(handler));
}

}  // namespace kartei::daemon::api
