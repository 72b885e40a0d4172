// BoxHost: what follows an erasure. The words go from free pages and the log a moment later, and
// once more when the erasure is final; and from what the card was before it was moved.
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstdlib>

#include "daemon/box_host.h"

namespace kartei::daemon {
namespace {

constexpr std::int64_t kScrubDelayMs = 1'000;
constexpr std::int64_t kScrubAgainMs = 60'000;  // after an error
constexpr const char* kScrubKey = "daemon.scrub";

}  // namespace

Status BoxHost::erased() {
  const std::uint64_t height = box_->tip_height();
  scrub_due_ms_ = now().mono_ms + kScrubDelayMs;
  only_log_left_ = false;
  if (scrub_until_height_ == height) return {};
  scrub_until_height_ = height;
  KARTEI_ASSIGN(auto transaction, box_->begin());
  const std::string digits = std::to_string(height);
  KARTEI_TRY(box_->put_meta(kScrubKey, as_bytes(digits)));
  return transaction.commit(store::Box::Transaction::Durability::kLazy);
}

Status BoxHost::load_scrub_mark() {
  KARTEI_ASSIGN(const auto mark, box_->meta(kScrubKey));
  if (!mark) return {};
  const std::string digits(as_text(*mark));
  scrub_until_height_ =
      std::max<std::uint64_t>(std::strtoull(digits.c_str(), nullptr, 10), box_->tip_height());
  scrub_due_ms_ = now().mono_ms + kScrubDelayMs;
  return {};
}

// The undo record of an erasure holds the words until it is final: the last scrub comes after that.
void BoxHost::scrub() {
  scrub_due_ms_.reset();
  const bool last = scrub_until_height_ && engine_->final_height() >= *scrub_until_height_;
  const auto clean = [this]() -> Result<bool> {
    if (only_log_left_) return box_->cut_log();
    KARTEI_TRY(blank_audit());
    return box_->scrub();
  };
  const auto done = clean();
  if (!finds_by_meaning()) box_->vectors().unload();  // what it was read for is done
  if (!done) spdlog::error("box {}: {}", name_, done.error().what);
  only_log_left_ = done ? !*done : only_log_left_;
  if (!done || only_log_left_) {
    scrub_due_ms_ = now().mono_ms + (done ? kScrubDelayMs : kScrubAgainMs);
    return;
  }
  if (!tidy_due_ms_) tidy_due_ms_ = now().mono_ms + kScrubDelayMs;  // its pages are free now
  if (!last) return;
  scrub_until_height_.reset();
  const auto forget = [this]() -> Status {
    KARTEI_ASSIGN(auto transaction, box_->begin());
    KARTEI_TRY(box_->erase_meta(kScrubKey));
    return transaction.commit(store::Box::Transaction::Durability::kLazy);
  };
  if (auto forgotten = forget(); !forgotten)
    spdlog::error("box {}: {}", name_, forgotten.error().what);
}

void BoxHost::scrub_when_final() {
  if (!scrub_due_ms_ && scrub_until_height_ && engine_->final_height() >= *scrub_until_height_)
    scrub_due_ms_ = now().mono_ms + kScrubDelayMs;
}

// ---- cards that were moved

Status BoxHost::note_move(store::CardId original, store::CardId copy) {
  KARTEI_ASSIGN(auto transaction, box_->begin());
  KARTEI_TRY(box_->note_move(original, copy));
  return transaction.commit(store::Box::Transaction::Durability::kLazy);
}

// Whoever erased the copy need not have known where it came from: a drawer of this device's own.
Status BoxHost::erase_originals() {
  KARTEI_ASSIGN(const auto originals, box_->originals_of_erased());
  std::vector<store::CardEdited> edits;
  for (const store::CardId id : originals) {
    KARTEI_ASSIGN(const auto card, box_->card(id));
    if (!card) continue;
    KARTEI_ASSIGN(const auto drawer, box_->drawer(card->drawer));
    if (!drawer || !drawer->held) continue;
    store::CardEdited edit;
    edit.kind = store::EditKind::kEraseCard;
    edit.drawer = card->drawer;
    edit.target = id;
    edits.push_back(std::move(edit));
  }
  if (edits.empty()) return {};
  KARTEI_TRY(engine_->edit_all(std::move(edits), now()));
  return {};
}

}  // namespace kartei::daemon
