// The boxes of this device, by name. Each is opened at its first use, made if it is not there, and
// closed again when more are open than the owner allows.
//
// Threads: find() and with() any; the rest the writer thread. Ownership: shares hosts with the
// calls under way.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "daemon/box_host.h"
#include "daemon/box_report.h"

namespace kartei::daemon {

class Hosts {
 public:
  static constexpr const char* kDefaultBox = "default";

  Hosts(std::filesystem::path home, Services& services)
      : home_(std::move(home)), services_(services) {}

  // Only names of letters a to z, digits, '.', '_' and '-', at most 64, and no '.' first: a box
  // that is being emptied lies under such a name.
  static Status check_name(const std::string& name);

  // The box if it is open; the fast way.
  std::shared_ptr<BoxHost> find(const std::string& name);
  // Runs `use` on the writer thread with the box, opened first where needed. False: the writer's
  // queue is full.
  bool with(const std::string& name, std::function<void(Result<std::shared_ptr<BoxHost>>)> use);

  Result<std::shared_ptr<BoxHost>> open(const std::string& name);
  // Opens the default box, which is made if absent, and those that are shared with other devices:
  // of these one that is damaged is left out, and says so when it is asked for.
  Status open_at_start();
  // Takes the box off the disk, for good; also one that does not open.
  Status empty(const std::string& name);
  // For the doctor: all boxes of the home but this one. One that is not open is tried first.
  std::vector<BoxReport> look_at_others(const std::string& name);
  void close_all();
  // Closes all boxes, and opens none until unlock(): whoever asks gets `why`.
  void lock(Error why);
  void unlock();
  // Any thread. False: a call under way still has a box that was closed.
  bool all_gone() const;
  void for_each(const std::function<void(BoxHost&)>& use);

 private:
  struct Open {
    std::shared_ptr<BoxHost> host;
    std::uint64_t used = 0;
  };
  Status make_room();
  Status check_unlocked();
  void remove_leftovers();
  std::filesystem::path folder_of(const std::string& name) const { return home_ / "boxes" / name; }

  const std::filesystem::path home_;
  Services& services_;
  mutable std::mutex mutex_;  // guards what follows
  std::optional<Error> locked_;
  std::vector<std::weak_ptr<const bool>> closed_;
  std::map<std::string, Open> open_;
  std::uint64_t uses_ = 0;
};

}  // namespace kartei::daemon
