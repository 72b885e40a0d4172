// The only file that knows Beast (beside beast_src.cpp, which compiles it). Callbacks, not
// coroutines: GCC 12 miscompiles temporaries in awaited calls.
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/basic_stream.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>
#include <condition_variable>
#include <deque>
#include <list>
#include <mutex>
#include <optional>
#include <sstream>

#include "daemon/api/http.h"
#include "daemon/api/problem.h"

namespace kartei::daemon::api {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using Local = asio::local::stream_protocol;
using LocalStream = beast::basic_stream<Local>;
using Code = boost::system::error_code;
using Milliseconds = std::chrono::milliseconds;

constexpr std::size_t kDrainBytesMax = 16 << 20;
constexpr Milliseconds kDrainTimeout{2000};
constexpr Milliseconds kAcceptPause{100};

class Connection;

// What connections share; lives as long as any of them.
struct Core {
  Core(asio::io_context& context, HttpLimits the_limits, HttpHandler the_handler)
      : io(context), limits(the_limits), handler(std::move(the_handler)) {}
  asio::io_context& io;
  const HttpLimits limits;
  HttpHandler handler;
  std::list<Connection*> open;  // oldest idle first: moved to the end when it becomes idle
  bool closing = false;
  std::atomic<std::uint64_t> connections_now{0}, accepted{0}, refused{0}, requests{0}, malformed{0};
};

Method method_of(http::verb verb) {
  switch (verb) {
    case http::verb::get:
      return Method::kGet;
    case http::verb::post:
      return Method::kPost;
    case http::verb::put:
      return Method::kPut;
    case http::verb::patch:
      return Method::kPatch;
    case http::verb::delete_:
      return Method::kDelete;
    default:
      return Method::kOther;
  }
}

std::string text_of(const http::fields& fields, std::string_view name) {
  const auto found = fields.find({name.data(), name.size()});
  if (found == fields.end()) return {};
  return {found->value().data(), found->value().size()};
}

// One client. Reads a request, hands it over, writes the answer, reads the next: pipelined requests
// wait in the buffer. A timer runs only while a request is half read or an answer half written.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(std::shared_ptr<Core> core, Local::socket socket)
      : core_(std::move(core)), stream_(std::move(socket)) {
    place_ = core_->open.insert(core_->open.end(), this);
    ++core_->connections_now;
  }
  ~Connection() {
    core_->open.erase(place_);
    --core_->connections_now;
  }

  bool idle() const { return idle_; }
  asio::io_context& io() { return core_->io; }
  const HttpLimits& limits() const { return core_->limits; }

  void wait_request() {
    if (core_->closing) return close();
    parser_.reset();
    if (buffer_.size() > 0) return read_header();
    buffer_ = beast::flat_buffer();  // an idle client costs no buffer
    idle_ = true;
    core_->open.splice(core_->open.end(), core_->open, place_);
    stream_.expires_never();
    stream_.socket().async_wait(Local::socket::wait_read, [self = shared_from_this()](Code error) {
      self->idle_ = false;
      if (error) return self->close();
      self->read_header();
    });
  }

  void close() {
    Code ignored;
    stream_.socket().shutdown(Local::socket::shutdown_both, ignored);
    stream_.socket().close(ignored);
    if (on_gone_) std::exchange(on_gone_, nullptr)();
  }

  void send(HttpResponse answer) {
    response_.emplace();
    fill(*response_, answer);
    response_->body() = std::move(answer.body);
    response_->prepare_payload();
    stream_.expires_after(Milliseconds(limits().write_timeout_ms));
    http::async_write(stream_, *response_, [self = shared_from_this()](Code error, std::size_t) {
      const bool keep = self->response_->keep_alive();
      self->response_.reset();
      if (error) return self->close();
      if (!keep) return self->drain_and_close();
      self->wait_request();
    });
  }

  // For streams: the head, then raw bytes, one write at a time.
  void send_head(const HttpResponse& head, std::function<void(bool)> then) {
    http::response<http::empty_body> message;
    fill(message, head);
    if (chunked())
      message.chunked(true);
    else
      message.keep_alive(false);
    std::ostringstream text;
    text << message.base();
    write_raw(std::make_shared<std::string>(text.str()), std::move(then));
  }
  void write_raw(std::shared_ptr<std::string> text, std::function<void(bool)> then) {
    stream_.expires_after(Milliseconds(limits().write_timeout_ms));
    const asio::const_buffer bytes = asio::buffer(*text);
    asio::async_write(stream_, bytes,
                      [self = shared_from_this(), text = std::move(text), then = std::move(then)](
                          Code error, std::size_t) {
                        self->stream_.expires_never();
                        if (error) self->close();
                        then(!error);
                      });
  }
  bool chunked() const { return version_ >= 11; }
  bool keep_alive() const { return keep_alive_; }

