// The forgetful disk. A power cut leaves what was on disk at the last sync, or a later commit that
// happened to get there. Images are taken only once a cut is planned, since they cost a copy.
#pragma once

#include <cstdint>
#include <optional>

#include "crypto/bytes.h"
#include "store/box.h"

namespace kartei::sim {

class Disk {
 public:
  // Watches this box's commits from now on; forgets a plan made for another.
  void attach(store::Box& box);
  // The power will go at the commits-th commit from now, in the middle of whatever call makes it;
  // with `keep_unsynced` what was committed lazily by then has reached the disk.
  void plan_cut(std::uint64_t commits, bool keep_unsynced);
  bool planned() const { return plan_.has_value(); }
  // The planned commit has come: the call under way was never answered.
  bool power_is_off() const { return plan_ && plan_->left == 0; }
  // What a cut now leaves. Empty: nothing was synced since the plan was made, so it cannot be told;
  // the caller puts the cut off.
  std::optional<Bytes> remains();
  // Whether remains() lacks commits that were made.
  bool loses() const { return plan_ && plan_->unsynced; }
  void forget_plan() { plan_.reset(); }

 private:
  struct Plan {
    std::uint64_t left = 0;
    bool keep_unsynced = false;
    std::optional<Bytes> image;
    bool unsynced = false;
  };
  void committed(bool synced);

  store::Box* box_ = nullptr;
  std::optional<Plan> plan_;
};

}  // namespace kartei::sim
