#include "daemon/cli/salvage.h"

#include <fcntl.h>
#include <unistd.h>

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <cerrno>
#include <cstring>
#include <ostream>

#include "daemon/box_files.h"
#include "daemon/cli/key_at_hand.h"
#include "store/salvage.h"

namespace kartei::daemon::cli {
namespace {

namespace json = boost::json;

class LineFile {
 public:
  static Result<LineFile> make(const std::string& name) {
    const int fd = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd >= 0) return LineFile(fd);
    return Error{errno == EEXIST ? Cause::kConflict : Cause::kIo,
                 "Cannot make " + name + ": " + std::strerror(errno),
                 {}};
  }
  LineFile(LineFile&& other) noexcept : out_(std::exchange(other.out_, nullptr)) {}
  LineFile& operator=(LineFile&&) = delete;
  ~LineFile() {
    if (out_ != nullptr) std::fclose(out_);
  }
  bool put(std::string_view line) {
    return std::fwrite(line.data(), 1, line.size(), out_) == line.size() &&
           std::fputc('\n', out_) != EOF;
  }
  bool finish() { return std::fflush(out_) == 0 && ::fsync(::fileno(out_)) == 0; }

 private:
  explicit LineFile(int fd) : out_(::fdopen(fd, "wb")) {}
  std::FILE* out_;
};

Error not_written(const std::string& file) {
  return {Cause::kIo, "Cannot write " + file + ": " + std::strerror(errno), {}};
}

void tell(Context& context, const store::Salvaged& salvaged, const std::string& file,
          const std::string& box) {
  if (context.json) {
    context.around.out << json::serialize(json::object{{"turns", salvaged.turns},
                                                       {"cards", salvaged.cards},
                                                       {"gaps", salvaged.gaps}})
                       << '\n';
    return;
  }
  context.around.out << salvaged.turns << " turns and " << salvaged.cards << " cards are in "
                     << file << ", in the clear; " << salvaged.gaps
                     << " places could not be read. The box stays as it is. To go on with what is "
                        "left: kartei empty --box "
                     << box << " --confirm " << box << ", then kartei import --box " << box << ' '
                     << file << '\n';
}

}  // namespace

Status salvage(Context& context, const std::string& file, std::optional<int> fd) {
  KARTEI_ASSIGN(const auto paths, find_paths(context.around.environment));
  KARTEI_ASSIGN(const auto key, key_at_hand(context.around, paths.home, fd));
  const std::string box = context.box.empty() ? "default" : context.box;
  KARTEI_ASSIGN(LineFile out, LineFile::make(file));
  bool written = true;
  auto salvaged =
      store::salvage_box(paths.home / "boxes" / box / kBoxFile, key, [&](std::string_view line) {
        written = out.put(line);
        return written;
      });
  if (salvaged && written) written = out.finish();
  if (salvaged && written) {
    tell(context, *salvaged, file, box);
    return {};
  }
  const Error error = salvaged ? not_written(file) : salvaged.error();
  ::unlink(file.c_str());
  if (error.cause != Cause::kConflict) return error;
  return Error{error.cause, error.what + ": stop karteid first", {}};
}

}  // namespace kartei::daemon::cli