  // Tells when the client hangs up while an answer is being streamed. Bytes of a further request
  // end the watch: they are read after the stream.
  void watch(std::function<void()> gone) {
    on_gone_ = std::move(gone);
    stream_.socket().async_wait(Local::socket::wait_read, [self = shared_from_this()](Code error) {
      if (error || !self->on_gone_) return;
      char byte = 0;
      const ssize_t got =
          ::recv(self->stream_.socket().native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
      if (got == 0) self->close();
    });
  }
  void unwatch() { on_gone_ = nullptr; }
  void after_stream() {
    unwatch();
    if (chunked() && keep_alive_) return wait_request();
    drain_and_close();
  }

 private:
  template <class Message>
  void fill(Message& message, const HttpResponse& from) {
    message.version(version_);
    message.result(static_cast<unsigned>(from.status));
    if (!from.content_type.empty()) message.set(http::field::content_type, from.content_type);
    message.set(http::field::cache_control, "no-store");
    for (const auto& [name, value] : from.headers) message.set(name, value);
    message.keep_alive(keep_alive_ && !core_->closing);
  }

  void read_header() {
    parser_.emplace();
    parser_->body_limit(limits().body_bytes);
    parser_->header_limit(limits().header_bytes);
    stream_.expires_after(Milliseconds(limits().request_timeout_ms));
    http::async_read_header(stream_, buffer_, *parser_,
                            [self = shared_from_this()](Code error, std::size_t) {
                              if (error) return self->refuse(error);
                              self->read_body();
                            });
  }

  void read_body() {
    const auto& head = parser_->get();
    version_ = head.version();
    keep_alive_ = head.keep_alive();
    if (!beast::iequals(head[http::field::expect], "100-continue") || buffer_.size() > 0)
      return read_rest();
    auto text = std::make_shared<std::string>("HTTP/1.1 100 Continue\r\n\r\n");
    write_raw(std::move(text), [self = shared_from_this()](bool written) {
      if (!written) return;
      self->stream_.expires_after(Milliseconds(self->limits().request_timeout_ms));
      self->read_rest();
    });
  }
  void read_rest() {
    http::async_read(stream_, buffer_, *parser_,
                     [self = shared_from_this()](Code error, std::size_t) {
                       if (error) return self->refuse(error);
                       self->dispatch();
                     });
  }

  void dispatch();

  // The bytes are no request that we serve: say so if the client can still hear, and hang up.
  void refuse(Code error) {
    if (error == http::error::end_of_stream || error == asio::error::operation_aborted ||
        error == asio::error::connection_reset || error == asio::error::broken_pipe ||
        error == beast::error::timeout)  // Beast has closed the socket then
      return close();
    ++core_->malformed;
    keep_alive_ = false;
    if (error == http::error::body_limit)
      return send(problem(413, "too-large",
                          "The body is larger than " + std::to_string(limits().body_bytes) +
                              " bytes. Send it in several calls."));
    if (error == http::error::header_limit)
      return send(problem(431, "headers-too-large", "The request's headers are too large."));
    send(problem(400, "malformed", "This is not an HTTP request: " + error.message() + "."));
  }

  // A client that is still sending would get a reset instead of the answer: read on for a moment.
  void drain_and_close() {
    Code ignored;
    stream_.socket().shutdown(Local::socket::shutdown_send, ignored);
    parser_.reset();
    drained_ = 0;
    stream_.expires_after(kDrainTimeout);
    buffer_ = beast::flat_buffer();
    drain();
  }
  void drain() {
    stream_.async_read_some(buffer_.prepare(64 << 10),
                            [self = shared_from_this()](Code error, std::size_t count) {
                              self->drained_ += count;
                              if (error || self->drained_ > kDrainBytesMax) return self->close();
                              self->drain();
                            });
  }

  std::shared_ptr<Core> core_;
  LocalStream stream_;
  std::list<Connection*>::iterator place_;
  beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::string_body>> parser_;
  std::optional<http::response<http::string_body>> response_;
  std::function<void()> on_gone_;
  std::size_t drained_ = 0;
  unsigned version_ = 11;
  bool keep_alive_ = false;
  bool idle_ = false;
};

// Chunks wait here until the socket takes them.
class Stream final : public ResponseStream, public std::enable_shared_from_this<Stream> {
 public:
  Stream(std::shared_ptr<Connection> connection)
      : io_(connection->io()),
        connection_(std::move(connection)),
        backlog_max_(connection_->limits().stream_backlog_bytes),
        chunked_(connection_->chunked()) {}
  ~Stream() override = default;

