// Who leads: terms opened, handed over and taken over. Liveness only; any outcome is safe.
#include <algorithm>

#include "sync/engine_write.h"

namespace kartei::sync {

namespace {
// A primary that is alive gets this long for turns to be read by its secretary before others step
// in.
constexpr std::int64_t kSecretaryPatienceMs = 10 * 60'000;
// A holder that we never had a link to is heard through relays, which are slow.
constexpr std::int64_t kUnlinkedFactor = 15;
// After a start others get a moment to say that somebody else leads by now.
constexpr std::int64_t kStartPatienceMs = 1'000;
}  // namespace

std::optional<DeviceId> Engine::Impl::holder() const {
  if (ledger->successor() && ledger->tip().term == seen) return ledger->successor();
  if (seen == Term{}) return roll->founder();
  return seen.feed.device;
}

// Records that an entry would consume with effect.
bool Engine::Impl::unread_waits() const {
  for (const auto& [id, feed] : feeds) {
    std::uint64_t from = ledger->consumed(id), to = std::min(feed.end, roll->cut(id));
    auto said = std::lower_bound(feed.observations.begin(), feed.observations.end(), from);
    if (said != feed.observations.end() && *said < to) return true;
    for (auto seq = feed.notable.lower_bound(from); seq != feed.notable.end() && *seq < to; ++seq)
      if (const Entry* entry = ledger->find(id, *seq); entry && !ledger->is_ancestor(*entry))
        return true;
  }
  return false;
}

Status Engine::Impl::note_waiting(Now now) {
  bool unread = unread_waits();
  if (box_moved) {
    KARTEI_ASSIGN(unextracted, box.anything_unextracted(false));
    box_moved = false;
  }
  if (!unread) unread_since_ms.reset();
  if (unread && !unread_since_ms) unread_since_ms = now.mono_ms;
  bool pinned = roll->pin().device == self && !is_acting() && may_lead();
  bool waits = unread || unextracted || pinned;
  if (!waits) waiting_since_ms.reset();
  if (waits && !waiting_since_ms) waiting_since_ms = now.mono_ms;
  return {};
}

std::vector<election::Standing> Engine::Impl::ranking(Now now) const {
  std::vector<election::Candidate> candidates;
  for (const DeviceId& device : roll->members()) {
    election::Candidate candidate;
    candidate.device = device.bytes;
    for (const auto& [id, drawer] : roll->drawers())
      if (drawer.shared && !roll->may_hold(id, device)) candidate.may_lead = false;
    if (device == self) {
      candidate.vitals = vitals;
    } else {
      if (auto head = heads.find(device); head != heads.end())
        candidate.vitals = head->second.head.vitals;
      auto peer = peers.find(device);
      auto heard = heard_ms.find(device);
      std::int64_t lately = 2 * config.head_interval_ms + config.election.patience_ms;
      candidate.heard = (peer != peers.end() && peer->second.up && peer->second.heard) ||
                        (heard != heard_ms.end() && now.mono_ms - heard->second <= lately);
    }
    candidates.push_back(candidate);
  }
  std::optional<DeviceId> incumbent = holder();
  const auto& pin = roll->pin().device;
  return election::rank(candidates, incumbent ? &incumbent->bytes : nullptr,
                        pin ? &pin->bytes : nullptr, config.election);
}

std::size_t Engine::Impl::rank_of_self(const std::vector<election::Standing>& standings,
                                       const DeviceId& but) const {
  std::size_t rank = 0;
  for (const election::Standing& standing : standings) {
    if (standing.device == self.bytes) return rank;
    if (standing.device != but.bytes) ++rank;
  }
  return rank;
}

// ledger_rules.md section 8; called whenever something has changed and by the timer.
Status Engine::Impl::consider_leading(Now now) {
  if (!may_lead()) return {};
  if (is_acting()) return consider_handing_over(now);
  KARTEI_TRY(note_waiting(now));
  std::optional<DeviceId> who = holder();
  if (!who) return {};
  bool successor = ledger->successor() == self && ledger->tip().term == seen;
  if (!waiting_since_ms && !successor) return {};

  election::TakeOverInput input;
  input.may_lead = true;
  input.work_waits = waiting_since_ms.has_value();
  input.successor_is_me = successor;
  input.holder_is_me = *who == self && started(now);
  input.holder_is_member = *who == self || roll->is_member(*who);
  input.rank = rank_of_self(ranking(now), *who);
  if (*who != self && waiting_since_ms) {
    auto heard = heard_ms.find(*who);
    std::int64_t since = heard == heard_ms.end() ? opened_ms : heard->second;
    input.holder_silent_ms = now.mono_ms - std::max(since, *waiting_since_ms);
    auto peer = peers.find(*who);
    if (peer == peers.end() || !peer->second.linked_once) input.holder_silent_ms /= kUnlinkedFactor;
    input.tip_still_ms =
        unread_since_ms
            ? now.mono_ms - std::max(tip_moved_ms, *unread_since_ms)
            : std::max<std::int64_t>(0, now.mono_ms - *waiting_since_ms - kSecretaryPatienceMs);
  }
  if (!election::take_over(input, config.election)) return {};
  std::string reason = seen == Term{}               ? "first"
                       : successor                  ? "planned"
                       : *who == self               ? "restart"
                       : !input.holder_is_member    ? "revoked"
                       : roll->pin().device == self ? "pin"
                                                    : "silent";
  return open_term(reason, now);
}

// After a start: others have been heard, or had the time to say who leads.
bool Engine::Impl::started(Now now) const {
  if (roll->members().size() <= 1) return true;
  bool waiting_for_a_peer = false;
  for (const auto& [device, peer] : peers) {
    if (peer.up && peer.heard) return true;
    waiting_for_a_peer = waiting_for_a_peer || peer.up;
  }
  std::int64_t patience = waiting_for_a_peer
                              ? config.election.patience_ms
                              : std::min(kStartPatienceMs, config.election.patience_ms);
  return now.mono_ms - opened_ms >= patience;
}

Status Engine::Impl::consider_handing_over(Now now) {
  if (roll->members().size() <= 1 || unread_waits()) return {};
  const auto& pin = roll->pin().device;
  election::HandOver move =
      election::hand_over(ranking(now), self.bytes, pin ? &pin->bytes : nullptr,
                          now.mono_ms - tenure_ms, config.election);
  if (!move.wanted || move.to == self.bytes) return {};
  return hand_over(DeviceId{move.to}, now);
}

// When consider_leading() may come to another answer without anything having happened.
std::optional<std::int64_t> Engine::Impl::next_lead_ms() const {
  if (!may_lead() || is_acting() || !waiting_since_ms) return std::nullopt;
  return last_settled_ms + std::max<std::int64_t>(config.election.patience_ms / 4, 1);
}

Status Engine::tick(Now now) {
  return impl_->write(
      Durability::kLazy,
      [this, moved = impl_->box_moved]() -> Status {
        impl_->box_moved = moved;
        return {};
      },
      now);
}

}  // namespace kartei::sync
