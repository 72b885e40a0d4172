// The only file that knows Beast (beside beast_src.cpp, which compiles it). Callbacks, not
// coroutines: GCC 12 miscompiles temporaries in awaited calls.
#include "daemon/api/http_connection.h"

#include <sys/socket.h>

#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/basic_stream.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/read_size.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <cstring>
#include <optional>

#include "daemon/api/http_stream.h"
#include "daemon/api/problem.h"
#include "daemon/event_loop.h"

namespace kartei::daemon::api {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using Local = asio::local::stream_protocol;
using LocalStream = beast::basic_stream<Local>;
using Code = boost::system::error_code;
using Milliseconds = std::chrono::milliseconds;

// What is not read yet of a header, a chunk's head or a trailer must fit into the buffer whole.
constexpr std::size_t kReadBytes = 64 << 10;
constexpr std::size_t kDrainBytesMax = 16 << 20;
constexpr Milliseconds kDrainTimeout{2000};

Method method_of(http::verb verb) {
  switch (verb) {
    case http::verb::get:
    case http::verb::head:
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

// Calls with a passphrase or a key in their body.
bool holds_secret(std::string_view target) {
  return target.starts_with("/v1/unlock") || target.starts_with("/v1/keyring") ||
         target.starts_with("/v1/secretary/keys");
}

// More than two passphrases take, each letter as \uXXXX: such a body is not moved while it grows.
constexpr std::size_t kSecretBodyBytes = 17 << 10;

struct Refusal {
  int status;
  std::string detail;
};

// A body that is framed otherwise than we read it would be taken for the next request.
std::optional<Refusal> wrong_framing(const http::fields& fields, unsigned version) {
  const auto [first, last] = fields.equal_range(http::field::transfer_encoding);
  if (first == last) return std::nullopt;
  if (version < 11) return Refusal{400, "HTTP/1.0 knows no Transfer-Encoding."};
  if (std::next(first) == last && beast::iequals(first->value(), "chunked")) return std::nullopt;
  return Refusal{501, "The only Transfer-Encoding known here is `chunked`, once and by itself."};
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
    forget_half_read();
    leave();
  }

  std::shared_ptr<HttpConnection> self() override { return shared_from_this(); }
  HttpCore& core() override { return *core_; }
  Phase phase() const override { return phase_; }
  std::int64_t phase_since_ms() const override { return phase_since_ms_; }
  std::optional<std::int64_t> unread_since_ms() const override { return unread_since_ms_; }

  void wait_request() override {
    if (core_->closing) return close();
    parser_.reset();
    if (buffer_.size() > 0) return read_header();
    empty_buffer();  // an idle client costs none
    enter(Phase::kIdle);
    stream_.expires_never();
    stream_.socket().async_wait(Local::socket::wait_read, [self = shared_from_this()](Code error) {
      if (error) return self->close();
      self->read_header();
    });
  }

  void close() override {
    forget_half_read();
    leave();
    Code ignored;
    stream_.socket().shutdown(Local::socket::shutdown_both, ignored);
    stream_.socket().close(ignored);
    if (on_gone_) std::exchange(on_gone_, nullptr)();
  }

  void turn_away() override {
    const std::string text = busy_text();
    if (phase_ == Phase::kHeader || phase_ == Phase::kBody)
      (void)::send(stream_.socket().native_handle(), text.data(), text.size(),
                   MSG_DONTWAIT | MSG_NOSIGNAL);
    close();
  }

  // Waking the loop costs the client more than the writing: as far as the socket takes it, the
  // answer is written here and now, and the loop does the rest. Nobody else touches a connection
  // whose request is being served.
  void send(std::shared_ptr<HttpConnection> self, HttpResponse answer) override {
    const bool keep = keep_alive_ && !core_->closing;
    auto text = std::make_shared<std::string>(head_of(answer, keep, answer.body.size()));
    if (!head_only_) text->append(answer.body);
    const ssize_t sent = ::send(stream_.socket().native_handle(), text->data(), text->size(),
                                MSG_DONTWAIT | MSG_NOSIGNAL);
    asio::post(core_->io, [own = std::static_pointer_cast<BeastConnection>(std::move(self)),
                           text = std::move(text), keep,
                           sent = sent > 0 ? static_cast<std::size_t>(sent) : 0] {
      if (sent == text->size()) return own->sent(keep);
      text->erase(0, sent);
      own->write_raw(text, [own, keep](bool written) {
        if (written) own->sent(keep);
      });
    });
  }

  void send_head(const HttpResponse& head, std::function<void(bool)> then) override {
    const bool keep = chunked() && keep_alive_ && !core_->closing;
    write_raw(std::make_shared<std::string>(head_of(head, keep, std::nullopt)), std::move(then));
  }
  void write_raw(std::shared_ptr<std::string> text, std::function<void(bool)> then) override {
    begin_write();
    const asio::const_buffer bytes = asio::buffer(*text);
    asio::async_write(stream_, bytes,
                      [self = shared_from_this(), text = std::move(text), then = std::move(then)](
                          Code error, std::size_t) {
                        self->end_write();
                        if (error) self->close();
                        then(!error);
                      });
  }
  bool chunked() const override { return version_ >= 11; }
  bool head_only() const override { return head_only_; }

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

  // `length`: of the body; none where it comes in chunks, or ends with the connection.
  std::string head_of(const HttpResponse& from, bool keep,
                      std::optional<std::size_t> length) const {
    const auto status = static_cast<unsigned>(from.status);
    const auto reason = http::obsolete_reason(http::int_to_status(status));
    std::string head = version_ < 11 ? "HTTP/1.0 " : "HTTP/1.1 ";
    head += std::to_string(status) + " ";
    head.append(reason.data(), reason.size()).append("\r\n");
    const auto field = [&head](std::string_view name, std::string_view value) {
      head.append(name).append(": ").append(value).append("\r\n");
    };
    if (!from.content_type.empty()) field("Content-Type", from.content_type);
    field("Cache-Control", "no-store");
    for (const auto& [name, value] : from.headers) field(name, value);
    if (keep && version_ < 11) field("Connection", "keep-alive");
    if (!keep && version_ >= 11) field("Connection", "close");
    if (length)
      field("Content-Length", std::to_string(*length));
    else if (chunked())
      field("Transfer-Encoding", "chunked");
    return head += "\r\n";
  }

  void leave() {
    if (!std::exchange(listed_, false)) return;
    core_->open.erase(place_);
    --core_->connections_now;
  }
  void enter(Phase phase) {
    phase_ = phase;
    phase_since_ms_ = steady_ms();
  }
  void begin_write() {
    unread_since_ms_ = steady_ms();
    stream_.expires_after(Milliseconds(limits().write_timeout_ms));
  }
  void end_write() {
    unread_since_ms_.reset();
    stream_.expires_never();
  }
  void sent(bool keep) {
    if (keep) return wait_request();
    drain_and_close();
  }
  // Of what was read and taken; what waits moves to the front.
  void wipe_buffer() {
    const auto room = buffer_.prepare(buffer_.capacity() - buffer_.size());
    ::explicit_bzero(room.data(), room.size());
  }
  // A request that never came to its handler.
  void forget_half_read() {
    if (!request_.secret) return;
    if (parser_) {
      std::string& body = parser_->get().body();
      ::explicit_bzero(body.data(), body.size());
    }
    const auto waiting = buffer_.data();
    ::explicit_bzero(waiting.data(), waiting.size());
    wipe_buffer();
  }
  void empty_buffer() { buffer_ = beast::flat_buffer(limits().header_bytes + kReadBytes); }

  void read_header() {
    enter(Phase::kHeader);
    parser_.emplace();
    parser_->body_limit(limits().body_bytes);
    parser_->header_limit(limits().header_bytes);
    stream_.expires_after(Milliseconds(limits().header_timeout_ms));
    http::async_read_header(stream_, buffer_, *parser_,
                            [self = shared_from_this()](Code error, std::size_t) {
                              if (error) return self->refuse(error);
                              self->take_header();
                            });
  }

  // Of the header alone: what stands in a trailer says nothing about the request.
  void take_header() {
    const auto& head = parser_->get();
    version_ = head.version();
    keep_alive_ = head.keep_alive();
    head_only_ = head.method() == http::verb::head;
    request_ = HttpRequest{};
    request_.method = method_of(head.method());
    request_.target.assign(head.target().data(), head.target().size());
    request_.secret = holds_secret(request_.target);
    if (request_.secret) parser_->get().body().reserve(kSecretBodyBytes);
    request_.app = text_of(head.base(), "X-Kartei-App");
    request_.last_event_id = text_of(head.base(), "Last-Event-ID");
    const std::string authorization = text_of(head.base(), "Authorization");
    if (authorization.starts_with("Bearer ")) request_.bearer = authorization.substr(7);
    if (const auto refusal = wrong_framing(head.base(), version_))
      return refuse(refusal->status, refusal->status == 501 ? "not-built" : "malformed",
                    refusal->detail);
    enter(Phase::kBody);
    stream_.expires_after(Milliseconds(limits().request_timeout_ms));
    read_body();
  }

  void read_body() {
    parser_->eager(true);
    body_read_ = 0;
    if (parser_->is_done()) return dispatch();
    if (!beast::iequals(parser_->get()[http::field::expect], "100-continue") || buffer_.size() > 0)
      return parse_body();
    auto text = std::make_shared<std::string>("HTTP/1.1 100 Continue\r\n\r\n");
    write_raw(std::move(text), [self = shared_from_this()](bool written) {
      if (!written) return;
      self->stream_.expires_after(Milliseconds(self->limits().request_timeout_ms));
      self->parse_body();
    });
  }
  // By hand, since Beast's reading goes on as long as there is no end: what frames the body counts,
  // too, or chunks of nothing but extensions would be taken without one.
  void parse_body() {
    Code error;
    const std::size_t used = parser_->put(buffer_.data(), error);
    buffer_.consume(used);
    body_read_ += used;
    if (error == http::error::need_more) error = {};
    if (error) return refuse(error);
    if (body_read_ > limits().body_bytes + limits().header_bytes)
      return refuse(http::error::body_limit);
    if (parser_->is_done()) return dispatch();
    const std::size_t room = beast::read_size(buffer_, kReadBytes);
    if (room == 0) return refuse(http::error::buffer_overflow);
    stream_.async_read_some(buffer_.prepare(room),
                            [self = shared_from_this()](Code failed, std::size_t count) {
                              if (failed) return self->close();
                              self->buffer_.commit(count);
                              self->parse_body();
                            });
  }

  void dispatch() {
    stream_.expires_never();
    enter(Phase::kServed);
    ++core_->requests;
    request_.body = std::move(parser_->get().body());
    parser_.reset();
    if (request_.secret) wipe_buffer();
    core_->handler(std::move(request_), Responder(make_sink(shared_from_this())));
  }

  // The bytes are no request that we serve: say so if the client can still hear, and hang up.
  void refuse(Code error) {
    if (error == http::error::end_of_stream || error == asio::error::operation_aborted ||
        error == asio::error::connection_reset || error == asio::error::broken_pipe ||
        error == beast::error::timeout)  // Beast has closed the socket then
      return close();
    head_only_ = parser_->get().method() == http::verb::head;
    if (error == http::error::body_limit || error == http::error::buffer_overflow)
      return refuse(413, "too-large",
                    "The body is larger than " + std::to_string(limits().body_bytes) +
                        " bytes, what frames its chunks counted. Send it in several calls.");
    if (error == http::error::header_limit)
      return refuse(431, "headers-too-large",
                    "The request's headers are larger than " +
                        std::to_string(limits().header_bytes) +
                        " bytes. Send fewer or shorter ones.");
    refuse(400, "malformed", "This is not an HTTP request: " + error.message() + ".");
  }
  void refuse(int status, std::string_view kind, const std::string& detail) {
    ++core_->malformed;
    keep_alive_ = false;
    enter(Phase::kServed);
    send(self(), problem(status, kind, detail));
  }

  // A client that is still sending would get a reset instead of the answer: read on for a moment.
  void drain_and_close() {
    Code ignored;
    stream_.socket().shutdown(Local::socket::shutdown_send, ignored);
    forget_half_read();
    parser_.reset();
    drained_ = 0;
    stream_.expires_after(kDrainTimeout);
    empty_buffer();
    enter(Phase::kIdle);  // its place may go to a new client
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
  HttpRequest request_;  // while its body is read
  std::function<void()> on_gone_;
  std::size_t drained_ = 0, body_read_ = 0;
  Phase phase_ = Phase::kIdle;
  std::int64_t phase_since_ms_ = steady_ms();
  std::optional<std::int64_t> unread_since_ms_;
  unsigned version_ = 11;
  bool listed_ = true;
  bool keep_alive_ = false;
  bool head_only_ = false;
};

}  // namespace

void HttpCore::add_stream(std::weak_ptr<CutOff> stream) {
  std::lock_guard lock(mutex_);
  std::erase_if(streams_, [](const auto& one) { return one.expired(); });
  streams_.push_back(std::move(stream));
}

void HttpCore::cut_streams() {
  std::vector<std::weak_ptr<CutOff>> all;
  {
    std::lock_guard lock(mutex_);
    all.swap(streams_);
  }
  for (const auto& one : all)
    if (const auto stream = one.lock()) stream->cut_off();
}

std::shared_ptr<HttpConnection> HttpConnection::make(std::shared_ptr<HttpCore> core, int fd) {
  return std::make_shared<BeastConnection>(std::move(core), fd);
}

}  // namespace kartei::daemon::api
