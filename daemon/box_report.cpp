#include "daemon/box_report.h"

#include <algorithm>
#include <system_error>

#include "daemon/box_files.h"
#include "daemon/box_host.h"
#include "daemon/identity_file.h"
#include "store/check.h"
#include "store/log_check.h"
#include "store/salvage.h"

namespace kartei::daemon {
namespace {

namespace fs = std::filesystem;

void look_at_log_files(const fs::path& folder, std::vector<std::string>& problems) {
  std::error_code error;
  if (fs::exists(folder / kDamagedLog, error)) problems.push_back(damaged_log_text(folder));
  const auto log = store::look_at_log(folder / kBoxFile, store::boot_time());
  if (!log) return problems.push_back(log.error().what);
  const std::string pages = std::to_string(log->lost_pages) + " pages";
  if (log->state == store::LogState::kGone)
    problems.push_back("The write-ahead log is gone, with " + pages +
                       " that stand nowhere else: put " + std::string(kBoxFile) + "-wal back");
  if (log->state == store::LogState::kDamaged)
    problems.push_back("The write-ahead log is damaged: " + pages + " of it cannot be read");
}

void advise(const std::string& name, bool encrypted, std::vector<std::string>& problems) {
  const std::string salvage =
      encrypted ? "save what can be read (kartei doctor --salvage FILE --box " + name + "), " : "";
  problems.push_back(
      "What to do: keep a copy of the box's folder, then put a backup in its place; "
      "or " +
      salvage + "empty it (kartei empty --box " + name + " --confirm " + name +
      "), and join again from another device or import an export");
}

template <class Findings>
bool add(const Findings& found, std::vector<std::string>& problems) {
  if (!found) problems.push_back(found.error().what);
  if (found) problems.insert(problems.end(), found->begin(), found->end());
  return found && found->empty();
}

}  // namespace

std::vector<std::string> box_names(const fs::path& home) {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(home / "boxes", error)) {
    const std::string name = entry.path().filename();
    if (!name.starts_with('.') && entry.is_directory(error)) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

BoxReport look_at_box(const fs::path& home, const std::string& name,
                      const crypto::Secret* data_key) {
  const fs::path folder = home / "boxes" / name;
  BoxReport report{name, folder / kBoxFile, {}};
  const auto there = box_is_there(folder);
  if (!there) {
    report.problems.push_back(there.error().what);
    return report;
  }
  if (!*there) return report;
  const auto plain = store::is_in_the_clear(report.file);
  if (!plain) {
    report.problems.push_back(plain.error().what);
    return report;
  }
  if (!*plain && data_key == nullptr) {
    report.closed = true;
    report.problems.push_back("It is encrypted, and its key is not at hand");
    return report;
  }
  const auto identity = load_identity({folder, name, data_key});
  if (!identity) report.problems.push_back(identity.error().what);
  if (*plain) look_at_log_files(folder, report.problems);
  if (!*plain) {
    const auto damage = store::describe_damage(report.file, *data_key);
    if (!add(damage, report.problems)) {
      if (damage) advise(name, true, report.problems);
      return report;
    }
  }
  const auto found = store::check_box_file(report.file, *plain ? nullptr : data_key);
  const bool in_use = !found && found.error().cause == Cause::kConflict;
  if (!add(found, report.problems) && !in_use) advise(name, !*plain, report.problems);
  return report;
}

BoxReport look_at_open_box(BoxHost& host) {
  BoxReport report{host.name(), host.box_file(), {}};
  std::error_code error;
  if (fs::exists(host.folder() / kDamagedLog, error))
    report.problems.push_back(damaged_log_text(host.folder()));
  const bool file = add(host.box().check(), report.problems);
  const bool words = file && add(host.box().check_words(), report.problems);
  const bool feeds = file && add(host.engine().check(), report.problems);
  const bool encrypted = host.place().vault != nullptr;
  if (!file || !words || !feeds) advise(host.name(), encrypted, report.problems);
  return report;
}

}  // namespace kartei::daemon
