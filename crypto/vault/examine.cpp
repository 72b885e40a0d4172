#include "crypto/vault/examine.h"

#include <algorithm>
#include <set>

#include "crypto/random.h"
#include "crypto/vault/bare_file.h"
#include "crypto/vault/format.h"
#include "crypto/vault/numbers.h"

namespace kartei::vault {

namespace {

constexpr std::size_t kMostListed = 1000;

class Examiner {
 public:
  Examiner(sqlite3_vfs* vfs, std::string file) : vfs_(vfs), file_(std::move(file)) {}

  Result<Examination> run(const crypto::Secret& data_key) {
    BareFile main(vfs_, file_, SQLITE_OPEN_MAIN_DB);
    Bytes start(kClearSize);
    if (const int code = main.read(start.data(), start.size(), 0); code != SQLITE_OK)
      return disk_error(file_, code);
    KARTEI_TRY(check_start(file_, start.data()));
    DatabaseId id;
    std::copy_n(start.begin(), kIdSize, id.begin());
    format_ = make_format(data_key, id, std::make_shared<crypto::SystemRandom>());
    out_.page_size_bytes = page_size_of(start.data());
    KARTEI_TRY(walk_log());
    KARTEI_TRY(walk_pages(main));
    return out_;
  }

 private:
  bool opens(const Place& place, Bytes& slot, std::size_t clear) {
    const std::size_t end = slot.size() - kReserved;
    const std::uint8_t* nonce = slot.data() + end;
    return format_->open(place, {slot.data() + clear, end - clear}, nonce, nonce + kNonceSize,
                         slot.data() + clear);
  }

  Status walk_pages(BareFile& main) {
    std::int64_t size = 0;
    if (const int code = main.size(&size); code != SQLITE_OK) return disk_error(file_, code);
    const auto page_size = static_cast<std::int64_t>(out_.page_size_bytes);
    out_.ends_within_a_page = size % page_size != 0;
    const std::uint64_t lock_page = MainLayout{out_.page_size_bytes}.lock_page();
    const auto end = static_cast<std::uint64_t>(size / page_size);
    for (std::uint64_t page = 1; page <= end; ++page) {
      if (page == lock_page) continue;
      Bytes content(out_.page_size_bytes);
      const int code = main.read(content.data(), content.size(),
                                 static_cast<std::int64_t>(page - 1) * page_size);
      judge(page, content, code);
    }
    return {};
  }

  // A page that the disk does not give is as lost as one that does not authenticate.
  void judge(std::uint64_t page, Bytes& content, int code) {
    ++out_.pages;
    const bool blank = code == SQLITE_OK && std::all_of(content.begin(), content.end(),
                                                        [](auto byte) { return byte == 0; });
    if (blank) {
      ++out_.never_written;
      return;
    }
    Place place{Part::kMainPage, page};
    Bytes clear;
    if (page == 1) {
      clear.assign(content.begin() + kIdSize, content.begin() + kClearSize);
      place.clear = clear;
    }
    if (code == SQLITE_OK && opens(place, content, page == 1 ? kClearSize : 0)) {
      ++out_.sound;
      return;
    }
    ++out_.damaged;
    if (in_log_.contains(page)) ++out_.held_by_log;
    if (out_.damaged_pages.size() < kMostListed) out_.damaged_pages.push_back(page);
  }

  Status walk_log() {
    const std::string name = file_ + "-wal";
    int there = 0;
    vfs_->xAccess(vfs_, name.c_str(), SQLITE_ACCESS_EXISTS, &there);
    if (there == 0) return {};
    BareFile log(vfs_, name, SQLITE_OPEN_WAL);
    std::int64_t size = 0;
    if (const int code = log.size(&size); code != SQLITE_OK) return disk_error(name, code);
    const LogLayout layout{out_.page_size_bytes};
    const std::uint64_t frames = layout.frames_in(size);
    const auto generation = log_generation(log);
    out_.log_header_damaged = !generation && frames > 0;
    if (!generation) return {};
    std::vector<std::uint64_t> bad;
    for (std::uint64_t frame = 0; frame < frames; ++frame) {
      const auto page = frame_page(log, layout, frame, *generation);
      if (!page) {
        bad.push_back(frame);
        continue;
      }
      ++out_.log_frames;
      if (bad.empty()) in_log_.insert(*page);
    }
    for (const std::uint64_t frame : bad)
      if (frame < vouched_) ++out_.log_damaged;
    return {};
  }

  std::optional<std::uint64_t> log_generation(BareFile& log) {
    std::optional<std::uint64_t> newest;
    for (int copy = 0; copy < 2; ++copy) {
      Bytes slot(kLogHeaderSlot);
      if (log.read(slot.data(), slot.size(), LogLayout::header_at(copy)) != SQLITE_OK) continue;
      if (!opens({Part::kLogHeader, static_cast<std::uint64_t>(copy)}, slot, 0)) continue;
      newest = std::max(newest.value_or(0), little_endian_at(slot.data()));
    }
    return newest;
  }

  // Of which page a sound frame of that generation is.
  std::optional<std::uint64_t> frame_page(BareFile& log, const LogLayout& layout,
                                          std::uint64_t frame, std::uint64_t generation) {
    Bytes header(kFrameHeaderSlot), page(layout.page_slot());
    const std::int64_t at = layout.frame_at(frame);
    if (log.read(header.data(), header.size(), at) != SQLITE_OK) return std::nullopt;
    if (!opens({Part::kFrameHeader, frame}, header, 0)) return std::nullopt;
    if (little_endian_at(header.data()) != generation) return std::nullopt;
    vouched_ = std::max(vouched_, little_endian_at(header.data() + 8));
    if (log.read(page.data(), page.size(), at + static_cast<std::int64_t>(header.size())) !=
        SQLITE_OK)
      return std::nullopt;
    if (!opens({Part::kLogPage, frame}, page, 0)) return std::nullopt;
    if (little_endian_at(page.data()) != generation) return std::nullopt;
    return big_endian_at(header.data() + kFrameHeaderExtra);
  }

  sqlite3_vfs* vfs_;
  const std::string file_;
  std::unique_ptr<Format> format_;
  Examination out_;
  std::set<std::uint64_t> in_log_;
  std::uint64_t vouched_ = 0;
};

}  // namespace

Result<Examination> examine(const std::filesystem::path& file, const crypto::Secret& data_key,
                            const std::string& beneath) {
  if (!crypto::init()) return Error{Cause::kInternal, "libsodium is unusable", {}};
  sqlite3_vfs* vfs = sqlite3_vfs_find(beneath.empty() ? nullptr : beneath.c_str());
  if (vfs == nullptr) return Error{Cause::kInternal, "There is no such VFS", {}};
  KARTEI_ASSIGN(std::string full, full_path(vfs, file.string()));
  FileLock lock;
  if (beneath.empty()) {
    KARTEI_ASSIGN(lock, FileLock::take(full));
  }
  return Examiner(vfs, std::move(full)).run(data_key);
}

}  // namespace kartei::vault
