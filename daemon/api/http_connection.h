// One client of the HTTP server, as the server and the answers see it. Behind it stands Beast
// (http_connection.cpp). Threads: the server's. Ownership: lives as long as a read, a write or an
// answer under way holds it; shares the core.
#pragma once

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <functional>
#include <list>
#include <memory>
#include <string>

#include "daemon/api/http.h"

namespace kartei::daemon::api {

class HttpConnection;

// What connections share; lives as long as any of them.
struct HttpCore {
  HttpCore(boost::asio::io_context& context, HttpLimits the_limits, HttpHandler the_handler)
      : io(context), limits(the_limits), handler(std::move(the_handler)) {}
  boost::asio::io_context& io;
  const HttpLimits limits;
  HttpHandler handler;
  std::list<HttpConnection*> open;  // oldest idle first: moved to the end when it becomes idle
  bool closing = false;
  std::atomic<std::uint64_t> connections_now{0}, accepted{0}, refused{0}, requests{0}, malformed{0};
};

class HttpConnection {
 public:
  // Takes the descriptor.
  static std::shared_ptr<HttpConnection> make(std::shared_ptr<HttpCore> core, int fd);
  virtual ~HttpConnection() = default;

  virtual std::shared_ptr<HttpConnection> self() = 0;
  virtual HttpCore& core() = 0;
  virtual bool idle() const = 0;
  virtual void wait_request() = 0;
  virtual void close() = 0;

  virtual void send(HttpResponse answer) = 0;
  // For streams: the head, then raw bytes, one write at a time.
  virtual void send_head(const HttpResponse& head, std::function<void(bool)> then) = 0;
  virtual void write_raw(std::shared_ptr<std::string> text, std::function<void(bool)> then) = 0;
  virtual bool chunked() const = 0;
  // Tells when the client hangs up while an answer is being streamed.
  virtual void watch(std::function<void()> gone) = 0;
  virtual void after_stream() = 0;
};

}  // namespace kartei::daemon::api
