#include "sync/link_connection.h"

#include <boost/asio/buffer.hpp>
#include <boost/asio/write.hpp>

namespace kartei::sync {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

namespace {

constexpr std::size_t kStrangerInputBytes = 512;
constexpr std::size_t kMemberInputBytes = 64 << 10;
constexpr std::size_t kBufferKept = 256 << 10;  // an idle link holds no more after a burst

}  // namespace

LinkConnection::LinkConnection(tcp::socket socket, LinkSession session, LinkHost& host,
                               const LinkLimits& limits)
    : socket_(std::move(socket)),
      timer_(socket_.get_executor()),
      session_(std::move(session)),
      host_(&host),
      limits_(limits),
      heard_(std::chrono::steady_clock::now()),
      input_(kStrangerInputBytes) {}

void LinkConnection::start(ByteView first) {
  error_code ignored;  // a socket that takes no options still works
  socket_.set_option(tcp::no_delay(true), ignored);
  socket_.set_option(asio::socket_base::keep_alive(true), ignored);
  arm(limits_.handshake_timeout);
  if (!first.empty()) take(first);
  flush();
  read();
}

void LinkConnection::arm(std::chrono::milliseconds timeout) {
  timer_.expires_after(timeout);
  timer_.async_wait([self = shared_from_this()](error_code ec) {
    if (ec) return;
    // While we do not read, silence is ours.
    const bool probed = std::exchange(self->probing_, false);
    if (probed && self->inbox_->paused) return;
    self->closed({LinkEnd::kTimeout, 0, {}});
    self->shut();
  });
}

void LinkConnection::read() {
  if (reading_ || !socket_.is_open()) return;
  if (inbox_->bytes > limits_.inbox_max_bytes) {
    inbox_->paused = true;
    // The owner may have emptied it before it could see that we wait.
    if (inbox_->bytes > limits_.inbox_max_bytes / 2) return;
    inbox_->paused = false;
  }
  reading_ = true;
  socket_.async_read_some(asio::buffer(input_),
                          [self = shared_from_this()](error_code ec, std::size_t size) {
                            self->reading_ = false;
                            if (ec) {
                              self->dispatch(self->session_.end());
                              self->shut();
                              return;
                            }
                            self->take(ByteView(self->input_).first(size));
                            self->flush();
                            self->read();
                          });
}

void LinkConnection::resume() {
  if (inbox_->paused.exchange(false)) read();
}

void LinkConnection::take(ByteView bytes) {
  heard_ = std::chrono::steady_clock::now();
  if (std::exchange(probing_, false)) timer_.cancel();
  if (!session_.closed()) dispatch(session_.receive(bytes));
}

void LinkConnection::dispatch(std::vector<LinkEvent> events) {
  for (auto& event : events) {
    if (host_ == nullptr) return;  // the host closed us in answer to the event before
    if (auto* ready = std::get_if<LinkReady>(&event)) {
      peer_ = *ready;
      timer_.cancel();
      input_.resize(kMemberInputBytes);
      host_->on_ready(*this, peer_);
    } else if (auto* message = std::get_if<LinkMessage>(&event)) {
      host_->on_message(*this, std::move(message->message));
    } else {
      closed(std::get<LinkClosed>(std::move(event)));
      leave();
    }
  }
}

void LinkConnection::closed(LinkClosed how) {
  if (auto* host = std::exchange(host_, nullptr)) host->on_closed(*this, how);
}

void LinkConnection::send(ByteView message) {
  if (host_ == nullptr || !session_.ready()) return;
  if (session_.send(message).has_error()) return;
  flush();
  if (queue_.size() + writing_.size() <= limits_.queue_max_bytes) return;
  closed({LinkEnd::kOverrun, 0, {}});
  shut();
}

void LinkConnection::probe(std::chrono::milliseconds idle) {
  if (probing_ || host_ == nullptr || !session_.ready() || inbox_->paused) return;
  if (std::chrono::steady_clock::now() - heard_ < idle) return;
  probing_ = true;
  arm(limits_.answer_timeout);
  session_.ping();
  flush();
}

bool LinkConnection::reaches(const asio::ip::address& address) const {
  error_code ec;
  const auto remote = socket_.remote_endpoint(ec);
  return !ec && remote.address() == address;
}

void LinkConnection::close(LinkEnd reason, std::uint8_t level) {
  host_ = nullptr;
  session_.close(reason, level);
  leave();
}

// Last words go out if there are any; strangers get none, so none of them holds a socket.
void LinkConnection::leave() {
  shutting_ = true;
  probing_ = false;
  const Bytes output = session_.take_output();
  queue_.insert(queue_.end(), output.begin(), output.end());
  if (queue_.empty() && writing_.empty()) return shut();
  arm(limits_.linger);
  flush();
}

void LinkConnection::flush() {
  const Bytes output = session_.take_output();
  queue_.insert(queue_.end(), output.begin(), output.end());
  if (!writing_.empty() || !socket_.is_open()) return;
  if (queue_.empty()) {
    // Our last words are out: the peer reads them, then closes. Closing at once could reset the
    // connection before they are read.
    error_code ec;
    if (shutting_) socket_.shutdown(tcp::socket::shutdown_send, ec);
    if (ec) shut();
    return;
  }
  writing_.swap(queue_);
  asio::async_write(socket_, asio::buffer(writing_),
                    [self = shared_from_this()](error_code ec, std::size_t) {
                      self->writing_.clear();
                      if (self->writing_.capacity() > kBufferKept) self->writing_ = {};
                      if (ec) {
                        self->dispatch(self->session_.end());
                        self->shut();
                        return;
                      }
                      self->flush();
                    });
}

void LinkConnection::shut() {
  error_code ignored;
  timer_.cancel();
  socket_.close(ignored);
}

}  // namespace kartei::sync
