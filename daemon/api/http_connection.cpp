// The only file that knows Beast (beside beast_src.cpp, which compiles it). Callbacks, not
// coroutines: GCC 12 miscompiles temporaries in awaited calls.
#include "daemon/api/http_connection.h"

#include <sys/socket.h>

#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/basic_stream.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>
#include <optional>
#include <sstream>

#include "daemon/api/http_stream.h"
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
class BeastConnection final : public HttpConnection,
                              public std::enable_shared_from_this<BeastConnection> {
 public:
  BeastConnection(std::shared_ptr<HttpCore> core, int fd)
      : core_(std::move(core)), stream_(Local::socket(core_->io, Local(), fd)) {
    place_ = core_->open.insert(core_->open.end(), this);
    ++core_->connections_now;
  }
  ~BeastConnection() override {
    core_->open.erase(place_);
    --core_->connections_now;
  }

  std::shared_ptr<HttpConnection> self() override { return shared_from_this(); }
  HttpCore& core() override { return *core_; }
  bool idle() const override { return idle_; }

  void wait_request() override {
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

  void close() override {
    Code ignored;
    stream_.socket().shutdown(Local::socket::shutdown_both, ignored);
    stream_.socket().close(ignored);
    if (on_gone_) std::exchange(on_gone_, nullptr)();
  }

  void send(HttpResponse answer) override {
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

  void send_head(const HttpResponse& head, std::function<void(bool)> then) override {
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
  void write_raw(std::shared_ptr<std::string> text, std::function<void(bool)> then) override {
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
  bool chunked() const override { return version_ >= 11; }

  // Bytes of a further request end the watch: they are read after the stream.
  void watch(std::function<void()> gone) override {
    on_gone_ = std::move(gone);
    stream_.socket().async_wait(Local::socket::wait_read, [self = shared_from_this()](Code error) {
      if (error || !self->on_gone_) return;
      char byte = 0;
      const ssize_t got =
          ::recv(self->stream_.socket().native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
      if (got == 0) self->close();
    });
  }
  void after_stream() override {
    on_gone_ = nullptr;
    if (chunked() && keep_alive_) return wait_request();
    drain_and_close();
  }

 private:
  const HttpLimits& limits() const { return core_->limits; }

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

  void dispatch() {
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
    core_->handler(std::move(request), Responder(make_sink(shared_from_this())));
  }

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

  std::shared_ptr<HttpCore> core_;
  LocalStream stream_;
  std::list<HttpConnection*>::iterator place_;
  beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::string_body>> parser_;
  std::optional<http::response<http::string_body>> response_;
  std::function<void()> on_gone_;
  std::size_t drained_ = 0;
  unsigned version_ = 11;
  bool keep_alive_ = false;
  bool idle_ = false;
};

}  // namespace

std::shared_ptr<HttpConnection> HttpConnection::make(std::shared_ptr<HttpCore> core, int fd) {
  return std::make_shared<BeastConnection>(std::move(core), fd);
}

}  // namespace kartei::daemon::api
