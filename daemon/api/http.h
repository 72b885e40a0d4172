// HTTP as the rest of the daemon sees it: values in, values out, no Beast. The server behind it is
// http_server.cpp, http_connection.cpp and http_stream.cpp.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "crypto/result.h"

namespace boost::asio {
class io_context;
}

namespace kartei::daemon::api {

enum class Method { kGet, kPost, kPut, kPatch, kDelete, kOther };
const char* to_text(Method method);

struct HttpRequest {
  HttpRequest() = default;
  HttpRequest(const HttpRequest&) = default;
  HttpRequest(HttpRequest&&) = default;
  HttpRequest& operator=(const HttpRequest&) = default;
  HttpRequest& operator=(HttpRequest&&) = default;
  ~HttpRequest();  // whoever lets go of it, on whichever way

  Method method = Method::kGet;  // HEAD comes as GET: the server leaves the answer's body out
  std::string target;            // as sent: path and query
  std::string body;
  std::string app;            // X-Kartei-App
  std::string bearer;         // of Authorization; never logged
  std::string last_event_id;  // Last-Event-ID
  bool secret = false;        // the body may hold a passphrase: it is wiped in the end
};

struct HttpResponse {
  int status = 200;
  std::string content_type = "application/json";
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers;
};

// An answer that is sent bit by bit. Any thread. Ends when the last holder lets go, which must
// happen before the server's io_context goes (so with a Responder, too).
class ResponseStream {
 public:
  virtual ~ResponseStream() = default;
  // False: the client is gone, or is further behind than the server's limit (and then is cut off).
  virtual bool write(std::string chunk) = 0;
  // Calls `then` once: with true when fewer than `bytes` wait to be sent, with false when the
  // client is gone or was cut off because it does not read. Here and now if it is so already, else
  // on the server's thread. One at a time.
  virtual void when_below(std::size_t bytes, std::function<void(bool)> then) = 0;
  virtual bool open() const = 0;
  virtual void finish() = 0;
  // Hangs up without an end, so that nobody takes what came so far for the whole; also after
  // finish(), while something is still to be sent.
  virtual void abort() = 0;
};

// The far end of one request.
class ResponseSink {
 public:
  virtual ~ResponseSink() = default;
  virtual void send(HttpResponse response) = 0;
  // Null: only the head was wanted, or the request has been answered already.
  virtual std::shared_ptr<ResponseStream> stream(HttpResponse head) = 0;
};

// Answers one request, once, from any thread; copies share the one answer. When the last copy goes
// without an answer, the sink answers 500, so that no client waits for ever.
class Responder {
 public:
  explicit Responder(std::shared_ptr<ResponseSink> sink) : sink_(std::move(sink)) {}
  void send(HttpResponse response) const { sink_->send(std::move(response)); }
  std::shared_ptr<ResponseStream> stream(HttpResponse head) const {
    return sink_->stream(std::move(head));
  }

 private:
  std::shared_ptr<ResponseSink> sink_;
};

// Called on the server's thread: must not block.
using HttpHandler = std::function<void(HttpRequest, Responder)>;

struct HttpLimits {
  std::size_t body_bytes = 4 << 20;
  std::uint32_t header_bytes = 16 << 10;
  std::size_t connections = 64;
  std::int64_t header_timeout_ms = 5'000;    // from a request's first byte to its header's last
  std::int64_t request_timeout_ms = 30'000;  // for its body
  std::int64_t write_timeout_ms = 30'000;    // for one answer, or one chunk of a stream
  std::int64_t unread_ms =
      2'000;  // an answer not taken for so long gives its place to a new client
  std::size_t stream_backlog_bytes = 4 << 20;
  std::uint32_t peer_uid = 0;  // who may connect; checked before anything is parsed
};

struct HttpCounts {
  std::uint64_t connections_now = 0, accepted = 0, refused = 0, requests = 0, malformed = 0;
};

// Serves a listening Unix socket. Threads: all of it on the io_context's one thread, but counts().
// Ownership: owns the descriptor; must outlive the run of the io_context.
class HttpServer {
 public:
  static std::unique_ptr<HttpServer> make(boost::asio::io_context& io, int listening_fd,
                                          HttpLimits limits, HttpHandler handler);
  virtual ~HttpServer() = default;  // cuts off what is still being streamed
  // No new connections, no new requests; open ones end after the answer under way.
  virtual void close() = 0;
  virtual HttpCounts counts() const = 0;
};

}  // namespace kartei::daemon::api
