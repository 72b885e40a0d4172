// The tables of the fold, for all that treats them alike: undo records, digests, snapshots, the
// removal of a drawer. Each has a `drawer`.
#pragma once

#include <array>

namespace kartei::store {

struct FoldTable {
  const char* name;
  // The first so many columns are the primary key. With `rid`: that is one more, before all others.
  int key_columns;
  bool rid;
  // All other columns, in the table's order, and what each is: i integer, r real, t text, d 16-byte
  // id, b other blob. A snapshot carries these.
  const char* columns;
  const char* types;
  // What a digest covers, in the order of which rows: nothing that depends on how the state came to
  // be.
  const char* digest_columns;
  const char* digest_order;
};

inline constexpr std::array<FoldTable, 12> kFoldTables = {{
    {"filed", 1, false, "turn, drawer, feed_device, feed_number, feed_tag, feed_seq, read, over",
     "dddiiiii", "turn, drawer, feed_device, feed_number, feed_tag, feed_seq", "turn"},
    {"extracted", 2, false, "turn, unit, drawer, over", "dddi", "turn, unit, drawer", "turn, unit"},
    {"cards", 1, true,
     "id, drawer, text, colour, sub_domain, micro_context, subject, relation, object, valid_from, "
     "valid_to, recorded_at, closed_at, replaced_by, why_closed, conversation, sources, trust, "
     "said_by, app, device, importance, flags, tags, annotations, times_used, last_used, state, "
     "shown_as, origin, own_state, own_valid_to, own_sources, touched_n, reopened_n, subject_key",
     "ddtittttt"
     "iiiid"
     "ttbi"
     "ttdri"
     "ttiii"
     "iiiibiit",
     "id, drawer, text, colour, sub_domain, micro_context, subject, relation, object, valid_from, "
     "valid_to, recorded_at, closed_at, replaced_by, why_closed, conversation, sources, trust, "
     "said_by, app, device, importance, flags, tags, annotations, times_used, last_used, state, "
     "shown_as, origin, own_state, own_valid_to, own_sources, touched_n <> 0, reopened_n <> 0",
     "id"},
    {"card_sources", 2, false, "turn, card, drawer, turn_key", "dddd",
     "turn, card, drawer, turn_key", "turn, card"},
    {"ends", 1, false, "n, card, drawer, by_user, valid_to, closed_at, replaced_by, why",
     "iddiiidt", "card, drawer, by_user, valid_to, closed_at, replaced_by, why",
     "card, by_user, valid_to, closed_at, replaced_by, why"},
    {"end_keys", 2, false, "turn_key, n, drawer", "did", "DISTINCT turn_key, drawer",
     "turn_key, drawer"},
    {"edits", 1, false, "id, drawer, kind, over", "ddii", "id, drawer, kind", "id"},
    {"tombstones", 2, false, "kind, id, drawer, over", "iddi", "kind, id, drawer", "kind, id"},
    {"confirmations", 2, false, "card, turn, drawer, n", "dddi", "card, turn, drawer",
     "card, turn"},
    {"usage", 1, false, "card, drawer, times, last", "ddii", "card, drawer, times, last", "card"},
    {"conversations_ended", 2, false, "conversation, drawer, at", "tdi", "conversation, drawer, at",
     "conversation, drawer"},
    {"forgotten", 2, false, "card, run, drawer, n, step, before, at, stands_in, why", "dddiiiidt",
     "card, run, drawer, step, before, at, stands_in, why", "card, run"},
}};

// Not of the fold: turns come with their records and stay. But an entry may erase one, and undoing
// it brings it back; and those that are filed go along in snapshots.
inline constexpr FoldTable kTurnsTable = {
    "turns",
    1,
    true,
    "id, external_id, conversation, speaker, role, trust, text, caption, said_at, zone_min, "
    "recorded_at, drawer, app, device, feed_device, feed_number, feed_tag, feed_seq",
    "dtttiittiiidtddiii",
    "",
    ""};

}  // namespace kartei::store
