#include "sync/network_watch.h"

#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>

namespace kartei::sync {

namespace asio = boost::asio;
using boost::system::error_code;

struct NetworkWatch::Impl : std::enable_shared_from_this<NetworkWatch::Impl> {
  Impl(const asio::any_io_executor& net, std::function<void()> call)
      : descriptor(net), timer(net), changed(std::move(call)) {}

  void open() {
    const int fd = ::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
    if (fd < 0) return;
    sockaddr_nl address{};
    address.nl_family = AF_NETLINK;
    address.nl_groups = RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR;
    if (::bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
      ::close(fd);
      return;
    }
    error_code ec;
    descriptor.assign(fd, ec);
    read();
  }

  void read() {
    descriptor.async_read_some(asio::buffer(buffer),
                               [self = shared_from_this()](error_code ec, std::size_t) {
                                 // More news than the socket holds is news as well.
                                 if (ec && ec != boost::system::errc::no_buffer_space) return;
                                 self->settle();
                                 self->read();
                               });
  }

  void settle() {
    if (waiting) return;
    waiting = true;
    timer.expires_after(std::chrono::seconds(1));
    timer.async_wait([self = shared_from_this()](error_code ec) {
      self->waiting = false;
      if (!ec && self->changed) self->changed();
    });
  }

  asio::posix::stream_descriptor descriptor;
  asio::steady_timer timer;
  std::function<void()> changed;
  std::array<char, 8192> buffer{};
  bool waiting = false;
};

NetworkWatch::NetworkWatch(asio::any_io_executor net, std::function<void()> changed)
    : impl_(std::make_shared<Impl>(net, std::move(changed))) {
  impl_->open();
}

NetworkWatch::~NetworkWatch() {
  error_code ignored;
  impl_->changed = nullptr;
  impl_->timer.cancel();
  impl_->descriptor.close(ignored);
}

}  // namespace kartei::sync
