// Errors of the file system, with the cause that tells a program what to do. Pure.
#pragma once

#include <filesystem>
#include <system_error>

#include "crypto/result.h"

namespace kartei::crypto {

// Of an errno: kFull, kReadOnly, kForbidden, kNotFound, else kIo.
Cause cause_of_errno(int code);

// "writing FILE: No space left on device", in words that go on from what the caller says.
Error file_error(const char* doing, const std::filesystem::path& file, int code);
inline Error file_error(const char* doing, const std::filesystem::path& file,
                        const std::error_code& error) {
  return file_error(doing, file, error.value());
}

}  // namespace kartei::crypto
