#include "daemon/api/http_stream.h"

#include <boost/asio/post.hpp>
#include <deque>
#include <mutex>

#include "daemon/api/problem.h"

namespace kartei::daemon::api {
namespace {

namespace asio = boost::asio;

constexpr std::size_t kWriteBytes = 256 << 10;

// Chunks wait here until the socket takes them.
class Stream final : public ResponseStream,
                     public CutOff,
                     public std::enable_shared_from_this<Stream> {
 public:
  explicit Stream(std::shared_ptr<HttpConnection> connection)
      : io_(connection->core().io),
        connection_(std::move(connection)),
        backlog_max_(connection_->core().limits.stream_backlog_bytes),
        chunked_(connection_->chunked()) {}
  ~Stream() override = default;

  // May come after what other threads post meanwhile: the server's own thread keeps what it posts
  // to itself until its handler returns.
  void start(HttpResponse head) {
    if (!connection_) return;  // cut off before it began
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
      if (waiting_ > backlog_max_) {  // one chunk, however large, may come on top
        open_ = false;
        asio::post(io_, [self = shared_from_this()] { self->cut(); });
        return false;
      }
      waiting_ += chunk.size();
      chunks_.push_back(std::move(chunk));
    }
    asio::post(io_, [self = shared_from_this()] { self->pump(); });
    return true;
  }
  void when_below(std::size_t bytes, std::function<void(bool)> then) override {
    bool is_open = false;
    {
      std::lock_guard lock(mutex_);
      is_open = open_;
      if (open_ && waiting_ >= bytes) {
        below_ = bytes;
        then_ = std::move(then);
        return;
      }
    }
    then(is_open);
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
      if (!open_) return;
      finished_ = true;
      open_ = false;
    }
    asio::post(io_, [self = shared_from_this()] { self->cut(); });
  }
  void cut_off() override {
    {
      std::lock_guard lock(mutex_);
      open_ = false;
    }
    cut();
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
      while (!chunks_.empty() && out->size() < kWriteBytes) {
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
    if (!ok) connection_.reset();
    tell();
    if (!ok) return;
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
    tell();
    if (connection) connection->after_stream();
  }
  void cut() {
    if (auto connection = std::exchange(connection_, nullptr)) connection->close();
    tell();
  }
  void gone() {
    {
      std::lock_guard lock(mutex_);
      open_ = false;
    }
    connection_.reset();
    tell();
  }
  // The producer that waits for the client, if it waited long enough.
  void tell() {
    std::function<void(bool)> then;
    bool is_open = false;
    {
      std::lock_guard lock(mutex_);
      is_open = open_;
      if (!then_ || (open_ && waiting_ >= below_)) return;
      then = std::exchange(then_, nullptr);
    }
    then(is_open);
  }

  asio::io_context& io_;
  std::shared_ptr<HttpConnection> connection_;  // the server's thread only
  const std::size_t backlog_max_;
  const bool chunked_;
  bool writing_ = true;       // the head goes first; the server's thread only
  mutable std::mutex mutex_;  // guards what follows
  std::deque<std::string> chunks_;
  std::size_t waiting_ = 0, below_ = 0;
  std::function<void(bool)> then_;
  bool open_ = true, finished_ = false;
};

// Ends the stream when its producer lets go of it without finish().
struct StreamHandle final : ResponseStream {
  explicit StreamHandle(std::shared_ptr<Stream> the_stream) : stream(std::move(the_stream)) {}
  ~StreamHandle() override { stream->finish(); }
  bool write(std::string chunk) override { return stream->write(std::move(chunk)); }
  void when_below(std::size_t bytes, std::function<void(bool)> then) override {
    stream->when_below(bytes, std::move(then));
  }
  bool open() const override { return stream->open(); }
  void finish() override { stream->finish(); }
  void abort() override { stream->abort(); }
  std::shared_ptr<Stream> stream;
};

class Sink final : public ResponseSink {
 public:
  explicit Sink(std::shared_ptr<HttpConnection> connection)
      : io_(connection->core().io), connection_(std::move(connection)) {}
  ~Sink() override {
    if (connection_) send(problem(500, "internal", "The request was dropped. Please report this."));
  }
  void send(HttpResponse response) override {
    auto connection = take();
    if (!connection) return;
    HttpConnection& its = *connection;
    its.send(std::move(connection), std::move(response));
  }
  std::shared_ptr<ResponseStream> stream(HttpResponse head) override {
    auto connection = take();
    if (!connection) return nullptr;
    if (connection->head_only()) {
      asio::post(io_, [connection, answer = std::move(head)] {
        connection->send_head(answer, [connection](bool ok) {
          if (ok) connection->after_stream();
        });
      });
      return nullptr;
    }
    HttpCore& core = connection->core();
    auto stream = std::make_shared<Stream>(std::move(connection));
    core.add_stream(stream);
    asio::post(io_,
               [stream, answer = std::move(head)]() mutable { stream->start(std::move(answer)); });
    return std::make_shared<StreamHandle>(std::move(stream));
  }

 private:
  std::shared_ptr<HttpConnection> take() {
    std::lock_guard lock(mutex_);
    return std::exchange(connection_, nullptr);
  }
  asio::io_context& io_;
  std::mutex mutex_;
  std::shared_ptr<HttpConnection> connection_;
};

}  // namespace

std::shared_ptr<ResponseSink> make_sink(std::shared_ptr<HttpConnection> connection) {
  return std::make_shared<Sink>(std::move(connection));
}

}  // namespace kartei::daemon::api
