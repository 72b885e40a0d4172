#include "store/log_check.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <optional>

#include "crypto/bytes.h"

namespace kartei::store {

namespace {

constexpr std::size_t kLogHeader = 32, kFrameHeader = 24, kIndexHeader = 48;
constexpr std::uint32_t kLogMagic = 0x377f0682;  // its last bit: words of the sums are big-endian

std::uint32_t big_endian(const std::uint8_t* at) {
  return std::uint32_t{at[0]} << 24 | std::uint32_t{at[1]} << 16 | std::uint32_t{at[2]} << 8 |
         at[3];
}
std::uint32_t native(const std::uint8_t* at) {
  std::uint32_t value = 0;
  std::memcpy(&value, at, sizeof value);
  return value;
}

using Sum = std::array<std::uint32_t, 2>;
using Salt = std::array<std::uint8_t, 8>;

Sum sum_at(const std::uint8_t* at) {
  return {big_endian(at), big_endian(at + 4)};
}

// SQLite's running sum over whole pairs of words.
Sum add(Sum sum, ByteView bytes, bool big) {
  for (std::size_t i = 0; i + 8 <= bytes.size(); i += 8) {
    std::uint32_t word[2];
    for (std::size_t k = 0; k < 2; ++k) {
      const std::uint8_t* at = bytes.data() + i + 4 * k;
      word[k] = big ? big_endian(at)
                    : std::uint32_t{at[3]} << 24 | std::uint32_t{at[2]} << 16 |
                          std::uint32_t{at[1]} << 8 | at[0];
    }
    sum[0] += word[0] + sum[1];
    sum[1] += word[1] + sum[0];
  }
  return sum;
}

// What the shared index (box.kartei-shm) says of the log; it goes with the last connection that is
// closed in order, so one that is there tells of a writer that was cut off.
struct Index {
  std::uint32_t frames = 0, folded_in = 0;
  Salt salt{};
};

std::optional<Index> read_index(const std::filesystem::path& file) {
  std::array<std::uint8_t, 2 * kIndexHeader + 4> bytes{};
  std::ifstream in(file, std::ios::binary);
  if (!in.read(reinterpret_cast<char*>(bytes.data()), bytes.size())) return std::nullopt;
  const bool same =
      std::equal(bytes.begin(), bytes.begin() + kIndexHeader, bytes.begin() + kIndexHeader);
  if (!same || bytes[12] == 0) return std::nullopt;
  Index index;
  index.frames = native(&bytes[16]);
  std::copy_n(bytes.begin() + 32, index.salt.size(), index.salt.begin());
  index.folded_in = native(&bytes[2 * kIndexHeader]);
  return index;
}

struct Log {
  bool header_sound = false;
  Salt salt{};
  std::uint32_t sound = 0;        // frames that verify, from the first one
  std::uint32_t sound_later = 0;  // the last commit that verifies after one that does not
};

class LogReader {
 public:
  explicit LogReader(std::ifstream& in) : in_(in) {}

  Log read() {
    Log log;
    std::array<std::uint8_t, kLogHeader> header{};
    if (!in_.read(reinterpret_cast<char*>(header.data()), header.size())) return log;
    big_ = (header[3] & 1) != 0;
    const std::uint32_t page = big_endian(&header[8]);
    Sum sum = add({0, 0}, ByteView(header).first(24), big_);
    log.header_sound = (big_endian(header.data()) & ~1U) == kLogMagic && page >= 512 &&
                       page <= 65536 && sum == sum_at(&header[24]);
    if (!log.header_sound) return log;
    std::copy_n(header.begin() + 16, log.salt.size(), log.salt.begin());
    read_frames(log, sum, page);
    return log;
  }

 private:
  // Each frame's sum goes on from the one before. After one that does not verify, those that fit
  // its stored sum, or the one that it should have, were written by the same writer.
  void read_frames(Log& log, Sum sum, std::size_t page) {
    Bytes frame(kFrameHeader + page);
    Sum stored = sum;
    bool broken = false;
    for (std::uint32_t number = 1; in_.read(reinterpret_cast<char*>(frame.data()),
                                            static_cast<std::streamsize>(frame.size()));
         ++number) {
      const ByteView head(frame.data(), 8), body(frame.data() + kFrameHeader, page);
      const auto after = [&](Sum from) { return add(add(from, head, big_), body, big_); };
      const Sum says = sum_at(&frame[16]);
      const bool ours = std::equal(log.salt.begin(), log.salt.end(), &frame[8]);
      const Sum computed = after(sum);
      const bool follows = ours && (computed == says || (broken && after(stored) == says));
      if (!follows) broken = true;
      if (follows && !broken) log.sound = number;
      const bool commit = big_endian(&frame[4]) != 0;
      if (follows && broken && commit) log.sound_later = number;
      sum = computed;
      stored = says;
    }
  }

  std::ifstream& in_;
  bool big_ = false;
};

}  // namespace

std::optional<std::filesystem::file_time_type> boot_time() {
  std::ifstream in("/proc/stat");
  for (std::string line; std::getline(in, line);) {
    if (line.rfind("btime ", 0) != 0) continue;
    const std::chrono::sys_seconds at{std::chrono::seconds(std::atoll(line.c_str() + 6))};
    return std::chrono::file_clock::from_sys(at);
  }
  return std::nullopt;
}

Result<LogReport> look_at_log(const std::filesystem::path& box_file,
                              std::optional<std::filesystem::file_time_type> booted_at) {
  std::filesystem::path log_file = box_file, index_file = box_file;
  log_file += "-wal";
  index_file += "-shm";
  std::optional<Index> index = read_index(index_file);
  std::error_code untold;
  const auto written_at = std::filesystem::last_write_time(index_file, untold);
  if (!untold && booted_at && written_at < *booted_at) index.reset();
  const std::uint32_t owed = index && index->frames > index->folded_in ? index->frames : 0;
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(log_file, error);
  if (error || size == 0) {
    if (owed == 0) return LogReport{};
    return LogReport{LogState::kGone, owed - index->folded_in};
  }
  std::ifstream in(log_file, std::ios::binary);
  if (!in) return Error{Cause::kIo, "Cannot read " + log_file.string() + ".", {}};
  const Log log = LogReader(in).read();
  if (!log.header_sound) {
    if (owed == 0) return LogReport{};
    return LogReport{LogState::kDamaged, owed - index->folded_in};
  }
  // The index knows what was committed; behind that may lie a change that was cut off, of which
  // SQLite writes frames anew in their place and their sums at the very end.
  const bool of_this_log = index && index->salt == log.salt;
  const std::uint32_t promised = of_this_log ? owed : log.sound_later;
  if (promised <= log.sound) return LogReport{};
  return LogReport{LogState::kDamaged, promised - log.sound};
}

}  // namespace kartei::store
