// One client of the HTTP server, as the server and the answers see it. Behind it stands Beast
// (http_connection.cpp). Threads: the server's, but for send(). Ownership: lives as long as a read,
// a write or an answer under way holds it; shares the core.
#pragma once

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "daemon/api/http.h"

namespace kartei::daemon::api {

class HttpConnection;

// An answer under way that can be cut off.
class CutOff {
 public:
  virtual ~CutOff() = default;
  virtual void cut_off() = 0;  // the server's thread
};

// What connections share; lives as long as any of them.
struct HttpCore {
  HttpCore(boost::asio::io_context& context, HttpLimits the_limits, HttpHandler the_handler)
      : io(context), limits(the_limits), handler(std::move(the_handler)) {}
  boost::asio::io_context& io;
  const HttpLimits limits;
  HttpHandler handler;
  std::list<HttpConnection*> open;
  std::atomic<bool> closing{false};
  std::atomic<std::uint64_t> connections_now{0}, accepted{0}, refused{0}, requests{0}, malformed{0};

  void add_stream(std::weak_ptr<CutOff> stream);  // any thread
  void cut_streams();

 private:
  std::mutex mutex_;  // guards what follows
  std::vector<std::weak_ptr<CutOff>> streams_;
};

class HttpConnection {
 public:
  enum class Phase { kIdle, kHeader, kBody, kServed };

  // Takes the descriptor.
  static std::shared_ptr<HttpConnection> make(std::shared_ptr<HttpCore> core, int fd);
  virtual ~HttpConnection() = default;

  virtual std::shared_ptr<HttpConnection> self() = 0;
  virtual HttpCore& core() = 0;
  virtual Phase phase() const = 0;
  virtual std::int64_t phase_since_ms() const = 0;                  // steady_ms()
  virtual std::optional<std::int64_t> unread_since_ms() const = 0;  // a write that stands still
  virtual void wait_request() = 0;
  virtual void turn_away() = 0;  // says as far as it can be heard that others wait, and closes
  virtual void close() = 0;

  // From any thread, while its request is being served. `self`: this very connection, which must
  // not end on another thread than the server's.
  virtual void send(std::shared_ptr<HttpConnection> self, HttpResponse answer) = 0;
  // For streams: the head, then raw bytes, one write at a time.
  virtual void send_head(const HttpResponse& head, std::function<void(bool)> then) = 0;
  virtual void write_raw(std::shared_ptr<std::string> text, std::function<void(bool)> then) = 0;
  virtual bool chunked() const = 0;
  virtual bool head_only() const = 0;  // the request was a HEAD: its answer has no body
  // Tells when the client hangs up while an answer is being streamed.
  virtual void watch(std::function<void()> gone) = 0;
  virtual void after_stream() = 0;
};

// The whole answer to a client that there is no place for.
std::string busy_text();

}  // namespace kartei::daemon::api