  void start(HttpResponse head) {
    writing_ = true;
    connection_->watch([weak = weak_from_this()] {
      if (auto self = weak.lock()) self->gone();
    });
    connection_->send_head(head,
                           [self = shared_from_this()](bool ok) { self->written(ok, 0, false); });
  }

  bool write(std::string chunk) override {
    if (chunk.empty()) return open();
    {
      std::lock_guard lock(mutex_);
      if (!open_ || finished_) return false;
      waiting_ += chunk.size();
      if (waiting_ > backlog_max_) {
        open_ = false;
        asio::post(io_, [self = shared_from_this()] { self->cut(); });
        return false;
      }
      chunks_.push_back(std::move(chunk));
    }
    asio::post(io_, [self = shared_from_this()] { self->pump(); });
    return true;
  }
  bool wait_below(std::size_t bytes, std::int64_t timeout_ms) override {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, Milliseconds(timeout_ms), [&] {
      return !open_ || waiting_ < bytes;
    }) && open_;
  }
  bool open() const override {
    std::lock_guard lock(mutex_);
    return open_;
  }
  void finish() override {
    {
      std::lock_guard lock(mutex_);
      if (finished_) return;
      finished_ = true;
    }
    asio::post(io_, [self = shared_from_this()] { self->pump(); });
  }
  void abort() override {
    {
      std::lock_guard lock(mutex_);
      if (finished_) return;
      finished_ = true;
      open_ = false;
    }
    asio::post(io_, [self = shared_from_this()] { self->cut(); });
  }

 private:
  // The server's thread from here on.
  void pump() {
    if (writing_ || !connection_) return;
    auto out = std::make_shared<std::string>();
    std::size_t taken = 0;
    bool last = false;
    {
      std::lock_guard lock(mutex_);
      if (!open_) return;
      while (!chunks_.empty() && out->size() < (256 << 10)) {
        append(*out, chunks_.front());
        taken += chunks_.front().size();
        chunks_.pop_front();
      }
      last = finished_ && chunks_.empty();
    }
    if (last && chunked_) out->append("0\r\n\r\n");
    if (out->empty()) {
      if (last) end();
      return;
    }
    writing_ = true;
    connection_->write_raw(std::move(out), [self = shared_from_this(), taken, last](bool ok) {
      self->written(ok, taken, last);
    });
  }
  void append(std::string& out, const std::string& chunk) const {
    if (!chunked_) {
      out.append(chunk);
      return;
    }
    static constexpr char kHex[] = "0123456789abcdef";
    std::string size;
    for (std::size_t rest = chunk.size(); rest != 0; rest >>= 4) size.insert(0, 1, kHex[rest & 15]);
    out.append(size).append("\r\n").append(chunk).append("\r\n");
  }
  void written(bool ok, std::size_t taken, bool last) {
    writing_ = false;
    {
      std::lock_guard lock(mutex_);
      waiting_ -= taken;
      if (!ok) open_ = false;
    }
    changed_.notify_all();
    if (!ok) {
      connection_.reset();
      return;
    }
    if (last) return end();
    pump();
  }
  void end() {
    auto connection = std::move(connection_);
    connection_ = nullptr;
    {
      std::lock_guard lock(mutex_);
      open_ = false;
    }
    changed_.notify_all();
    if (connection) connection->after_stream();
  }
  void cut() {
    if (auto connection = std::exchange(connection_, nullptr)) connection->close();
    changed_.notify_all();
  }
  void gone() {
    {
      std::lock_guard lock(mutex_);
      open_ = false;
    }
    connection_.reset();
    changed_.notify_all();
  }

