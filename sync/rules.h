// The repaired rules of the ledger, each with the broken variant that the simulator uses to show
// that its checkers notice. Production uses the defaults; nothing but tests sets a field.
#pragma once

namespace kartei::sync {

struct Rules {
  bool sync_before_send = true;  // false: records and heads leave before they are on disk
  bool sync_before_ack = true;   // false: the user is answered before the disk has it
  bool incarnations = true;      // false: a device goes on with its old feed after any start
  bool refile = true;            // false: entries of other branches are skipped
  enum class UnitRule { kFirst, kNaive, kOverlap } unit_rule = UnitRule::kFirst;
  bool edits_sticky = true;  // false: an edit whose target is unknown is consumed without effect
  bool edits_by_key = true;  // false: an edit touches its target's id only
  bool edit_carries_card = true;  // false: a flag on a card of a dropped unit has nothing to revive
  bool tombstones = true;         // false: an erase deletes and is not remembered
  bool consumed_by_chain = true;  // false: what was consumed on any branch counts as consumed
  bool no_holes = true;           // false: ancestors or named records may be missing
  bool rollback = true;           // false: the new branch is folded on top of the old state
  bool by_term = true;            // false: longest chain wins instead of highest term
  bool tie_break = true;          // false: with equal counters the term seen first stays
  bool counter_above_seen = true;  // false: new counter = adopted counter + 1
  bool seen_spreads = true;        // false: a term is seen only through its own records
  bool step_down = true;           // false: a primary ignores higher terms that it cannot adopt yet
  enum class FinalRule { kTerm, kPosition, kHave, kMost } final_rule = FinalRule::kTerm;
  bool final_seen = true;  // false: a head that has seen a higher term still counts
  bool final_roll = true;  // false: heads made under another roll still count
  bool guard = true;       // false: a chain without the final position can be adopted
  bool void_free = true;   // false: void terms do not raise the counter
  enum class GcRule { kConsumed, kHave } gc_rule = GcRule::kConsumed;
  enum class Cut { kVouched, kStrict } cut = Cut::kVouched;
  enum class CutMerge { kMax, kMin } cut_merge = CutMerge::kMax;
  bool join_cut = true;         // false: who was admitted beyond a revoked sponsor's cut stays
  bool revoked_blocks = false;  // true: revoked devices still hold up finality
  enum class EpochRule { kDrained, kConfirmed } epoch_rule = EpochRule::kDrained;
  bool closed_terms = true;   // false: an old primary may write on after its hand-over
  bool eligible_only = true;  // false: a device without a drawer may lead
};

}  // namespace kartei::sync
