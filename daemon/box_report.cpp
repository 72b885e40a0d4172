#include "daemon/box_report.h"

#include <algorithm>
#include <system_error>

#include "crypto/identity.h"
#include "daemon/box_files.h"
#include "daemon/box_host.h"
#include "store/check.h"
#include "store/log_check.h"

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

void advise(const std::string& name, std::vector<std::string>& problems) {
  problems.push_back(
      "What to do: keep a copy of the box's folder, then put a backup in its place; "
      "or empty it (kartei empty --box " +
      name + " --confirm " + name + "), and join again from another device or import an export");
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

BoxReport look_at_box(const fs::path& home, const std::string& name) {
  const fs::path folder = home / "boxes" / name;
  BoxReport report{name, folder / kBoxFile, {}};
  const auto there = box_is_there(folder);
  if (!there) {
    report.problems.push_back(there.error().what);
    return report;
  }
  if (!*there) return report;
  const auto identity = crypto::Identity::load(folder / kIdentityFile);
  if (!identity) report.problems.push_back(identity.error().what);
  look_at_log_files(folder, report.problems);
  if (!add(store::check_box_file(report.file), report.problems)) advise(name, report.problems);
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
  if (!file || !words || !feeds) advise(host.name(), report.problems);
  return report;
}

}  // namespace kartei::daemon