  asio::io_context& io_;
  std::shared_ptr<Connection> connection_;  // the server's thread only
  const std::size_t backlog_max_;
  const bool chunked_;
  bool writing_ = false;      // the server's thread only
  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  std::deque<std::string> chunks_;
  std::size_t waiting_ = 0;
  bool open_ = true, finished_ = false;
};

// Ends the stream when its producer lets go of it without finish().
struct StreamHandle final : ResponseStream {
  explicit StreamHandle(std::shared_ptr<Stream> the_stream) : stream(std::move(the_stream)) {}
  ~StreamHandle() override { stream->finish(); }
  bool write(std::string chunk) override { return stream->write(std::move(chunk)); }
  bool wait_below(std::size_t bytes, std::int64_t timeout_ms) override {
    return stream->wait_below(bytes, timeout_ms);
  }
  bool open() const override { return stream->open(); }
  void finish() override { stream->finish(); }
  void abort() override { stream->abort(); }
  std::shared_ptr<Stream> stream;
};

class Sink final : public ResponseSink {
 public:
  explicit Sink(std::shared_ptr<Connection> connection)
      : io_(connection->io()), connection_(std::move(connection)) {}
  ~Sink() override {
    if (connection_) send(problem(500, "internal", "The request was dropped. Please report this."));
  }
  void send(HttpResponse response) override {
    auto connection = take();
    if (!connection) return;
    asio::post(io_, [connection = std::move(connection), answer = std::move(response)]() mutable {
      connection->send(std::move(answer));
    });
  }
  std::shared_ptr<ResponseStream> stream(HttpResponse head) override {
    auto connection = take();
    if (!connection) return nullptr;
    auto stream = std::make_shared<Stream>(std::move(connection));
    asio::post(io_,
               [stream, answer = std::move(head)]() mutable { stream->start(std::move(answer)); });
    return std::make_shared<StreamHandle>(std::move(stream));
  }

 private:
  std::shared_ptr<Connection> take() {
    std::lock_guard lock(mutex_);
    return std::exchange(connection_, nullptr);
  }
  asio::io_context& io_;
  std::mutex mutex_;
  std::shared_ptr<Connection> connection_;
};

void Connection::dispatch() {
  stream_.expires_never();
  ++core_->requests;
  auto& message = parser_->get();
  HttpRequest request;
  request.method = method_of(message.method());
  request.target.assign(message.target().data(), message.target().size());
  request.app = text_of(message.base(), "X-Kartei-App");
  request.last_event_id = text_of(message.base(), "Last-Event-ID");
  const std::string authorization = text_of(message.base(), "Authorization");
  if (authorization.starts_with("Bearer ")) request.bearer = authorization.substr(7);
  request.body = std::move(message.body());
  parser_.reset();
  core_->handler(std::move(request), Responder(std::make_shared<Sink>(shared_from_this())));
}

class BeastServer final : public HttpServer {
 public:
  BeastServer(asio::io_context& io, int fd, HttpLimits limits, HttpHandler handler)
      : core_(std::make_shared<Core>(io, limits, std::move(handler))),
        acceptor_(io, Local(), fd),
        pause_(io) {
    accept();
  }
  void close() override {
    core_->closing = true;
    Code ignored;
    acceptor_.close(ignored);
    pause_.cancel();
    std::vector<std::shared_ptr<Connection>> idle;
    for (Connection* connection : core_->open)
      if (connection->idle()) idle.push_back(connection->shared_from_this());
    for (const auto& connection : idle) connection->close();
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
    if (core_->open.size() >= core_->limits.connections && !evict_idle()) {
      ++core_->refused;
      return say_busy(socket);
    }
    ++core_->accepted;
    std::make_shared<Connection>(core_, std::move(socket))->wait_request();
  }
  bool evict_idle() {
    for (Connection* connection : core_->open) {
      if (!connection->idle()) continue;
      connection->shared_from_this()->close();
      return true;
    }
    return false;
  }
  static void say_busy(Local::socket& socket) {
    const std::string body =
        problem(503, "busy", "Too many connections are busy. Try again in a second.").body;
    const std::string text =
        "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/problem+json\r\n"
        "Retry-After: 1\r\nConnection: close\r\nContent-Length: " +
        std::to_string(body.size()) + "\r\n\r\n" + body;
    (void)::send(socket.native_handle(), text.data(), text.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  }

  std::shared_ptr<Core> core_;
  Local::acceptor acceptor_;
  asio::steady_timer pause_;
};

}  // namespace

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
