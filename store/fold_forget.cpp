// The part of the fold that forgets: what a run may do to a card, and how it is taken back. The
// rules of what to forget are the daemon's; what is protected is protected here, too, whoever
// decided otherwise, and whatever the order in which edits arrive.
#include "store/fold.h"
#include "store/forgotten.h"

namespace kartei::store {

namespace {

constexpr int number_of(CardState state) {
  return static_cast<int>(state);
}

// The card as it stands, and its newest step that holds.
struct Target {
  bool there = false;
  std::int64_t state = 0, own_state = 0;
  bool shielded = false;
  std::int64_t step = Forgotten::kTakenBack;
};

Result<Target> target_of(Db& db, CardId card, DrawerId drawer) {
  Target target;
  Query query = db.query(
      "SELECT state, own_state, flags, colour, (SELECT step FROM forgotten WHERE card = ?1 AND "
      "step <> 0 ORDER BY n DESC LIMIT 1) FROM cards WHERE id = ?1 AND drawer = ?2",
      card, drawer);
  if (query.next()) {
    target.there = true;
    target.state = query.integer(0);
    target.own_state = query.integer(1);
    target.shielded = (query.integer(2) & (kPersistent | kNeverForget)) != 0 ||
                      query.integer(3) == static_cast<int>(Colour::kRule);
    target.step = query.integer(4);
  }
  KARTEI_TRY(query.status());
  return target;
}

// What an edit of a run asks for: which step, from which states.
struct Wanted {
  Forgotten::Step step;
  bool fits;
  CardState becomes;
};

Wanted wanted_of(EditKind kind, const Target& target) {
  const bool open = target.state == number_of(CardState::kOpen);
  const bool faded = target.state == number_of(CardState::kFaded);
  const bool archived = target.state == number_of(CardState::kArchived);
  switch (kind) {
    case EditKind::kFade:
      return {Forgotten::kFaded, open, CardState::kFaded};
    case EditKind::kArchive:
      return {Forgotten::kArchived, open || faded, CardState::kArchived};
    case EditKind::kCondense: {
      const bool free = target.step != Forgotten::kCondensed && target.step != Forgotten::kTrashed;
      return {Forgotten::kCondensed, free && (open || faded || archived), CardState::kArchived};
    }
    case EditKind::kTrash:
      return {Forgotten::kTrashed, archived && target.step != Forgotten::kTrashed,
              CardState::kArchived};
    default:
      return {Forgotten::kTakenBack, false, CardState::kOpen};
  }
}

Result<bool> has_step(Db& db, const CardEdited& edit, CardId card) {
  return db.exists("SELECT 1 FROM forgotten WHERE card = ? AND run = ?", card, edit.run);
}

struct Row {
  CardId card;
  RunId run;
  Forgotten::Step step;
  std::int64_t before;
};

Status put_step(Db& db, const Row& row, const CardEdited& edit, std::int64_t n) {
  // Ids are anybody's: one that is taken changes nothing.
  return db.run("INSERT OR IGNORE INTO forgotten VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)", row.card,
                row.run, edit.drawer, n, static_cast<int>(row.step), row.before, to_ms(edit.at),
                edit.stands_in, edit.note);
}

RunId run_of(EditId edit) {
  RunId run;
  run.bytes = edit.bytes;
  return run;
}

}  // namespace

Status Fold::forget(const CardEdited& edit) {
  if (edit.kind == EditKind::kTakeBack) return take_back(edit);
  if (edit.kind == EditKind::kAdd) return add_condensed(edit);
  if (edit.kind == EditKind::kEraseCard) return erase_from_trash(edit);
  KARTEI_ASSIGN(const Target target, target_of(db_, edit.target, edit.drawer));
  const Wanted wanted = wanted_of(edit.kind, target);
  if (!target.there || target.shielded || !wanted.fits) return {};
  KARTEI_ASSIGN(const bool known, has_step(db_, edit, edit.target));
  if (known) return {};
  KARTEI_TRY(put_step(db_, {edit.target, edit.run, wanted.step, target.own_state}, edit, n_++));
  KARTEI_TRY(db_.run("UPDATE cards SET own_state = ? WHERE id = ?", number_of(wanted.becomes),
                     edit.target));
  return settle(edit.target);
}

Status Fold::note_archived(const CardEdited& edit, std::int64_t n) {
  KARTEI_ASSIGN(const Target target, target_of(db_, edit.target, edit.drawer));
  if (!target.there) return {};
  return put_step(db_, {edit.target, run_of(edit.edit), Forgotten::kByUser, target.own_state}, edit,
                  n);
}

// All that was done to it is undone, and it counts as new.
Status Fold::note_reactivated(const CardEdited& edit, std::int64_t n) {
  KARTEI_ASSIGN(const Target target, target_of(db_, edit.target, edit.drawer));
  if (!target.there) return {};
  KARTEI_TRY(db_.run("UPDATE forgotten SET step = 0, at = ? WHERE card = ? AND step <> ?",
                     to_ms(edit.at), edit.target, static_cast<int>(Forgotten::kMade)));
  CardEdited bare = edit;
  bare.note.clear();
  return put_step(db_, {edit.target, run_of(edit.edit), Forgotten::kTakenBack, target.own_state},
                  bare, n);
}

// Whoever protects a card that forgetting had put away wants it back; one that he put away himself
// stays where it is.
Status Fold::lift_forgetting(const CardEdited& edit) {
  if ((edit.flags & (kPersistent | kNeverForget)) == 0) return {};
  Query query = db_.query(
      "SELECT before FROM forgotten WHERE card = ?1 AND step BETWEEN ?2 AND ?3 AND NOT EXISTS("
      "SELECT 1 FROM forgotten WHERE card = ?1 AND step = ?4) ORDER BY n LIMIT 1",
      edit.target, static_cast<int>(Forgotten::kFaded), static_cast<int>(Forgotten::kTrashed),
      static_cast<int>(Forgotten::kByUser));
  if (!query.next()) return query.status();
  const std::int64_t before = query.integer(0);
  KARTEI_TRY(query.status());
  KARTEI_TRY(db_.run("UPDATE cards SET own_state = ? WHERE id = ?", before, edit.target));
  return db_.run("UPDATE forgotten SET step = 0, at = ? WHERE card = ? AND step <> ?",
                 to_ms(edit.at), edit.target, static_cast<int>(Forgotten::kMade));
}

// The card is as it was before that run. Where the run has not come yet, it will find that it was
// taken back.
Status Fold::take_back(const CardEdited& edit) {
  Query query =
      db_.query("SELECT n, step, before FROM forgotten WHERE card = ? AND run = ? AND drawer = ?",
                edit.target, edit.run, edit.drawer);
  const bool there = query.next();
  KARTEI_TRY(query.status());
  const std::int64_t n = there ? query.integer(0) : 0;
  const std::int64_t step = there ? query.integer(1) : 0;
  const std::int64_t before = there ? query.integer(2) : 0;
  const Row undone{edit.target, edit.run, Forgotten::kTakenBack, 0};
  if (!there) return put_step(db_, undone, edit, n_++);
  if (step == Forgotten::kTakenBack) return {};
  if (step == Forgotten::kMade) {
    KARTEI_TRY(remove_card(edit.target));
    return put_step(db_, undone, edit, n_++);
  }
  KARTEI_TRY(
      db_.run("UPDATE forgotten SET step = 0, at = ? WHERE card = ? AND n >= ? AND step <> ?",
              to_ms(edit.at), edit.target, n, static_cast<int>(Forgotten::kMade)));
  KARTEI_TRY(db_.run("UPDATE cards SET own_state = ? WHERE id = ?", before, edit.target));
  return settle_around(edit.target);
}

Status Fold::note_stood_for(const CardEdited& edit) {
  const Card& card = *edit.card;
  if (card.replaced_by.is_zero() || card.replaced_by == card.id) return {};
  CardEdited step = edit;
  step.note.clear();
  step.stands_in = card.replaced_by;
  KARTEI_TRY(put_step(
      db_, {card.id, run_of(edit.edit), Forgotten::kCondensed, number_of(CardState::kFaded)}, step,
      n_++));
  return settle(card.id);
}

Status Fold::add_condensed(const CardEdited& edit) {
  if (!edit.card) return {};
  KARTEI_ASSIGN(const bool known, has_step(db_, edit, edit.card->id));
  if (known) return {};
  KARTEI_TRY(bring_card(edit));
  KARTEI_ASSIGN(const Target target, target_of(db_, edit.card->id, edit.drawer));
  if (!target.there) return {};
  return put_step(db_, {edit.card->id, edit.run, Forgotten::kMade, target.own_state}, edit, n_++);
}

// Only that card, by its id: what says the same and was kept stays.
Status Fold::erase_from_trash(const CardEdited& edit) {
  KARTEI_ASSIGN(const Target target, target_of(db_, edit.target, edit.drawer));
  if (!target.there || target.shielded || target.step != Forgotten::kTrashed) return {};
  KARTEI_TRY(entomb(kTombstoneCard, edit.target.view(), edit.drawer, true));
  return remove_card(edit.target);
}

}  // namespace kartei::store
