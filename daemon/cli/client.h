// A small blocking HTTP client for karteid's socket. One connection, one request at a time.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "crypto/result.h"

namespace kartei::daemon::cli {

struct Answer {
  int status = 0;
  std::string body;  // empty where a sink took it
};

class Client {
 public:
  static Result<Client> connect(const std::filesystem::path& socket);
  Client(Client&& other) noexcept;
  Client& operator=(Client&&) = delete;
  ~Client();

  // `sink`, where given, gets the body of a good answer bit by bit. An error is one of the
  // connection; what the daemon refuses is an answer with its status.
  Result<Answer> call(std::string_view method, std::string_view target, std::string_view body = {},
                      const std::function<bool(std::string_view)>& sink = {});

 private:
  explicit Client(int fd) : fd_(fd) {}
  Status send_all(std::string_view bytes);
  Result<bool> fill();  // false: the end
  Result<std::string> read_line();
  Status read_exactly(std::size_t size, const std::function<bool(std::string_view)>& take);
  Result<Answer> read_answer(const std::function<bool(std::string_view)>& sink);

  int fd_;
  std::string buffer_;
};

std::string percent_encode(std::string_view text);

}  // namespace kartei::daemon::cli
