#include "daemon/identity_file.h"

#include <system_error>

#include "crypto/file_error.h"
#include "crypto/hash.h"
#include "crypto/private_file.h"
#include "daemon/box_files.h"

namespace kartei::daemon {
namespace {

namespace fs = std::filesystem;

fs::path identity_file(const IdentityPlace& place) {
  return place.folder / kIdentityFile;
}

crypto::Secret identity_key(const crypto::Secret& data_key) {
  return crypto::derive_key(data_key, "kartei identity file key v1", {});
}

// Opened again before the old one goes.
Status seal_in_place(const IdentityPlace& place, const crypto::Identity& identity,
                     crypto::Random& random) {
  const fs::path file = identity_file(place), fresh = place.folder / kSealedIdentityFile,
                 old = place.folder / kPlainIdentityFile;
  const crypto::Secret key = identity_key(*place.data_key);
  KARTEI_TRY(identity.save_sealed(fresh, key, place.box, random));
  KARTEI_ASSIGN(const auto again, crypto::Identity::load_sealed(fresh, key, place.box));
  if (again.pub() != identity.pub())
    return Error{Cause::kInternal, "The sealed identity is another one", {}};
  // A second name keeps the old file reachable until it has been overwritten.
  std::error_code error;
  fs::create_hard_link(file, old, error);
  KARTEI_TRY(crypto::sync_folder(place.folder));
  fs::rename(fresh, file, error);
  if (error) return crypto::file_error("replacing", file, error);
  return crypto::sync_folder(place.folder);
}

}  // namespace

Status save_identity(const IdentityPlace& place, const crypto::Identity& identity,
                     crypto::Random& random) {
  if (place.data_key == nullptr) return identity.save(identity_file(place));
  return identity.save_sealed(identity_file(place), identity_key(*place.data_key), place.box,
                              random);
}

Result<crypto::Identity> load_identity(const IdentityPlace& place) {
  if (place.data_key == nullptr) return crypto::Identity::load(identity_file(place));
  auto sealed =
      crypto::Identity::load_sealed(identity_file(place), identity_key(*place.data_key), place.box);
  if (sealed || sealed.error().cause != Cause::kConflict) return sealed;
  return crypto::Identity::load(identity_file(place));
}

Result<crypto::Identity> load_and_seal_identity(const IdentityPlace& place,
                                                crypto::Random& random) {
  if (place.data_key == nullptr) return load_identity(place);
  const crypto::Secret key = identity_key(*place.data_key);
  auto sealed = crypto::Identity::load_sealed(identity_file(place), key, place.box);
  if (!sealed && sealed.error().cause != Cause::kConflict) return sealed;
  if (!sealed) {
    KARTEI_ASSIGN(const auto plain, crypto::Identity::load(identity_file(place)));
    // Perhaps a second name of the file that is still in use: only the name goes then.
    KARTEI_TRY(crypto::shred_file(place.folder / kPlainIdentityFile));
    KARTEI_TRY(seal_in_place(place, plain, random));
    sealed = plain.copy();
  }
  KARTEI_TRY(crypto::shred_file(place.folder / kPlainIdentityFile));
  return sealed;
}

}  // namespace kartei::daemon
