#include "sync/ledger.h"

#include <algorithm>

namespace kartei::sync {

namespace {

void raise(Counts& counts, const Counts& by) {
  for (const auto& [feed, count] : by) {
    std::uint64_t& there = counts[feed];
    there = std::max(there, count);
  }
}

}  // namespace

void Ledger::add(Entry entry) {
  Hash32 hash = entry.hash;
  auto [place, fresh] = entries_.try_emplace(hash, std::move(entry));
  if (!fresh) place->second.withheld = false;
  if (!fresh) return;
  const Entry* added = &place->second;
  by_place_[{added->feed, added->seq}] = added;
  terms_[added->term].try_emplace(added->index, added);
}

const Entry* Ledger::find(const Hash32& hash) const {
  auto found = entries_.find(hash);
  return found == entries_.end() ? nullptr : &found->second;
}

const Entry* Ledger::find(const FeedId& feed, std::uint64_t seq) const {
  auto found = by_place_.find({feed, seq});
  return found == by_place_.end() ? nullptr : found->second;
}

std::uint64_t Ledger::consumed(const FeedId& feed) const {
  auto found = consumed_.find(feed);
  return found == consumed_.end() ? 0 : found->second;
}

bool Ledger::on_chain(const Entry& entry) const {
  return entry.height > root_.height && entry.height - root_.height <= chain_.size() &&
         chain_[entry.height - root_.height - 1] == &entry;
}

bool Ledger::is_ancestor(const Entry& entry) const {
  return on_chain(entry) || old_ancestors_.contains(entry.hash) || entry.hash == root_.hash;
}

bool Ledger::complete(const Entry& entry, const LedgerView& view) const {
  if (entry.withheld) return false;
  for (const auto& [feed, count] : entry.consumed) {
    if (rules_.no_holes && view.end(feed) < count) return false;
    if (rules_.cut == Rules::Cut::kStrict && count > view.cut(feed)) return false;
  }
  return true;
}

std::optional<Ledger::Step> Ledger::path_to(const std::map<std::uint64_t, const Entry*>& entries,
                                            const LedgerView& view) const {
  const Entry* top = nullptr;
  for (auto it = entries.rbegin(); it != entries.rend() && !top; ++it)
    if (it->second->seq < view.cut(it->second->feed)) top = it->second;
  if (!top) return std::nullopt;

  Step step;
  const Entry* entry = top;
  for (;;) {
    if (on_chain(*entry)) {
      step.keep = entry->height - root_.height;
      break;
    }
    step.add.push_back(entry);
    if (entry->parent == root_.hash && entry->height == root_.height + 1) {
      if (entry->parent_counter != root_.term.counter) return std::nullopt;
      break;
    }
    const Entry* parent = find(entry->parent);
    if (!parent) {
      if (rules_.no_holes) return std::nullopt;
      break;  // broken on purpose: the hole is not noticed
    }
    if (parent->height + 1 != entry->height || entry->height <= root_.height ||
        entry->parent_counter != parent->term.counter)
      return std::nullopt;
    if (rules_.cut == Rules::Cut::kStrict && parent->seq >= view.cut(parent->feed))
      return std::nullopt;
    entry = parent;
  }
  if (rules_.guard && root_.height + step.keep < base_.height) return std::nullopt;
  std::reverse(step.add.begin(), step.add.end());
  auto incomplete = std::find_if(step.add.begin(), step.add.end(),
                                 [&](const Entry* item) { return !complete(*item, view); });
  step.add.erase(incomplete, step.add.end());
  const Entry* last =
      step.add.empty() ? (step.keep ? chain_[step.keep - 1] : nullptr) : step.add.back();
  if (!last || last->term != top->term) return std::nullopt;
  return step;
}

std::uint64_t Ledger::height_of(const Step& step) const {
  return root_.height + step.keep + step.add.size();
}

Ledger::Step Ledger::choose(const LedgerView& view) const {
  Step best;
  best.keep = base_.height - root_.height;
  if (!rules_.by_term) {
    for (const auto& [term, entries] : terms_)
      if (auto step = path_to(entries, view); step && height_of(*step) > height_of(best))
        best = *step;
    return best;
  }
  Term current = tip().term;
  for (const auto& [term, entries] : terms_) {
    if (term < base_.term) break;
    if (!rules_.tie_break && !chain_.empty() && term.counter == current.counter && term != current)
      continue;
    if (auto step = path_to(entries, view)) return *step;
  }
  return best;
}

void Ledger::adopt(const Step& step) {
  bool shrinks = step.keep < chain_.size();
  chain_.resize(step.keep);
  if (shrinks) consumed_ = consumed_at(root_.height + step.keep);
  for (const Entry* entry : step.add) {
    chain_.push_back(entry);
    raise(consumed_, entry->consumed);
  }
}

Counts Ledger::consumed_at(std::uint64_t height) const {
  Counts out = root_consumed_;
  for (const Entry* entry : chain_) {
    if (entry->height > height) break;
    raise(out, entry->consumed);
  }
  return out;
}

std::vector<Hash32> Ledger::uncovered_ancestors(const Position& at, const Counts& consumed) const {
  auto uncovered = [&](const Entry* entry) {
    auto count = consumed.find(entry->feed);
    return count == consumed.end() || entry->seq >= count->second;
  };
  std::vector<Hash32> out;
  for (const Hash32& hash : old_ancestors_)
    if (const Entry* entry = find(hash); entry && uncovered(entry)) out.push_back(hash);
  for (const Entry* entry : chain_)
    if (entry->height <= at.height && uncovered(entry)) out.push_back(entry->hash);
  return out;
}

void Ledger::set_base(const BaseState& base, bool trim) {
  base_ = base.position;
  base_consumed_ = base.consumed;
  base_hashes_ = base.hashes;
  base_successor_ = base.successor;
  base_reason_ = base.reason;
  old_ancestors_ = {base.ancestors.begin(), base.ancestors.end()};
  if (!trim) return;
  std::size_t below = static_cast<std::size_t>(base_.height - root_.height);
  chain_.erase(chain_.begin(), chain_.begin() + static_cast<std::ptrdiff_t>(below));
  root_ = base_;
  root_consumed_ = base_consumed_;
  root_successor_ = base_successor_;
  root_reason_ = base_reason_;
}

void Ledger::reset(const BaseState& base) {
  chain_.clear();
  root_ = base.position;
  root_consumed_ = base.consumed;
  consumed_ = base.consumed;
  root_successor_ = base.successor;
  root_reason_ = base.reason;
  set_base(base, false);
}

std::string Ledger::reason() const {
  for (auto entry = chain_.rbegin(); entry != chain_.rend(); ++entry) {
    if ((*entry)->term != chain_.back()->term) break;
    if ((*entry)->index == 0) return (*entry)->reason;
  }
  return root_reason_;
}

BaseState Ledger::base_state() const {
  BaseState out;
  out.position = base_;
  out.consumed = base_consumed_;
  out.ancestors = {old_ancestors_.begin(), old_ancestors_.end()};
  out.hashes = base_hashes_;
  out.successor = base_successor_;
  out.reason = base_reason_;
  return out;
}

void Ledger::forget_before(const FeedId& feed, std::uint64_t seq) {
  auto from = by_place_.lower_bound({feed, 0}), to = by_place_.lower_bound({feed, seq});
  for (auto it = from; it != to;) {
    const Entry* entry = it->second;
    if (on_chain(*entry)) {
      ++it;
      continue;
    }
    auto term = terms_.find(entry->term);
    if (auto found = term->second.find(entry->index);
        found != term->second.end() && found->second == entry)
      term->second.erase(found);
    if (term->second.empty()) terms_.erase(term);
    it = by_place_.erase(it);
    entries_.erase(entry->hash);
  }
}

}  // namespace kartei::sync
