// Deltas come from other devices. Whatever decodes must be sound: it encodes and decodes to itself,
// and a box folds it, takes it back and stands as before.
#include <cstdint>
#include <cstdlib>

#include "store/box.h"
#include "store/delta.h"

namespace {

using kartei::store::Box;

bool folds_and_unfolds(const std::vector<kartei::store::Delta>& deltas) {
  static Box* const box = kartei::store::Box::open({})->release();
  const auto before = box->digest(true);
  auto transaction = box->begin();
  if (transaction.has_error() || before.has_error()) return false;
  if (box->apply_entry(1, deltas).has_error()) return false;
  if (box->undo_to(0).has_error()) return false;
  const auto after = box->digest(true);
  return after.has_value() && *after == *before;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto deltas = kartei::store::decode_deltas({data, size});
  if (deltas.has_error()) return 0;
  const auto again = kartei::store::decode_deltas(kartei::store::encode(*deltas));
  if (again.has_error() || !(*again == *deltas)) std::abort();
  if (!folds_and_unfolds(*deltas)) std::abort();
  return 0;
}
