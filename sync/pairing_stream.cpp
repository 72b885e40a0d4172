#include "sync/pairing_stream.h"

#include <boost/asio/buffer.hpp>
#include <boost/asio/write.hpp>

namespace kartei::sync {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

namespace {

constexpr std::size_t kInputBytes = 4096;
constexpr std::chrono::milliseconds kLinger{2'000};

}  // namespace

std::int64_t pairing_clock_ms() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

PairingStream::PairingStream(tcp::socket socket, std::unique_ptr<PairingSession> session)
    : socket_(std::move(socket)),
      timer_(socket_.get_executor()),
      session_(std::move(session)),
      input_(kInputBytes) {}

void PairingStream::start(std::chrono::milliseconds timeout) {
  error_code ignored;  // a socket that takes no options still works
  socket_.set_option(tcp::no_delay(true), ignored);
  socket_.set_option(asio::socket_base::keep_alive(true), ignored);
  expect(timeout);
  flush();
  read();
}

void PairingStream::expect(std::chrono::milliseconds timeout) {
  silence_ = {};
  timer_.expires_after(timeout);
  timer_.async_wait([self = shared_from_this()](error_code ec) {
    if (ec) return;
    self->dispatch({PairingFailed{PairingFailure::kTimeout, {}}});
    self->shut();
  });
}

void PairingStream::expect_bytes(std::chrono::milliseconds silence) {
  expect(silence);
  silence_ = silence;
}

void PairingStream::read() {
  if (!socket_.is_open()) return;
  socket_.async_read_some(asio::buffer(input_), [self = shared_from_this()](error_code ec,
                                                                            std::size_t size) {
    if (ec) {
      self->dispatch(self->session_->end());
      self->shut();
      return;
    }
    // Once closed, what the session borrows may be gone.
    if (self->closing_) return self->read();
    if (self->silence_.count() > 0) self->expect_bytes(self->silence_);
    self->dispatch(self->session_->receive(ByteView(self->input_).first(size), pairing_clock_ms()));
    self->flush();
    self->read();
  });
}

void PairingStream::dispatch(std::vector<PairingEvent> events) {
  for (auto& event : events) {
    const OnEvent call = on_event_;
    if (call) call(std::move(event));
  }
}

void PairingStream::flush() {
  const Bytes output = session_->take_output();
  queue_.insert(queue_.end(), output.begin(), output.end());
  write();
}

void PairingStream::write() {
  if (!writing_.empty() || !socket_.is_open()) return;
  if (queue_.empty()) {
    error_code ec;
    if (closing_) socket_.shutdown(tcp::socket::shutdown_send, ec);
    if (ec) shut();
    return;
  }
  writing_.swap(queue_);
  asio::async_write(socket_, asio::buffer(writing_),
                    [self = shared_from_this()](error_code ec, std::size_t) {
                      self->writing_.clear();
                      if (ec) {
                        self->dispatch(self->session_->end());
                        return self->shut();
                      }
                      self->write();
                    });
}

void PairingStream::close() {
  on_event_ = nullptr;
  closing_ = true;
  expect(kLinger);
  flush();
}

void PairingStream::shut() {
  error_code ignored;
  timer_.cancel();
  socket_.close(ignored);
}

}  // namespace kartei::sync
