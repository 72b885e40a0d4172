#include "tests/harness/unix_client.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>

namespace kartei::harness {

namespace {

constexpr std::size_t kAnswerMax = 256 << 20;

Error io_error(const char* what) {
  return {Cause::kIo, std::string(what) + ": " + std::strerror(errno), {}};
}

// The value of a header, or empty. `head` is lower-cased.
std::string_view header(std::string_view head, std::string_view name) {
  const auto at = head.find("\r\n" + std::string(name) + ":");
  if (at == std::string_view::npos) return {};
  auto value = head.substr(at + name.size() + 3);
  value = value.substr(0, value.find("\r\n"));
  while (!value.empty() && value.front() == ' ') value.remove_prefix(1);
  return value;
}

std::size_t number(std::string_view text, int base) {
  std::size_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value, base);
  return value;
}

}  // namespace

UnixClient::UnixClient(UnixClient&& other) noexcept
    : path_(std::move(other.path_)), fd_(std::exchange(other.fd_, -1)), in_(std::move(other.in_)) {}

UnixClient::~UnixClient() {
  close();
}

void UnixClient::close() {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
  in_.clear();
}

Status UnixClient::connect() {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path_.native().size() >= sizeof address.sun_path)
    return bad_input("the socket's path is too long");
  std::memcpy(address.sun_path, path_.c_str(), path_.native().size() + 1);
  fd_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd_ < 0) return io_error("socket");
  if (::connect(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    const Error error = io_error("connect");
    close();
    return error;
  }
  return {};
}

Status UnixClient::fill() {
  char buffer[65536];
  const auto got = ::recv(fd_, buffer, sizeof buffer, 0);
  if (got < 0) return io_error("recv");
  if (got == 0) return Error{Cause::kIo, "the daemon closed the connection", {}};
  in_.append(buffer, static_cast<std::size_t>(got));
  if (in_.size() > kAnswerMax) return corrupt("the answer is too long");
  return {};
}

Result<HttpAnswer> UnixClient::exchange(const std::string& request) {
  for (std::size_t sent = 0; sent < request.size();) {
    const auto n = ::send(fd_, request.data() + sent, request.size() - sent, MSG_NOSIGNAL);
    if (n < 0) return io_error("send");
    sent += static_cast<std::size_t>(n);
  }
  std::size_t end;
  while ((end = in_.find("\r\n\r\n")) == std::string::npos) KARTEI_TRY(fill());
  std::string head = in_.substr(0, end + 2);
  for (char& c : head) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  in_.erase(0, end + 4);

  HttpAnswer answer;
  answer.status = static_cast<int>(number(std::string_view(head).substr(9, 3), 10));
  if (header(head, "transfer-encoding") == "chunked") {
    for (;;) {
      while ((end = in_.find("\r\n")) == std::string::npos) KARTEI_TRY(fill());
      const std::size_t size = number(in_, 16);
      while (in_.size() < end + 2 + size + 2) KARTEI_TRY(fill());
      answer.body.append(in_, end + 2, size);
      in_.erase(0, end + 2 + size + 2);
      if (size == 0) break;
    }
    return answer;
  }
  const std::size_t length = number(header(head, "content-length"), 10);
  while (in_.size() < length) KARTEI_TRY(fill());
  answer.body = in_.substr(0, length);
  in_.erase(0, length);
  if (header(head, "connection") == "close") close();
  return answer;
}

Result<HttpAnswer> UnixClient::call(std::string_view method, std::string_view target,
                                    std::string_view body) {
  std::string request;
  request.append(method).append(" ").append(target).append(" HTTP/1.1\r\nHost: localhost\r\n");
  request.append("X-Kartei-App: measure\r\n");
  if (!body.empty()) request.append("Content-Type: application/json\r\n");
  request.append("Content-Length: ").append(std::to_string(body.size())).append("\r\n\r\n");
  request.append(body);
  const bool kept_alive = fd_ >= 0;
  if (!kept_alive) KARTEI_TRY(connect());
  auto answer = exchange(request);
  if (answer.has_value()) return answer;
  close();
  if (!kept_alive) return answer;
  KARTEI_TRY(connect());
  return exchange(request);
}

}  // namespace kartei::harness
