// BoxHost: into which drawer a turn goes that names none. manager/sorter.h decides; what it learned
// lies in the box and never leaves it.
#include <spdlog/spdlog.h>

#include "daemon/box_host.h"
#include "daemon/manager/sorter.h"

namespace kartei::daemon {
namespace {

constexpr const char* kSortingKey = "daemon.sorting";

SortedTurn sorted_turn(const store::Turn& turn) {
  SortedTurn out;
  out.conversation = turn.conversation;
  out.text = turn.text.empty() ? turn.caption : turn.text;
  out.by_user = turn.role == store::Role::kUser && turn.trust == store::Trust::kUser;
  const store::Date day = store::Date::day_of(turn.said_at.at, turn.said_at.zone_min);
  out.day = static_cast<std::int64_t>(day.year) * 10'000 + day.month * 100 + day.day;
  return out;
}

}  // namespace

// What is lost of it is learned again: no reason to keep a box closed.
Status BoxHost::load_sorting() {
  KARTEI_ASSIGN(const auto kept, box_->meta(kSortingKey));
  if (!kept) return {};
  if (auto loaded = sorter_->load(as_text(*kept)); !loaded)
    spdlog::warn("box {}: {}", name_, loaded.error().what);
  return {};
}

Status BoxHost::keep_sorting(store::Box::Transaction::Durability durability) {
  if (!sorter_->changed()) return {};
  KARTEI_ASSIGN(auto transaction, box_->begin());
  const std::string text = sorter_->text();
  KARTEI_TRY(box_->put_meta(kSortingKey, as_bytes(text)));
  return transaction.commit(durability);
}

// After the answer, which does not wait for it.
void BoxHost::keep_counted() {
  if (auto kept = keep_sorting(store::Box::Transaction::Durability::kLazy); !kept)
    spdlog::warn("box {}: what was counted for sorting is lost: {}", name_, kept.error().what);
}

Result<store::DrawerId> BoxHost::sort_turn(const store::Turn& turn) {
  if (!services_.config.get()->sorting) return drawer_by_name(kDefaultDrawer);
  const Sorting to = sorter_->sort(sorted_turn(turn));
  if (!to.drawer.is_zero()) return to.drawer;
  if (to.make.empty()) return drawer_by_name(kDefaultDrawer);
  KARTEI_ASSIGN(const store::DrawerId made, drawer_by_name(to.make));
  sorter_->made(to.kind, made);
  spdlog::info("box {}: a drawer was made by sorting", name_);
  events_.push("drawer", "{\"what\":\"made\",\"drawer\":\"" + made.text() + "\"}");
  return made;
}

Result<std::string> BoxHost::teach_sorting(const store::Card& card, store::DrawerId drawer) {
  std::string kind = sorter_->teach(card, drawer);
  KARTEI_TRY(keep_sorting(store::Box::Transaction::Durability::kSynced));
  return kind;
}

Result<bool> BoxHost::forget_sorting(const std::string& kind) {
  const bool known = sorter_->forget(kind);
  KARTEI_TRY(keep_sorting(store::Box::Transaction::Durability::kSynced));
  return known;
}

}  // namespace kartei::daemon
