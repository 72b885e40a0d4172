#include "daemon/hosts.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <system_error>

#include "daemon/api/local_socket.h"
#include "daemon/box_files.h"
#include "daemon/small_file.h"

namespace kartei::daemon {

namespace {

constexpr const char* kEmptiedSuffix = ".emptied";

// What to do, where the cause says it.
Error with_advice(Error error) {
  switch (error.cause) {
    case Cause::kCorrupt:
      error.what +=
          ". Keep a copy of the file if it was damaged, see `kartei doctor`, then join again "
          "from another device, or import an export.";
      break;
    case Cause::kFull:
      error.what += ". Free some space and start again.";
      break;
    case Cause::kReadOnly:
      error.what += ". The home is read-only: make it writable.";
      break;
    default:
      break;
  }
  return error;
}

}  // namespace

Status Hosts::check_name(const std::string& name) {
  const bool fits =
      !name.empty() && name.size() <= 64 && !name.starts_with('.') &&
      std::all_of(name.begin(), name.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
      });
  if (fits) return {};
  return bad_input(
      "A box's name has 1 to 64 of the characters a-z, 0-9, '.', '_' and '-', and no '.' first.",
      "box");
}

std::shared_ptr<BoxHost> Hosts::find(const std::string& name) {
  std::lock_guard lock(mutex_);
  const auto found = open_.find(name);
  if (found == open_.end()) return nullptr;
  found->second.used = ++uses_;
  return found->second.host;
}

bool Hosts::with(const std::string& name,
                 std::function<void(Result<std::shared_ptr<BoxHost>>)> use) {
  return services_.writer.post([this, name, use = std::move(use)] { use(open(name)); });
}

Status Hosts::make_room() {
  std::shared_ptr<BoxHost> oldest;
  {
    std::lock_guard lock(mutex_);
    if (open_.size() < services_.config.get()->boxes) return {};
    auto best = open_.end();
    for (auto it = open_.begin(); it != open_.end(); ++it) {
      if (it->second.host.use_count() > 1 || it->second.host->busy()) continue;
      if (best == open_.end() || it->second.used < best->second.used) best = it;
    }
    if (best == open_.end())
      return Error{Cause::kUnavailable,
                   "Too many boxes are in use at once. Try again, or allow more (`boxes`).",
                   {}};
    oldest = std::move(best->second.host);
    open_.erase(best);
  }
  oldest->close();
  return {};
}

Result<std::shared_ptr<BoxHost>> Hosts::open(const std::string& name) {
  KARTEI_TRY(check_name(name));
  KARTEI_TRY(check_unlocked());
  if (auto there = find(name)) return there;
  if (const auto whole = box_is_there(folder_of(name)); !whole) {
    spdlog::error("box {}: {}", name, whole.error().what);
    return whole.error();
  }
  KARTEI_TRY(make_room());
  KARTEI_TRY(api::make_private_folder(home_ / "boxes"));
  auto host = BoxHost::open(name, folder_of(name), services_);
  if (!host) {
    Error error = with_advice(host.error());
    error.what = "Box " + name + ": " + error.what;
    spdlog::error("{}", error.what);
    return error;
  }
  std::lock_guard lock(mutex_);
  open_[name] = {*host, ++uses_};
  return *host;
}

// What a crash left of boxes that were being emptied or made.
void Hosts::remove_leftovers() {
  std::error_code error;
  std::vector<std::filesystem::path> doomed;
  for (const auto& entry : std::filesystem::directory_iterator(home_ / "boxes", error)) {
    const std::string name = entry.path().filename();
    const bool emptied = name.starts_with('.') && name.ends_with(kEmptiedSuffix);
    if (emptied || is_unfinished_box(name)) doomed.push_back(entry.path());
  }
  for (const auto& folder : doomed) {
    std::filesystem::remove_all(folder, error);
    if (error) spdlog::error("{} could not be removed: {}", folder.string(), error.message());
  }
}

Status Hosts::open_at_start() {
  remove_leftovers();
  KARTEI_TRY(open(kDefaultBox));
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(home_ / "boxes", error)) {
    const std::string name = entry.path().filename();
    KARTEI_ASSIGN(const std::string mode, read_small_file(entry.path() / kSyncFile));
    if (mode != "direct" || name == kDefaultBox || !check_name(name)) continue;
    // One that does not open says so in the log, to whoever asks for it, and to the doctor.
    (void)open(name);
  }
  return {};
}

Status Hosts::empty(const std::string& name) {
  KARTEI_TRY(check_name(name));
  KARTEI_TRY(check_unlocked());
  std::error_code error;
  // One that does not open can be emptied, too: how else would it be made anew?
  const bool there = std::filesystem::exists(folder_of(name), error);
  if (error)
    return Error{Cause::kIo, folder_of(name).string() + " cannot be read: " + error.message(), {}};
  if (!there) return {};
  const auto host = open(name);
  if (host) (*host)->close();
  {
    std::lock_guard lock(mutex_);
    open_.erase(name);
    if (host) closed_.push_back((*host)->alive());  // an export may still hold it
  }
  // Renamed first: a crash in between must not leave half a box under its name.
  const auto doomed = home_ / "boxes" / ("." + name + kEmptiedSuffix);
  std::filesystem::remove_all(doomed, error);
  std::filesystem::rename(folder_of(name), doomed, error);
  if (!error) std::filesystem::remove_all(doomed, error);
  if (error) return Error{Cause::kIo, "The box could not be removed: " + error.message() + ".", {}};
  return {};
}

std::vector<BoxReport> Hosts::look_at_others(const std::string& name) {
  std::vector<BoxReport> reports;
  for (const std::string& other : box_names(home_)) {
    if (other == name || !check_name(other)) continue;
    if (const auto host = find(other)) {
      reports.push_back(look_at_open_box(*host));
      continue;
    }
    reports.push_back(look_at_box(home_, other, services_.data_key));
    if (!reports.back().problems.empty()) continue;
    // Its files are sound; what they hold may still not be what a box must hold.
    const auto opened = open(other);
    if (!opened && opened.error().cause != Cause::kUnavailable)
      reports.back().problems.push_back(opened.error().what);
  }
  return reports;
}

void Hosts::close_all() {
  std::map<std::string, Open> all;
  {
    std::lock_guard lock(mutex_);
    all.swap(open_);
  }
  for (auto& [name, open] : all) open.host->close();
  std::lock_guard lock(mutex_);
  std::erase_if(closed_, [](const auto& host) { return host.expired(); });
  for (auto& [name, open] : all) closed_.push_back(open.host->alive());
}

void Hosts::lock(Error why) {
  {
    std::lock_guard lock(mutex_);
    locked_ = std::move(why);
  }
  close_all();
}

void Hosts::unlock() {
  std::lock_guard lock(mutex_);
  locked_.reset();
}

bool Hosts::all_gone() const {
  std::lock_guard lock(mutex_);
  return std::all_of(closed_.begin(), closed_.end(),
                     [](const auto& host) { return host.expired(); });
}

Status Hosts::check_unlocked() {
  std::lock_guard lock(mutex_);
  return locked_ ? Status(*locked_) : Status();
}

void Hosts::for_each(const std::function<void(BoxHost&)>& use) {
  std::vector<std::shared_ptr<BoxHost>> all;
  {
    std::lock_guard lock(mutex_);
    for (const auto& [name, open] : open_) all.push_back(open.host);
  }
  for (const auto& host : all) use(*host);
}

}  // namespace kartei::daemon
