#include "daemon/cli/salvage.h"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <cerrno>
#include <filesystem>
#include <ostream>

#include "daemon/box_files.h"
#include "daemon/cli/fresh_file.h"
#include "daemon/cli/key_at_hand.h"
#include "store/salvage.h"

namespace kartei::daemon::cli {
namespace {

namespace json = boost::json;

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
  // What one salvage has saved, another one must not replace with less.
  std::error_code error;
  if (std::filesystem::exists(std::filesystem::symlink_status(file, error)))
    return Error{Cause::kConflict, file + " is there already; name another file.", {}};
  KARTEI_ASSIGN(FreshFile out, FreshFile::beside(file));
  bool written = true;
  const auto salvaged =
      store::salvage_box(paths.home / "boxes" / box / kBoxFile, key, [&](std::string_view line) {
        written = out.put(line) && out.put("\n");
        return written;
      });
  if (!written) return cannot_write(file, errno);
  if (!salvaged && salvaged.error().cause == Cause::kConflict)
    return Error{Cause::kConflict, salvaged.error().what + ": stop karteid first", {}};
  if (!salvaged) return salvaged.error();
  KARTEI_TRY(out.keep());
  tell(context, *salvaged, file, box);
  return {};
}

}  // namespace kartei::daemon::cli
