#include "tests/simulation/disk.h"

#include "tests/simulation/trace.h"

namespace kartei::sim {

namespace {
Bytes image_of(store::Box& box) {
  auto image = box.image();
  if (image.has_error()) throw Violation{"no image of a box: " + image.error().what};
  return std::move(*image);
}
}  // namespace

void Disk::attach(store::Box& box) {
  plan_.reset();
  box_ = &box;
  box.observe_commits([this](bool synced) { committed(synced); });
}

void Disk::plan_cut(std::uint64_t commits, bool keep_unsynced) {
  plan_ = Plan{commits, keep_unsynced, std::nullopt, false};
  if (!box_->sync_owed()) plan_->image = image_of(*box_);
}

std::optional<Bytes> Disk::remains() {
  if (!plan_) return std::nullopt;
  if (plan_->left > 0 && plan_->keep_unsynced) {
    plan_->image = image_of(*box_);
    plan_->unsynced = false;
  }
  return plan_->image;
}

void Disk::committed(bool synced) {
  // After the cut nothing reaches the disk, whatever the engine still believes.
  if (!plan_ || plan_->left == 0) return;
  if (synced) {
    plan_->image = image_of(*box_);
    plan_->unsynced = false;
  } else {
    plan_->unsynced = true;
  }
  if (!plan_->image) return;  // counts from the first sync on
  if (--plan_->left > 0 || synced || !plan_->keep_unsynced) return;
  plan_->image = image_of(*box_);
  plan_->unsynced = false;
}

}  // namespace kartei::sim
