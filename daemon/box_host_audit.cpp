// BoxHost: what was handed out, to whom; and how much this device is used.
#include <spdlog/spdlog.h>

#include <functional>

#include "daemon/box_host.h"
#include "store/facts_keeper.h"

namespace kartei::daemon {
namespace {

constexpr std::int64_t kAuditDelayMs = 100;
constexpr std::size_t kAuditWaitingMax = 4096;
constexpr std::int64_t kUsageDelayMs = 60'000;
constexpr std::int64_t kSameReadMs = 60'000;
constexpr std::size_t kReadsRemembered = 1024;

std::size_t hash_of(const store::AuditLine& line) {
  std::string all = line.app + '\n' + line.query;
  for (const std::string& item : line.items) all += '\n' + item;
  return std::hash<std::string>{}(all);
}

}  // namespace

// Not at once: the writer would compete with the answer for the processor.
void BoxHost::note_recall(store::AuditLine line, std::vector<store::CardId> cards) {
  secrets::mask(line.query);
  std::lock_guard lock(mutex_);
  recalled_.push_back({std::move(line), std::move(cards), true});
  if (recalled_.size() == 1) audit_alarm_->set(services_.clock.mono_ms() + kAuditDelayMs);
}

void BoxHost::note_read(store::AuditLine line) {
  const std::int64_t time = services_.clock.mono_ms();
  std::lock_guard lock(mutex_);
  if (reads_.size() >= kReadsRemembered) reads_.clear();
  const auto [place, fresh] = reads_.try_emplace(hash_of(line), time);
  if (!fresh && time - place->second < kSameReadMs) return;
  place->second = time;
  recalled_.push_back({std::move(line), {}, false});
  if (recalled_.size() == 1) audit_alarm_->set(time + kAuditDelayMs);
}

bool BoxHost::audit_has_room() const {
  std::lock_guard lock(mutex_);
  return recalled_.size() < kAuditWaitingMax;
}

void BoxHost::write_audit() {
  std::vector<Recalled> recalled;
  {
    std::lock_guard lock(mutex_);
    recalled.swap(recalled_);
  }
  if (recalled.empty() || closed_) return;
  std::size_t used = 0;
  std::vector<store::AuditLine> lines;
  for (Recalled& one : recalled) {
    used += one.counts ? 1 : 0;
    lines.push_back(std::move(one.line));
    for (const store::CardId& card : one.cards) ++usage_[card];
  }
  count_use(used);
  if (auto kept = store::append_audit(*box_, lines); !kept) {
    audit_lost_ += lines.size();
    spdlog::error("box {}: {} lines of the audit are lost: {}", name_, lines.size(),
                  kept.error().what);
  }
  // A box that nobody asks anything takes no memory for answers.
  if (used > 0 && !facts_due_ms_ && !box_->facts().loaded()) facts_due_ms_ = now().mono_ms;
  if (!usage_.empty() && !usage_due_ms_) usage_due_ms_ = now().mono_ms + kUsageDelayMs;
  arm();
}

// What was asked when an erased card was handed out.
Status BoxHost::blank_audit() {
  write_audit();
  return store::blank_audit(*box_);
}

}  // namespace kartei::daemon
