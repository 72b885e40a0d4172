// A file's bytes, mapped read-only: pages of it are in memory while they are used.
//
// Any thread. Somebody may cut or overwrite the file meanwhile, which nothing can forbid; then what
// was read is worth nothing. Whoever reads asks is_as_it_was() afterwards. Behind the end of a file
// that was cut lies SIGBUS: where survive_cut_files() was called, zeros are read there instead.
#pragma once

#include <sys/stat.h>

#include <filesystem>
#include <memory>

#include "crypto/bytes.h"
#include "crypto/result.h"

namespace kartei::store {

class MappedFile {
 public:
  // Never waits. Error: kNotFound; kIo, also for what is no file; kCorrupt: empty; kUnavailable:
  // too many at once. It says what is wrong, without the file's name.
  static Result<std::unique_ptr<MappedFile>> map(const std::filesystem::path& file);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  ByteView bytes() const { return {static_cast<const std::uint8_t*>(begin_), size_}; }
  // Gives the memory back; what is read next is read from the file again.
  void drop() const;
  bool is_as_it_was() const;

 private:
  MappedFile(int fd, void* begin, const struct stat& status, std::size_t slot);
  static Result<std::unique_ptr<MappedFile>> map_open(int fd);

  const int fd_;
  void* const begin_;
  const std::size_t size_;
  const struct timespec changed_;
  const std::size_t slot_;  // among those that the handler of SIGBUS knows
};

// Takes over SIGBUS for the whole process, for faults within a MappedFile; any other one ends the
// process as before. Once, at the start of a program.
void survive_cut_files();

}  // namespace kartei::store
