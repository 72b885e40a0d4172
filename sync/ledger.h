// The ledger as an index: which entries are held, how they hang together, which chain is adopted,
// and which chain should be. Arithmetic only; the records themselves and the folded state lie in
// the box.
//
// Names: root = the position below which nothing is remembered (the final one), chain = the entries
// from the root to the tip.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "sync/rules.h"
#include "sync/wire.h"

namespace kartei::sync {

// A member gone bad could use up the numbers of terms at one stroke, and nobody could lead any
// more. A term so far above what it stands on is not believed; honest ones are one above the
// highest.
inline constexpr std::uint64_t kTermLeap = std::uint64_t{1} << 32;

struct Entry {
  Hash32 hash{};
  Hash32 parent{};
  std::uint64_t parent_counter = 0;  // of its term, as the entry says
  FeedId feed;
  std::uint64_t seq = 0;
  Term term;
  std::uint64_t index = 0, height = 0;
  Counts consumed;  // those that differ from the parent's
  std::optional<DeviceId> successor;
  std::string reason;
  bool has_operations = false;
  bool withheld = false;  // a key that its reader should have has not come yet

  Position position() const { return {term, index, height, hash}; }
};

struct HashHasher {
  std::size_t operator()(const Hash32& hash) const {
    std::size_t out = 0;
    std::memcpy(&out, hash.data(), sizeof out);
    return out;
  }
};

// What adoption depends on beyond the entries.
struct LedgerView {
  std::function<std::uint64_t(const FeedId&)> end;
  std::function<std::uint64_t(const FeedId&)> cut;
};

class Ledger {
 public:
  explicit Ledger(const Rules& rules) : rules_(rules) {}

  void add(Entry entry);
  const Entry* find(const Hash32& hash) const;
  const Entry* find(const FeedId& feed, std::uint64_t seq) const;

  // ---- the adopted chain
  const Position& root() const { return root_; }
  const Position& base() const { return base_; }
  const Counts& base_consumed() const { return base_consumed_; }
  const std::vector<const Entry*>& chain() const { return chain_; }
  Position tip() const { return chain_.empty() ? root_ : chain_.back()->position(); }
  // Of the tip: the device that it hands over to, and why its term was opened.
  const std::optional<DeviceId>& successor() const {
    return chain_.empty() ? root_successor_ : chain_.back()->successor;
  }
  std::string reason() const;
  const Counts& consumed() const { return consumed_; }
  std::uint64_t consumed(const FeedId& feed) const;
  bool on_chain(const Entry& entry) const;
  // At or below the tip of the adopted chain, as far as that can still be told.
  bool is_ancestor(const Entry& entry) const;

  // The chain that should be adopted: keep the first `keep` entries, then fold `add`.
  struct Step {
    std::size_t keep = 0;
    std::vector<const Entry*> add;
  };
  Step choose(const LedgerView& view) const;
  void adopt(const Step& step);

  // ---- finality. `at` is an entry of the chain.
  Counts consumed_at(std::uint64_t height) const;
  void set_base(const BaseState& base, bool trim);
  // A snapshot's position, or what was stored: the chain is empty afterwards.
  void reset(const BaseState& base);
  BaseState base_state() const;
  std::vector<Hash32> uncovered_ancestors(const Position& at, const Counts& consumed) const;
  // Entries whose records were dropped; none of the chain above the base may be among them.
  void forget_before(const FeedId& feed, std::uint64_t seq);

  // Highest term first.
  const std::map<Term, std::map<std::uint64_t, const Entry*>, std::greater<>>& terms() const {
    return terms_;
  }
  void set_hashes(std::map<FeedId, Hash32> hashes) { base_hashes_ = std::move(hashes); }
  const std::map<FeedId, Hash32>& base_hashes() const { return base_hashes_; }

 private:
  using Path = std::vector<const Entry*>;
  // The path to the last entry of a term that can be adopted; its first element continues the chain
  // after `keep` entries.
  std::optional<Step> path_to(const std::map<std::uint64_t, const Entry*>& entries,
                              const LedgerView& view) const;
  bool complete(const Entry& entry, const LedgerView& view) const;
  std::uint64_t height_of(const Step& step) const;

  Rules rules_;
  std::unordered_map<Hash32, Entry, HashHasher> entries_;
  std::map<std::pair<FeedId, std::uint64_t>, const Entry*> by_place_;
  std::map<Term, std::map<std::uint64_t, const Entry*>, std::greater<>> terms_;
  std::set<Hash32> old_ancestors_;
  std::map<FeedId, Hash32> base_hashes_;
  Position root_, base_;
  std::optional<DeviceId> root_successor_, base_successor_;
  std::string root_reason_, base_reason_;
  Counts root_consumed_, base_consumed_, consumed_;
  std::vector<const Entry*> chain_;
};

}  // namespace kartei::sync
