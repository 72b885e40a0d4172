// The doctor's look at the feeds: whether each record is what was signed, whether they hang
// together, and whether the turns in the box say what their records say.
#include <algorithm>

#include "sync/engine_impl.h"

namespace kartei::sync {

namespace {

constexpr std::size_t kFindingsMost = 20;

bool says_the_same(const store::Turn& a, const store::Turn& b) {
  return a.text == b.text && a.caption == b.caption && a.speaker == b.speaker &&
         a.conversation == b.conversation && a.role == b.role && a.said_at.at == b.said_at.at;
}

std::string place(const FeedId& feed, std::uint64_t seq) {
  return "record " + std::to_string(seq) + " of the feed " + std::to_string(feed.number) +
         " of device " + feed.device.text();
}

}  // namespace

Status Engine::Impl::check_record(const Record& record, std::vector<std::string>& wrong) {
  if (record.header.kind != RecordKind::kObservation) return {};
  bool missing = false;
  KARTEI_ASSIGN(const auto deltas, open_deltas(record, &missing));
  for (const store::Delta& delta : deltas) {
    auto* heard = std::get_if<store::TurnHeard>(&delta);
    if (!heard) continue;
    KARTEI_ASSIGN(const auto turn, box.turn(heard->turn.id));
    if (turn && !says_the_same(*turn, heard->turn))
      wrong.push_back("The turn " + turn->id.text() + " is not what " +
                      place(record.header.feed, record.header.seq) + " says");
  }
  return {};
}

Status Engine::Impl::check_feed(const FeedId& id, const Feed& feed,
                                std::vector<std::string>& wrong) {
  std::optional<Hash32> before;
  for (std::uint64_t seq = feed.start; seq < feed.end && wrong.size() < kFindingsMost;) {
    KARTEI_ASSIGN(const auto records, box.records().range(id, seq, feed.end, 1 << 20));
    if (records.empty()) {
      wrong.push_back("The " + place(id, seq) + " is missing");
      return {};
    }
    for (const store::StoredRecord& stored : records) {
      auto record = Record::decode(stored.bytes);
      const bool whole = record && record->hash == stored.hash && record->header.feed == id &&
                         record->header.seq == stored.seq;
      if (!whole) {
        wrong.push_back("The " + place(id, stored.seq) + " is damaged");
      } else if (before && record->header.prev != *before) {
        wrong.push_back("The " + place(id, stored.seq) + " does not follow the one before it");
      } else {
        KARTEI_TRY(check_record(*record, wrong));
      }
      before = stored.hash;
    }
    seq += records.size();
  }
  return {};
}

Result<std::vector<std::string>> Engine::check() {
  std::vector<std::string> wrong;
  for (const auto& [id, feed] : impl_->feeds) {
    if (wrong.size() >= kFindingsMost) break;
    KARTEI_TRY(impl_->check_feed(id, feed, wrong));
  }
  if (!impl_->roll->device(impl_->self))
    wrong.push_back(
        "The identity file is not one that this box knows: it was replaced. Put the old one back; "
        "this device cannot speak to others with the new one");
  return wrong;
}

}  // namespace kartei::sync
