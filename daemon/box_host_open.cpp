// How a box is opened: made or brought up to date first, and looked at.
#include <spdlog/spdlog.h>

#include <algorithm>
#include <system_error>

#include "daemon/api/local_socket.h"
#include "daemon/box_files.h"
#include "daemon/box_host.h"
#include "daemon/identity_file.h"
#include "daemon/small_file.h"
#include "store/encrypt.h"
#include "store/log_check.h"

namespace kartei::daemon {
namespace {

constexpr std::uintmax_t kCheckedBytesMax = 8 << 20;
constexpr std::uint64_t kTenth = 10;                 // per cent
constexpr std::uintmax_t kShownFromBytes = 8 << 20;  // some 0.3 s
constexpr const char* kDeviceKey = "daemon.device";

// Says each tenth of it in the log, and from the first moment on to whoever would wait for the
// writer how far it is. What is done within a blink is not worth a refusal.
class Progress {
 public:
  Progress(std::string box, const std::filesystem::path& file, EncryptProgress& shown)
      : box_(std::move(box)), shown_(shown) {
    std::error_code error;
    const auto size = std::filesystem::file_size(file, error);
    takes_long_ = !error && size >= kShownFromBytes;
    show(0);
  }
  ~Progress() { shown_.set(std::nullopt); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void tell(const store::EncryptStep& step) {
    const std::uint64_t percent = step.all == 0 ? 0 : 100 * step.done / step.all;
    show(static_cast<unsigned>(percent));
    if (percent / kTenth == tenths_) return;
    tenths_ = percent / kTenth;
    spdlog::info("box {}: encrypting, {} %", box_, tenths_ * kTenth);
  }

 private:
  void show(unsigned percent) {
    if (takes_long_) shown_.set(EncryptProgress::Step{box_, percent});
  }

  const std::string box_;
  EncryptProgress& shown_;
  bool takes_long_ = false;
  std::uint64_t tenths_ = 0;
};

}  // namespace

Status BoxHost::start() {
  if (services_.data_key == nullptr && !services_.plain_boxes)
    return Error{Cause::kLocked, "The boxes of this device are locked.", {}};
  KARTEI_ASSIGN(const bool there, box_is_there(folder_));
  if (!there) {
    const NewBox fresh{folder_, device_name(*services_.config.get()), services_.data_key};
    KARTEI_TRY(make_box(fresh, services_.random, now()));
  }
  KARTEI_TRY(api::make_private_folder(folder_));
  KARTEI_TRY(seal_files());
  KARTEI_ASSIGN(box_, store::Box::open({box_file(), false, services_.data_key}));
  KARTEI_TRY(check_small_box());
  KARTEI_TRY(check_device());
  if (!sync::Engine::founded(*box_))
    return corrupt("The box " + box_file().string() +
                   " holds nothing of what its start wrote: its write-ahead log (" + kBoxFile +
                   "-wal) was lost. Put the log back, or the whole folder from a backup");
  KARTEI_TRY(load_secrets());
  KARTEI_TRY(load_sorting());
  alarm_ = services_.writer.loop().make_alarm([weak = weak_from_this()] {
    if (auto self = weak.lock()) self->on_alarm();
  });
  audit_alarm_ = services_.writer.loop().make_alarm([weak = weak_from_this()] {
    if (auto self = weak.lock()) self->write_audit();
  });
  KARTEI_ASSIGN(const std::string mode, read_small_file(folder_ / kSyncFile));
  sync_on_ = mode == "direct";
  KARTEI_ASSIGN(auto engine,
                sync::Engine::open(*box_, *identity_, services_.random, engine_config(), now()));
  KARTEI_TRY(use_engine(std::move(engine)));
  KARTEI_TRY(load_scrub_mark());
  reconfigure();
  scan_unread(true, false);
  forget_first();
  return {};
}

// A box that an older Kartei made becomes an encrypted one before it is opened.
Status BoxHost::seal_files() {
  const crypto::Secret* key = services_.data_key;
  KARTEI_ASSIGN(crypto::Identity identity,
                load_and_seal_identity({folder_, name_, key}, services_.random));
  identity_ = std::make_unique<crypto::Identity>(std::move(identity));
  KARTEI_ASSIGN(const bool plain, store::is_in_the_clear(box_file()));
  if (plain || key == nullptr) KARTEI_TRY(check_log());
  if (key == nullptr) return {};
  if (plain) spdlog::info("box {}: it is not encrypted yet; encrypting it", name_);
  std::optional<Progress> progress;
  if (plain) progress.emplace(name_, box_file(), *services_.encrypting);
  const auto tell = [&progress](const store::EncryptStep& step) {
    if (progress) progress->tell(step);
  };
  KARTEI_ASSIGN(const bool encrypted, store::encrypt_box(box_file(), *key, tell));
  if (encrypted) spdlog::info("box {}: encrypted; the file in the clear is overwritten", name_);
  return {};
}

// One data key opens all boxes of the home: what tells that a file lies in its own folder is whose
// it is.
Status BoxHost::check_device() {
  const auto id = identity_->pub().id();
  KARTEI_ASSIGN(const auto known, box_->meta(kDeviceKey));
  if (!known) {
    KARTEI_ASSIGN(auto transaction, box_->begin());
    KARTEI_TRY(box_->put_meta(kDeviceKey, id));
    return transaction.commit(store::Box::Transaction::Durability::kSynced);
  }
  if (std::equal(known->begin(), known->end(), id.begin(), id.end())) return {};
  return corrupt(box_file().string() + " and " + kIdentityFile +
                 " beside it are not of the same box; put back the one that belongs there");
}

// A log that is gone is not begun anew over what it held; of a damaged one a copy is kept, since
// SQLite will write over what it cannot read.
Status BoxHost::check_log() {
  KARTEI_ASSIGN(const store::LogReport report, store::look_at_log(box_file(), store::boot_time()));
  std::filesystem::path log = box_file();
  log += "-wal";
  if (report.state == store::LogState::kGone)
    return corrupt("The write-ahead log " + log.string() + " is gone, with " +
                   std::to_string(report.lost_pages) +
                   " pages that stand nowhere else: what was said last. Put it back; or, to go on "
                   "without, remove " +
                   box_file().string() + "-shm");
  if (report.state != store::LogState::kDamaged) return {};
  const auto kept = folder_ / kDamagedLog;
  std::error_code error;
  std::filesystem::copy_file(log, kept, std::filesystem::copy_options::overwrite_existing, error);
  spdlog::error("box {}: {}", name_, damaged_log_text(folder_));
  if (error) spdlog::error("box {}: {} cannot be kept: {}", name_, log.string(), error.message());
  return {};
}

// Damage is noticed at the start where that takes a blink; larger boxes notice it when they read
// the damaged page, or when `kartei doctor` is asked.
Status BoxHost::check_small_box() {
  std::error_code error;
  const auto size = std::filesystem::file_size(box_->file(), error);
  if (error || size > kCheckedBytesMax) return {};
  KARTEI_ASSIGN(const auto problems, box_->check());
  if (!problems.empty())
    return corrupt("The box " + box_->file().string() + " is damaged: " + problems[0]);
  // Changed words are a loss, but all else can be used.
  KARTEI_ASSIGN(const auto changed, box_->check_words());
  for (const std::string& one : changed) spdlog::error("box {}: {}", name_, one);
  return {};
}

}  // namespace kartei::daemon
