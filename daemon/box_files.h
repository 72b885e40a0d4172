// What lies in a box's folder: whether there is a box, and how a new one comes about, whole or not
// at all.
//
// Threads: the writer thread, or a program without a daemon. Failure: a folder that holds a part of
// a box only is refused with what is missing and what to do; nothing in it is touched.
#pragma once

#include <filesystem>
#include <string>

#include "crypto/random.h"
#include "crypto/result.h"
#include "crypto/secret.h"
#include "sync/engine.h"

namespace kartei::daemon {

inline constexpr const char* kBoxFile = "box.kartei";
inline constexpr const char* kIdentityFile = "identity";
inline constexpr const char* kSealedIdentityFile = "identity.sealed";  // on its way into its place
inline constexpr const char* kPlainIdentityFile = "identity.plain";    // to be overwritten
inline constexpr const char* kSyncFile = "sync";
inline constexpr const char* kDamagedLog = "box.kartei-wal.damaged";  // kept for its owner

// True: a box. False: nothing of one, or no folder. Else which file is missing or empty.
Result<bool> box_is_there(const std::filesystem::path& folder);
// Makes identity and box beside the folder and puts them in its place in one step: whoever is cut
// off in between leaves nothing that counts. Null key: in the clear (tests).
struct NewBox {
  std::filesystem::path folder;
  std::string device_name;
  const crypto::Secret* data_key = nullptr;
};
Status make_box(const NewBox& box, crypto::Random& random, sync::Now now);
std::string damaged_log_text(const std::filesystem::path& folder);
// What make_box() has left of a try that was cut off.
bool is_unfinished_box(const std::string& folder_name);

}  // namespace kartei::daemon
