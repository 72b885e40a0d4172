// The fold: what deltas do to the tables. The rules are ledger_rules.md, section 5, restated in
// README.md. Total: no content of a delta is an error, only the disk is. Deterministic: the outcome
// depends on the deltas and their order alone, never on a clock or on what else the box holds.
// What a delta of one drawer says holds within that drawer: whoever may not hold another one cannot
// touch what lies there, whatever ids it names.
//
// Used within the box's transaction, by the box alone.
#pragma once

#include "store/delta.h"
#include "store/rows.h"
#include "store/sql.h"

namespace kartei::store {

enum class Layer {
  kLedger,   // an entry
  kPending,  // overlay: own and others' edits that wait for the primary
  kWaiting,  // overlay: units and edits of a branch that lost
  kLocal,    // local drawers: for good
};

class Fold {
 public:
  // `first_n` orders what is done: everything of this fold comes after all that is there.
  Fold(Db& db, Layer layer, std::int64_t first_n) : db_(db), layer_(layer), n_(first_n) {}
  Status apply(const Delta& delta);
  std::int64_t next_n() const { return n_; }

 private:
  using TurnKey = std::array<std::uint8_t, 16>;

  Status apply(const TurnHeard& heard);
  Status apply(const TurnFiled& filed);
  Status apply(const UnitFiled& unit);
  Status apply(const CardEdited& edit);
  Status apply(const UsageCounted& usage);
  Status apply(const ConversationEnded& ended);

  // False: known already.
  Result<bool> remember_edit(EditId edit, DrawerId drawer, int kind);
  Status end_by_user(const CardEdited& edit);
  Status end_by_secretary(const UnitFiled& unit, const CardClose& close);
  struct End {
    CardId card;
    DrawerId drawer;
    bool by_user = false;
    Date valid_to;
    Time closed_at{};
    CardId replaced_by;
    std::string why;
    const std::vector<TurnId>* sources = nullptr;
    const std::string* key = nullptr;
  };
  Status add_end(const End& end);
  Status confirm(const UnitFiled& unit, CardId card, TurnId turn);
  Status change_card(const CardEdited& edit);
  Status bring_card(const CardEdited& edit);
  Status write_change(const CardEdited& edit);

  // ---- forgetting (fold_forget.cpp)
  // What a run does to a card, where it may.
  Status forget(const CardEdited& edit);
  // Its user puts the card away, takes it out again, or protects it.
  Status note_archived(const CardEdited& edit, std::int64_t n);
  Status note_reactivated(const CardEdited& edit, std::int64_t n);
  Status lift_forgetting(const CardEdited& edit);
  Status take_back(const CardEdited& edit);
  // A card that is brought along archived, because another one stands for it.
  Status note_stood_for(const CardEdited& edit);
  Status add_condensed(const CardEdited& edit);
  Status erase_from_trash(const CardEdited& edit);
  Status erase_card(const CardEdited& edit);
  Status erase_turn(const CardEdited& edit);

  Result<bool> erased(const Card& card, DrawerId drawer, int origin,
                      const std::vector<TurnKey>& keys);
  Status add_card(Card card, DrawerId drawer, int origin);
  Status remove_card(CardId card);
  // Brings what is derived of a card up to date: state, ends, sources, use.
  Status settle(CardId card);
  Status settle_keys(const std::vector<TurnKey>& keys);
  // The card and all that share a turn and a key with it.
  Status settle_around(CardId card);
  Result<std::vector<TurnKey>> stored_keys(CardId card);
  Status entomb(int kind, ByteView id, DrawerId drawer, bool here);
  Status mark_read(TurnId turn, DrawerId drawer);
  Result<std::optional<DrawerId>> drawer_of_row(const char* sql, ByteView id);
  Result<bool> is_of(CardId card, DrawerId drawer);
  int over() const { return layer_ == Layer::kPending || layer_ == Layer::kWaiting ? 1 : 0; }

  static std::vector<TurnKey> turn_keys(const std::vector<TurnId>& sources, std::string_view key);

  Db& db_;
  Layer layer_;
  std::int64_t n_;
};

// Tombstones' kinds.
inline constexpr int kTombstoneCard = 0, kTombstoneKey = 1, kTombstoneTurn = 2;

// A turn's row; false where it is known or erased. Not part of the fold: turns come with their
// records.
Result<bool> insert_turn(Db& db, const Turn& turn, const FeedId* feed, std::uint64_t seq);

}  // namespace kartei::store
