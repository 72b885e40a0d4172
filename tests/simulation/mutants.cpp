#include "tests/simulation/mutants.h"

namespace kartei::sim {

using sync::Rules;

const std::vector<Mutant>& mutants() {
  static const std::vector<Mutant> all = {
      {"sync_before_send=false", [](Rules& r) { r.sync_before_send = false; },
       "LedgerRules.FsyncThenSpeak"},
      {"sync_before_ack=false", [](Rules& r) { r.sync_before_ack = false; },
       "LedgerRules.AnsweredIsOnDisk"},
      {"incarnations=false", [](Rules& r) { r.incarnations = false; },
       "LedgerCases.CrashBeforeSending"},
      {"refile=false", [](Rules& r) { r.refile = false; }, "LedgerCases.ReturnsWithDeadMansTurns",
       "the loser's feed must be all that is left of a card"},
      {"unit_rule=naive", [](Rules& r) { r.unit_rule = Rules::UnitRule::kNaive; },
       "LedgerCases.EqualCounters"},
      {"unit_rule=overlap", [](Rules& r) { r.unit_rule = Rules::UnitRule::kOverlap; },
       "LedgerCases.OverlappingBatches"},
      {"edits_sticky=false", [](Rules& r) { r.edits_sticky = false; }, "LedgerCases.LateLoserFlag"},
      {"edits_by_key=false", [](Rules& r) { r.edits_by_key = false; },
       "LedgerCases.LateLoserClose"},
      {"edit_carries_card=false", [](Rules& r) { r.edit_carries_card = false; },
       "LedgerCases.LateLoserFlag"},
      {"tombstones=false", [](Rules& r) { r.tombstones = false; }, "LedgerCases.LateLoserErase"},
      {"consumed_by_chain=false", [](Rules& r) { r.consumed_by_chain = false; },
       "LedgerRules.ConsumedOnALostBranch"},
      {"no_holes=false", [](Rules& r) { r.no_holes = false; }, "LedgerCases.ChainOfThreeTakeovers"},
      {"rollback=false", [](Rules& r) { r.rollback = false; }, "LedgerCases.EqualCounters"},
      {"by_term=false", [](Rules& r) { r.by_term = false; }, "LedgerRules.HigherTermShorterChain",
       "the longest chain is one that all agree on, too"},
      {"tie_break=false", [](Rules& r) { r.tie_break = false; }, "LedgerCases.EqualCounters"},
      {"seen_spreads=false", [](Rules& r) { r.seen_spreads = false; },
       "LedgerRules.TermKnownByAHead"},
      {"step_down=false", [](Rules& r) { r.step_down = false; }, "LedgerRules.TermKnownByAHead",
       "a primary must go on writing while the higher term's records are on their way for long"},
      {"final_rule=position", [](Rules& r) { r.final_rule = Rules::FinalRule::kPosition; },
       "LedgerCases.StaleAcknowledgement",
       "case 6 of the rules: four devices in one certain order"},
      {"final_rule=have", [](Rules& r) { r.final_rule = Rules::FinalRule::kHave; },
       "LedgerCases.StaleAcknowledgement"},
      {"final_rule=most", [](Rules& r) { r.final_rule = Rules::FinalRule::kMost; },
       "LedgerCases.StaleAcknowledgement"},
      {"final_roll=false", [](Rules& r) { r.final_roll = false; }, "LedgerCases.JoinUnknown",
       "case 7 of the rules: a member admitted just before an acknowledgement"},
      {"void_free=false", [](Rules& r) { r.void_free = false; }, "LedgerRules.VoidTerm",
       "its author's head tells of the term as well"},
      {"gc_rule=have", [](Rules& r) { r.gc_rule = Rules::GcRule::kHave; },
       "LedgerRules.ReceivedIsNotConsumed"},
      {"revoked_blocks=true", [](Rules& r) { r.revoked_blocks = true; },
       "LedgerRules.RevokedDoesNotHoldUp"},
      {"epoch_rule=confirmed", [](Rules& r) { r.epoch_rule = Rules::EpochRule::kConfirmed; },
       "Erase.KeyStaysForATurnOnItsWay"},
      {"final_seen=false", [](Rules& r) { r.final_seen = false; }, "LedgerRules.SeenButNotAdopted",
       "needs a head that has seen a higher term at one certain moment"},
      {"guard=false", [](Rules& r) { r.guard = false; }, "LedgerCases.RestoredLeader",
       "a second line of defence: reached only after a restore"},
      {"join_cut=false", [](Rules& r) { r.join_cut = false; }, "LedgerCases.AdmittedByTheRevoked",
       "random runs revoke no sponsors"},
      {"cut=strict", [](Rules& r) { r.cut = Rules::Cut::kStrict; },
       "LedgerCases.ConsumedBeyondTheCut", "takes back only what its observations bring again"},
      {"cut_merge=min", [](Rules& r) { r.cut_merge = Rules::CutMerge::kMin; },
       "LedgerCases.TwoRevocations", "takes back only what its observations bring again"},
      {"counter_above_seen=false", [](Rules& r) { r.counter_above_seen = false; },
       "LedgerCases.ImpossibleTerm", "costs time, loses nothing"},
      {"closed_terms=false", [](Rules& r) { r.closed_terms = false; },
       "LedgerCases.HandoverToTheDeaf", "entries after a hand-over are refiled"},
      {"eligible_only=false", [](Rules& r) { r.eligible_only = false; },
       "LedgerRules.NobodyMayLead", "a policy: whom the owner lets read"},
  };
  return all;
}

const Mutant* find_mutant(std::string_view name) {
  for (const Mutant& m : mutants())
    if (name == m.name) return &m;
  return nullptr;
}

}  // namespace kartei::sim
