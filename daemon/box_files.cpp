#include "daemon/box_files.h"

#include <sys/stat.h>

#include <cerrno>
#include <system_error>
#include <vector>

#include "crypto/file_error.h"
#include "crypto/identity.h"
#include "crypto/private_file.h"
#include "daemon/api/local_socket.h"
#include "daemon/identity_file.h"
#include "store/box.h"

namespace kartei::daemon {
namespace {

namespace fs = std::filesystem;

constexpr const char* kUnfinishedSuffix = ".new";

enum class Found { kMissing, kEmpty, kThere };

Result<Found> look_for(const fs::path& file) {
  struct stat info {};
  if (::stat(file.c_str(), &info) == 0) return info.st_size == 0 ? Found::kEmpty : Found::kThere;
  if (errno == ENOENT || errno == ENOTDIR) return Found::kMissing;
  return Error{Cause::kIo,
               "Cannot look at " + file.string() + ": " +
                   std::error_code(errno, std::generic_category()).message() + ".",
               {}};
}

// One sentence about the parts at fault, one about what to do.
Error part_missing(const fs::path& folder, const std::vector<std::string>& faults,
                   const std::vector<std::string>& there) {
  std::string what = "The box in " + folder.string() + " is not whole: ";
  for (std::size_t i = 0; i < faults.size(); ++i) what += (i == 0 ? "" : " and ") + faults[i];
  for (std::size_t i = 0; i < there.size(); ++i) what += (i == 0 ? ", but " : " and ") + there[i];
  if (!there.empty()) what += there.size() == 1 ? " is there" : " are there";
  what +=
      ". Put back what is missing from a backup; or, to start anew, move the folder away, start "
      "again, and join the box from another device or import an export.";
  return corrupt(what);
}

fs::path unfinished(const fs::path& folder) {
  return folder.parent_path() / ("." + folder.filename().string() + kUnfinishedSuffix);
}

// Closed again when this returns, with all in the one file.
Status make_box_in(const fs::path& folder, const NewBox& wanted, crypto::Random& random,
                   sync::Now now) {
  KARTEI_TRY(api::make_private_folder(folder));
  const auto identity = crypto::Identity::generate(random);
  KARTEI_TRY(save_identity({folder, wanted.folder.filename().string(), wanted.data_key}, identity,
                           random));
  KARTEI_ASSIGN(auto box, store::Box::open({folder / kBoxFile, true, wanted.data_key}));
  sync::EngineConfig config;
  config.device_name = wanted.device_name;
  KARTEI_TRY(sync::Engine::open(*box, identity, random, std::move(config), now));
  KARTEI_TRY(box->cut_log());
  box.reset();
  return crypto::sync_folder(folder);
}

}  // namespace

Result<bool> box_is_there(const fs::path& folder) {
  struct Part {
    const char* name;
    bool needed;
  };
  const std::string log = std::string(kBoxFile) + "-wal";
  const Part parts[] = {
      {kIdentityFile, true}, {kBoxFile, true}, {log.c_str(), false}, {kSyncFile, false}};
  std::vector<std::string> faults, there;
  bool anything = false;
  for (const Part& part : parts) {
    KARTEI_ASSIGN(const Found found, look_for(folder / part.name));
    anything = anything || found != Found::kMissing;
    if (found == Found::kThere) there.emplace_back(part.name);
    if (!part.needed || found == Found::kThere) continue;
    faults.push_back(std::string(part.name) +
                     (found == Found::kEmpty ? " is empty" : " is missing"));
  }
  if (!anything) return false;
  if (!faults.empty()) return part_missing(folder, faults, there);
  return true;
}

Status make_box(const NewBox& box, crypto::Random& random, sync::Now now) {
  const fs::path& folder = box.folder;
  const fs::path fresh = unfinished(folder);
  std::error_code error;
  fs::remove_all(fresh, error);
  const auto failed = [&](const char* doing) { return crypto::file_error(doing, folder, error); };
  if (error) return failed("Cannot remove an unfinished box beside");
  Status made = make_box_in(fresh, box, random, now);
  if (made) {
    // An older Kartei that was cut off at its first file.
    fs::remove(folder / (std::string(kIdentityFile) + ".new"), error);
    fs::rename(fresh, folder, error);
    if (!error) return crypto::sync_folder(folder.parent_path());
    made = failed("Cannot make the box's folder (is something else in it?)");
  }
  fs::remove_all(fresh, error);
  return made;
}

std::string damaged_log_text(const fs::path& folder) {
  return "The write-ahead log in " + folder.string() +
         " was damaged: what was said last before that start may be lost. A copy of it is kept "
         "as " +
         kDamagedLog + "; remove that file once nothing is missed";
}

bool is_unfinished_box(const std::string& folder_name) {
  return folder_name.starts_with('.') && folder_name.ends_with(kUnfinishedSuffix);
}

}  // namespace kartei::daemon
