#include "daemon/vitals.h"

#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>
#include <system_error>
#include <thread>

namespace kartei::daemon {
namespace {

std::string first_word(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::string word;
  in >> word;
  return word;
}

double number_or(const std::string& text, double otherwise) {
  std::istringstream in(text);
  double value = 0;
  return in >> value ? value : otherwise;
}

std::uint32_t memory_free_mb(const std::filesystem::path& root) {
  std::ifstream in(root / "proc/meminfo");
  std::string name, unit;
  std::uint64_t kib = 0;
  while (in >> name >> kib) {
    std::getline(in, unit);
    if (name == "MemAvailable:") return static_cast<std::uint32_t>(kib >> 10);
  }
  return 0;
}

// On mains unless a battery says that it is being drained.
void read_power(const std::filesystem::path& root, election::Vitals& vitals) {
  std::error_code error;
  std::filesystem::directory_iterator supplies(root / "sys/class/power_supply", error), end;
  for (; !error && supplies != end; supplies.increment(error)) {
    const auto folder = supplies->path();
    if (first_word(folder / "type") != "Battery" || first_word(folder / "scope") == "Device")
      continue;
    vitals.battery = std::clamp(number_or(first_word(folder / "capacity"), 100) / 100, 0.0, 1.0);
    if (first_word(folder / "status") == "Discharging") vitals.power = election::Power::kBattery;
  }
}

}  // namespace

election::Vitals read_vitals(const std::filesystem::path& root, const std::filesystem::path& home,
                             election::Kind kind) {
  election::Vitals vitals;
  vitals.kind = kind;
  read_power(root, vitals);
  vitals.cores = std::max(1U, std::thread::hardware_concurrency());
  vitals.load = number_or(first_word(root / "proc/loadavg"), 0) / vitals.cores;
  vitals.memory_free_mb = memory_free_mb(root);
  struct statvfs disk {};
  if (::statvfs(home.c_str(), &disk) == 0)
    vitals.storage_free_mb = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(disk.f_bavail * disk.f_frsize >> 20, 0xffffffffU));
  return vitals;
}

std::uint64_t resident_kib() {
  std::ifstream in("/proc/self/statm");
  std::uint64_t size = 0, resident = 0;
  if (!(in >> size >> resident)) return 0;
  return resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)) >> 10;
}

}  // namespace kartei::daemon
