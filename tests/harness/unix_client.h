// A blocking HTTP/1.1 client over a Unix socket, no more than what the measuring tools need: one
// connection kept alive, answers with Content-Length or chunks. One thread.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "crypto/result.h"

namespace kartei::harness {

struct HttpAnswer {
  int status = 0;
  std::string body;
};

class UnixClient {
 public:
  explicit UnixClient(std::filesystem::path socket) : path_(std::move(socket)) {}
  UnixClient(UnixClient&& other) noexcept;
  ~UnixClient();
  // Connects where needed, once more when a kept-alive connection turned out to be gone. Answers of
  // any status are values; errors are those of the socket.
  Result<HttpAnswer> call(std::string_view method, std::string_view target,
                          std::string_view body = {});

 private:
  Status connect();
  void close();
  Result<HttpAnswer> exchange(const std::string& request);
  Status fill();

  std::filesystem::path path_;
  int fd_ = -1;
  std::string in_;
};

}  // namespace kartei::harness
