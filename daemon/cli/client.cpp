#include "daemon/cli/client.h"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <utility>

#include "daemon/api/local_socket.h"

namespace kartei::daemon::cli {
namespace {

constexpr std::size_t kLineMax = 64 << 10;
constexpr std::size_t kHeadBytes = 256;  // of a request, without its target

Error broken(const char* what) {
  return {Cause::kIo, std::string("karteid's answer broke off: ") + what + ".", {}};
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

}  // namespace

std::string percent_encode(std::string_view text) {
  static constexpr char kHex[] = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '-' || c == '_' || c == '.' || c == '~';
    if (plain)
      out.push_back(c);
    else
      out.append({'%', kHex[byte >> 4], kHex[byte & 15]});
  }
  return out;
}

Result<Client> Client::connect(const std::filesystem::path& socket) {
  auto fd = api::connect_local(socket);
  if (!fd) {
    Error error = fd.error();
    if (error.cause == Cause::kNotFound || error.cause == Cause::kUnavailable)
      error.what += " Start it: karteid &";
    return error;
  }
  return Client(*fd);
}

Client::Client(Client&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)), buffer_(std::move(other.buffer_)) {}
Client::~Client() {
  if (fd_ >= 0) ::close(fd_);
}

Status Client::send_all(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return broken(std::strerror(errno));
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return {};
}

Result<bool> Client::fill() {
  char bytes[16384];
  ssize_t got = -1;
  do got = ::recv(fd_, bytes, sizeof bytes, 0);
  while (got < 0 && errno == EINTR);
  if (got < 0) return broken(std::strerror(errno));
  buffer_.append(bytes, static_cast<std::size_t>(got));
  return got > 0;
}

Result<std::string> Client::read_line() {
  for (;;) {
    const std::size_t end = buffer_.find("\r\n");
    if (end != std::string::npos) {
      std::string line = buffer_.substr(0, end);
      buffer_.erase(0, end + 2);
      return line;
    }
    if (buffer_.size() > kLineMax) return broken("a line is too long");
    KARTEI_ASSIGN(const bool more, fill());
    if (!more) return broken("it ended early");
  }
}

Status Client::read_exactly(std::size_t size, const std::function<bool(std::string_view)>& take) {
  while (size > 0) {
    if (buffer_.empty()) {
      KARTEI_ASSIGN(const bool more, fill());
      if (!more) return broken("it ended early");
    }
    const std::size_t part = std::min(size, buffer_.size());
    if (!take(std::string_view(buffer_).substr(0, part)))
      return Error{Cause::kIo, "The output cannot be written.", {}};
    buffer_.erase(0, part);
    size -= part;
  }
  return {};
}

Result<Answer> Client::read_answer(const std::function<bool(std::string_view)>& sink) {
  Answer answer;
  KARTEI_ASSIGN(const std::string first, read_line());
  if (!first.starts_with("HTTP/1.1 ") || first.size() < 12) return broken("it is no HTTP");
  std::from_chars(first.data() + 9, first.data() + 12, answer.status);
  std::size_t length = 0;
  bool chunked = false;
  for (;;) {
    KARTEI_ASSIGN(const std::string line, read_line());
    if (line.empty()) break;
    const std::string header = lower(line);
    if (header.starts_with("content-length: "))
      std::from_chars(header.data() + 16, header.data() + header.size(), length);
    if (header.starts_with("transfer-encoding: chunked")) chunked = true;
  }
  const bool good = answer.status < 400;
  const auto take = [&](std::string_view part) {
    if (good && sink) return sink(part);
    answer.body.append(part);
    return true;
  };
  while (chunked) {
    KARTEI_ASSIGN(const std::string line, read_line());
    std::from_chars(line.data(), line.data() + line.size(), length, 16);
    KARTEI_TRY(read_exactly(length, take));
    KARTEI_TRY(read_line());
    if (length == 0) return answer;
  }
  KARTEI_TRY(read_exactly(length, take));
  return answer;
}

Result<Answer> Client::call(std::string_view method, std::string_view target, std::string_view body,
                            const std::function<bool(std::string_view)>& sink) {
  std::string head;
  head.reserve(kHeadBytes + target.size() + body.size());
  head.append(method);
  head.append(" ").append(target).append(" HTTP/1.1\r\nHost: kartei\r\nX-Kartei-App: kartei\r\n");
  if (!body.empty()) head += "Content-Type: application/json\r\n";
  head += "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n";
  head.append(body);
  const Status sent = send_all(head);
  ::explicit_bzero(head.data(), head.size());  // it may hold a passphrase
  KARTEI_TRY(sent);
  return read_answer(sink);
}

}  // namespace kartei::daemon::cli
