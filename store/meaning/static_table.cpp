#include "store/meaning/static_table.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "store/meaning/row_sum.h"

namespace kartei::store {
namespace {

Error about_file(const std::filesystem::path& file, Cause cause, const std::string& what) {
  return {cause,
          "the model file " + file.string() + " cannot be used: " + what +
              "; it comes with Kartei: install it again",
          {}};
}

}  // namespace

// A file's bytes, read-only.
class StaticTable::Mapping {
 public:
  static Result<std::unique_ptr<Mapping>> map(const std::filesystem::path& file) {
    // Without waiting: for a pipe, somebody would have to write into it.
    const int fd = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0) {
      const int error = errno;
      if (error == ENOENT) return about_file(file, Cause::kNotFound, "it is missing");
      return about_file(file, Cause::kIo, std::strerror(error));
    }
    auto mapping = map_open(fd, file);
    if (!mapping) ::close(fd);
    return mapping;
  }
  Mapping(int fd, void* begin, const struct stat& status)
      : fd_(fd),
        begin_(begin),
        size_(static_cast<std::size_t>(status.st_size)),
        changed_(status.st_mtim) {}
  ~Mapping() {
    ::munmap(begin_, size_);
    ::close(fd_);
  }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;

  ByteView bytes() const { return {static_cast<const std::uint8_t*>(begin_), size_}; }
  void drop() const { ::madvise(begin_, size_, MADV_DONTNEED); }
  // Behind the end of a file that was cut lies SIGBUS, and a mixture of two makes wrong vectors.
  bool is_as_it_was() const {
    struct stat status {};
    return ::fstat(fd_, &status) == 0 && status.st_size == static_cast<off_t>(size_) &&
           status.st_mtim.tv_sec == changed_.tv_sec && status.st_mtim.tv_nsec == changed_.tv_nsec;
  }

 private:
  static Result<std::unique_ptr<Mapping>> map_open(int fd, const std::filesystem::path& file) {
    struct stat status {};
    if (::fstat(fd, &status) != 0) return about_file(file, Cause::kIo, std::strerror(errno));
    if (!S_ISREG(status.st_mode)) return about_file(file, Cause::kIo, "it is no file");
    const auto size = static_cast<std::size_t>(status.st_size);
    if (size == 0) return about_file(file, Cause::kCorrupt, "it is empty");
    void* begin = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (begin == MAP_FAILED) return about_file(file, Cause::kIo, std::strerror(errno));
    return std::make_unique<Mapping>(fd, begin, status);
  }

  const int fd_;
  void* const begin_;
  const std::size_t size_;
  const struct timespec changed_;
};

Result<std::unique_ptr<StaticTable>> StaticTable::open(const std::filesystem::path& file,
                                                       TextLimits limits) {
  KARTEI_ASSIGN(auto mapping, Mapping::map(file));
  auto model = PackedModel::parse(mapping->bytes());
  if (model.has_error()) return about_file(file, model.error().cause, model.error().what);
  return std::unique_ptr<StaticTable>(
      new StaticTable(std::move(mapping), *std::move(model), limits, file));
}

StaticTable::StaticTable(std::unique_ptr<Mapping> mapping, PackedModel model, TextLimits limits,
                         std::filesystem::path file)
    : mapping_(std::move(mapping)),
      model_(std::move(model)),
      limits_(limits),
      file_(std::move(file)) {}

StaticTable::~StaticTable() = default;

Result<std::vector<float>> StaticTable::embed(const std::vector<std::string_view>& texts) const {
  if (!mapping_->is_as_it_was())
    return about_file(file_, Cause::kCorrupt, "it was changed while in use");
  std::vector<float> vectors(texts.size() * dims());
  for (std::size_t i = 0; i < texts.size(); ++i) embed_into(texts[i], &vectors[i * dims()]);
  return vectors;
}

void StaticTable::embed_into(std::string_view text, float* out) const {
  Tokenizer tokenizer(model_, limits_);
  sum_rows(model_, tokenizer.pieces(text), out);
}

Status StaticTable::verify() const {
  if (const Status status = model_.verify(); status.has_error()) {
    return about_file(file_, status.error().cause, status.error().what);
  }
  return {};
}

void StaticTable::drop_cache() const {
  mapping_->drop();
}

}  // namespace kartei::store
