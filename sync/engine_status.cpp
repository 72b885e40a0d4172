// What the owner is shown.
#include <algorithm>

#include "sync/engine_impl.h"

namespace kartei::sync {

std::uint64_t Engine::Impl::unread_of(const FeedId& id, const Feed& feed) const {
  std::uint64_t from = ledger->consumed(id), to = std::min(feed.end, roll->cut(id));
  auto first = std::lower_bound(feed.observations.begin(), feed.observations.end(), from);
  auto last = std::lower_bound(feed.observations.begin(), feed.observations.end(), to);
  return first < last ? static_cast<std::uint64_t>(last - first) : 0;
}

std::uint64_t Engine::final_height() const {
  return impl_->ledger->base().height;
}

EngineStatus Engine::status(Now now) const {
  const Impl& impl = *impl_;
  EngineStatus out;
  out.box = impl.box_id;
  out.self = impl.self;
  out.acting = impl.is_acting();
  out.tip = impl.ledger->tip();
  out.final_position = impl.ledger->base();
  out.seen = impl.seen;
  if (out.tip.term != store::Term{}) {
    out.primary = impl.ledger->successor() ? impl.ledger->successor()
                                           : std::optional(out.tip.term.feed.device);
    out.take_over_reason = impl.ledger->reason();
  }
  std::map<DeviceId, std::uint64_t> pending;
  for (const auto& [id, feed] : impl.feeds) {
    pending[id.device] += impl.unread_of(id, feed);
    out.withheld += feed.unreadable.size();
  }
  out.withheld += impl.content_missing.size();
  for (const auto& [device, count] : pending) out.unread += count;
  out.pending = pending[impl.self];
  out.ranking = impl.ranking(now);
  out.pin = impl.roll->pin().device;
  out.forks = impl.forks();
  if (impl.too_large_at)
    out.troubles.push_back(
        "The shared drawers hold more than the " + std::to_string(impl.config.state_max >> 20) +
        " MiB that can be sent to a new or long absent device: share less, or erase some");
  if (impl.offered_too_large)
    out.troubles.push_back(
        "Another device offers a state that is larger than this one takes: update Kartei here, or "
        "share less there");
  out.dropped_messages = impl.dropped_messages;
  out.rollbacks = impl.rollbacks;

  auto view = [&](const DeviceId& device, const RollDevice& info) {
    MemberView member;
    member.id = device;
    member.name = info.name;
    member.self = device == impl.self;
    member.member = impl.roll->is_member(device);
    auto peer = impl.peers.find(device);
    member.connected = peer != impl.peers.end() && peer->second.up;
    for (const auto& [id, feed] : impl.feeds)
      member.frozen = member.frozen || (id.device == device && feed.frozen);
    member.vitals = member.self ? impl.vitals : election::Vitals{};
    if (auto head = impl.heads.find(device); head != impl.heads.end() && !member.self) {
      member.vitals = head->second.head.vitals;
      member.applied_height = head->second.head.tip.height;
      member.applied_term = head->second.head.tip.term;
    }
    if (member.self) {
      member.applied_height = out.tip.height;
      member.applied_term = out.tip.term;
    }
    if (auto heard = impl.heard_ms.find(device); heard != impl.heard_ms.end())
      member.silent_ms = now.mono_ms - heard->second;
    member.pending = pending[device];
    return member;
  };
  for (const DeviceId& device : impl.roll->members())
    out.members.push_back(view(device, *impl.roll->device(device)));
  for (const auto& [device, cuts] : impl.roll->cuts())
    if (const RollDevice* info = impl.roll->device(device))
      out.members.push_back(view(device, *info));
  for (const auto& [device, info] : impl.roll->waiting()) {
    MemberView member = view(device, info);
    member.approval = "waiting for a second device";
    out.members.push_back(std::move(member));
  }
  return out;
}

}  // namespace kartei::sync
