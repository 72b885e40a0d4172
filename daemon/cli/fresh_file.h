// A file of its owner's words on its way: written under a name that nobody could have prepared,
// which none but the owner reads, and in its place once it is whole and on disk. One thread. What
// is not kept is removed again.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

#include "crypto/result.h"

namespace kartei::daemon::cli {

Error cannot_write(const std::string& file, int code);

class FreshFile {
 public:
  static Result<FreshFile> beside(const std::string& file);
  FreshFile(FreshFile&& other) noexcept;
  FreshFile& operator=(FreshFile&&) = delete;
  ~FreshFile();

  std::FILE* stream() { return out_; }
  bool put(std::string_view part) {
    return std::fwrite(part.data(), 1, part.size(), out_) == part.size();
  }
  // In the place of the file, which it replaces.
  Status keep();

 private:
  FreshFile(std::string file, std::string fresh, std::FILE* out)
      : file_(std::move(file)), fresh_(std::move(fresh)), out_(out) {}

  std::string file_, fresh_;
  std::FILE* out_;
};

}  // namespace kartei::daemon::cli
