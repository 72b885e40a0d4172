#include "tests/simulation/mutants.h"

namespace kartei::sim {

using sync::Rules;

const std::vector<Mutant>& mutants() {
  static const std::vector<Mutant> all = {
      {"sync_before_send=false", [](Rules& r) { r.sync_before_send = false; }, nullptr},
      {"sync_before_ack=false", [](Rules& r) { r.sync_before_ack = false; }, nullptr},
      {"incarnations=false", [](Rules& r) { r.incarnations = false; }, nullptr},
      {"refile=false", [](Rules& r) { r.refile = false; }, nullptr},
      {"unit_rule=naive", [](Rules& r) { r.unit_rule = Rules::UnitRule::kNaive; }, nullptr},
      {"unit_rule=overlap", [](Rules& r) { r.unit_rule = Rules::UnitRule::kOverlap; }, nullptr},
      {"edits_sticky=false", [](Rules& r) { r.edits_sticky = false; }, nullptr},
      {"edits_by_key=false", [](Rules& r) { r.edits_by_key = false; }, nullptr},
      {"edit_carries_card=false", [](Rules& r) { r.edit_carries_card = false; }, nullptr},
      {"tombstones=false", [](Rules& r) { r.tombstones = false; }, nullptr},
      {"consumed_by_chain=false", [](Rules& r) { r.consumed_by_chain = false; }, nullptr},
      {"no_holes=false", [](Rules& r) { r.no_holes = false; }, nullptr},
      {"rollback=false", [](Rules& r) { r.rollback = false; }, nullptr},
      {"by_term=false", [](Rules& r) { r.by_term = false; }, nullptr},
      {"tie_break=false", [](Rules& r) { r.tie_break = false; }, nullptr},
      {"seen_spreads=false", [](Rules& r) { r.seen_spreads = false; }, nullptr},
      {"step_down=false", [](Rules& r) { r.step_down = false; }, nullptr},
      {"final_rule=position", [](Rules& r) { r.final_rule = Rules::FinalRule::kPosition; },
       nullptr},
      {"final_rule=have", [](Rules& r) { r.final_rule = Rules::FinalRule::kHave; }, nullptr},
      {"final_rule=most", [](Rules& r) { r.final_rule = Rules::FinalRule::kMost; }, nullptr},
      {"final_roll=false", [](Rules& r) { r.final_roll = false; }, nullptr},
      {"void_free=false", [](Rules& r) { r.void_free = false; }, nullptr},
      {"gc_rule=have", [](Rules& r) { r.gc_rule = Rules::GcRule::kHave; }, nullptr},
      {"revoked_blocks=true", [](Rules& r) { r.revoked_blocks = true; }, nullptr},
      {"epoch_rule=confirmed", [](Rules& r) { r.epoch_rule = Rules::EpochRule::kConfirmed; },
       nullptr},
      {"final_seen=false", [](Rules& r) { r.final_seen = false; },
       "needs a head that has seen a higher term at one certain moment"},
      {"guard=false", [](Rules& r) { r.guard = false; },
       "a second line of defence: reached only after a restore"},
      {"join_cut=false", [](Rules& r) { r.join_cut = false; }, "random runs revoke no sponsors"},
      {"cut=strict", [](Rules& r) { r.cut = Rules::Cut::kStrict; },
       "takes back only what its observations bring again"},
      {"cut_merge=min", [](Rules& r) { r.cut_merge = Rules::CutMerge::kMin; },
       "takes back only what its observations bring again"},
      {"counter_above_seen=false", [](Rules& r) { r.counter_above_seen = false; },
       "costs time, loses nothing"},
      {"closed_terms=false", [](Rules& r) { r.closed_terms = false; },
       "entries after a hand-over are refiled"},
      {"eligible_only=false", [](Rules& r) { r.eligible_only = false; },
       "a policy: whom the owner lets read"},
  };
  return all;
}

const Mutant* find_mutant(std::string_view name) {
  for (const Mutant& m : mutants())
    if (name == m.name) return &m;
  return nullptr;
}

}  // namespace kartei::sim
