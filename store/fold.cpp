#include "store/fold.h"

#include <algorithm>

namespace kartei::store {

namespace {

// What `edits` remembers beside the edits of users.
constexpr int kEditUsage = 100, kEditConversation = 101;

Result<bool> tombstone(Db& db, int kind, ByteView id, DrawerId drawer) {
  return db.exists("SELECT 1 FROM tombstones WHERE kind = ? AND id = ? AND drawer = ?", kind, id,
                   drawer);
}

}  // namespace

Result<bool> insert_turn(Db& db, const Turn& turn, const FeedId* feed, std::uint64_t seq) {
  KARTEI_ASSIGN(const bool erased, tombstone(db, kTombstoneTurn, turn.id.view(), turn.drawer));
  if (erased) return false;
  KARTEI_ASSIGN(const bool known, db.exists("SELECT 1 FROM turns WHERE id = ?", turn.id));
  if (known) return false;
  if (!turn.external_id.empty()) {
    KARTEI_ASSIGN(const bool said,
                  db.exists("SELECT 1 FROM turns WHERE external_id = ? AND external_id <> '' AND "
                            "conversation = ? AND device = ?",
                            turn.external_id, turn.conversation, turn.device));
    if (said) return false;
  }
  Query query = db.query(
      "INSERT INTO turns(id, external_id, conversation, speaker, role, trust, text, caption, "
      "said_at, zone_min, recorded_at, drawer, app, device, feed_device, feed_number, feed_tag, "
      "feed_seq) VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
      turn.id, turn.external_id, turn.conversation, turn.speaker, static_cast<int>(turn.role),
      static_cast<int>(turn.trust), turn.text, turn.caption, to_ms(turn.said_at.at),
      int{turn.said_at.zone_min}, to_ms(turn.recorded_at), turn.drawer, turn.app, turn.device);
  if (feed != nullptr) {
    query.bind(feed->device);
    query.bind(feed->number);
    query.bind(feed->tag);
    query.bind(seq);
  }
  KARTEI_TRY(query.run());
  if (feed != nullptr) return true;
  // Local: there is no ledger to file it.
  KARTEI_TRY(db.run("INSERT INTO filed(turn, drawer, read, over) VALUES(?, ?, 0, 0)", turn.id,
                    turn.drawer));
  return true;
}

Status Fold::apply(const Delta& delta) {
  return std::visit([this](const auto& one) { return apply(one); }, delta);
}

// Shared turns come with their records; in the ledger only TurnFiled counts.
Status Fold::apply(const TurnHeard& heard) {
  if (layer_ != Layer::kLocal) return {};
  KARTEI_ASSIGN([[maybe_unused]] const bool stored, insert_turn(db_, heard.turn, nullptr, 0));
  return {};
}

Status Fold::apply(const TurnFiled& filed) {
  KARTEI_ASSIGN(const bool known, db_.exists("SELECT 1 FROM filed WHERE turn = ?", filed.turn));
  if (known) return {};
  KARTEI_ASSIGN(const bool extracted,
                db_.exists("SELECT 1 FROM extracted WHERE turn = ? AND drawer = ?", filed.turn,
                           filed.drawer));
  KARTEI_ASSIGN(const bool erased, tombstone(db_, kTombstoneTurn, filed.turn.view(), filed.drawer));
  const bool read = extracted || erased || over() != 0;
  return db_.run("INSERT INTO filed VALUES(?, ?, ?, ?, ?, ?, ?, ?)", filed.turn, filed.drawer,
                 filed.feed.device, filed.feed.number, filed.feed.tag, filed.seq, read, over());
}

Status Fold::apply(const UnitFiled& unit) {
  if (unit.sources.empty()) return {};
  for (TurnId turn : unit.sources) {
    // Who writes an entry sees to it that a turn is extracted once (ledger_rules.md, section 4),
    // and every device folds what the entry says. Elsewhere it is seen to here.
    const bool first_only = layer_ != Layer::kLedger;
    KARTEI_ASSIGN(const bool taken,
                  db_.exists("SELECT 1 FROM extracted WHERE turn = ? AND drawer = ? AND (unit = ? "
                             "OR ?)",
                             turn, unit.drawer, unit.unit, first_only));
    if (taken) return {};
  }
  for (TurnId turn : unit.sources) {
    KARTEI_ASSIGN(
        const bool twice,
        db_.exists("SELECT 1 FROM extracted WHERE turn = ? AND unit = ?", turn, unit.unit));
    if (twice) continue;
    KARTEI_TRY(
        db_.run("INSERT INTO extracted VALUES(?, ?, ?, ?)", turn, unit.unit, unit.drawer, over()));
    if (over() == 0) KARTEI_TRY(mark_read(turn, unit.drawer));
  }
  for (const Card& card : unit.cards) KARTEI_TRY(add_card(card, unit.drawer, kOriginExtracted));
  for (const CardClose& close : unit.closes) KARTEI_TRY(end_by_secretary(unit, close));
  const std::size_t confirmed = std::min(unit.confirmed.size(), unit.confirmed_by.size());
  for (std::size_t i = 0; i < confirmed; ++i) {
    KARTEI_TRY(confirm(unit, unit.confirmed[i], unit.confirmed_by[i]));
  }
  return {};
}

Status Fold::apply(const CardEdited& edit) {
  KARTEI_ASSIGN(const bool fresh,
                remember_edit(edit.edit, edit.drawer, static_cast<int>(edit.kind)));
  if (!fresh) return {};
  if (!edit.run.is_zero()) return forget(edit);
  switch (edit.kind) {
    case EditKind::kAdd:
      return edit.card ? bring_card(edit) : Status{};
    case EditKind::kReplace:
      KARTEI_TRY(end_by_user(edit));
      return edit.card ? add_card(*edit.card, edit.drawer, kOriginUser) : Status{};
    case EditKind::kClose:
      return end_by_user(edit);
    case EditKind::kEraseCard:
      return erase_card(edit);
    case EditKind::kEraseTurn:
      return erase_turn(edit);
    case EditKind::kFlags:
    case EditKind::kAnnotate:
    case EditKind::kImportance:
    case EditKind::kArchive:
    case EditKind::kReactivate:
    case EditKind::kApprove:
    case EditKind::kFade:
      return change_card(edit);
    case EditKind::kCondense:
    case EditKind::kTrash:
    case EditKind::kTakeBack:
      break;  // of a run only
  }
  return {};
}

Status Fold::apply(const UsageCounted& usage) {
  KARTEI_ASSIGN(const bool fresh, remember_edit(usage.edit, usage.drawer, kEditUsage));
  if (!fresh) return {};
  KARTEI_ASSIGN(const bool erased, tombstone(db_, kTombstoneCard, usage.card.view(), usage.drawer));
  if (erased) return {};
  KARTEI_TRY(
      db_.run("INSERT INTO usage VALUES(?1, ?2, ?3, ?4) ON CONFLICT(card) DO UPDATE SET "
              "times = min(times + ?3, 4294967295), last = max(last, ?4) WHERE drawer = ?2",
              usage.card, usage.drawer, usage.times, to_ms(usage.last)));
  return settle(usage.card);
}

Status Fold::apply(const ConversationEnded& ended) {
  KARTEI_ASSIGN(const bool fresh, remember_edit(ended.edit, ended.drawer, kEditConversation));
  if (!fresh) return {};
  return db_.run(
      "INSERT INTO conversations_ended VALUES(?1, ?2, ?3) ON CONFLICT(conversation, drawer) DO "
      "UPDATE SET at = max(at, ?3)",
      ended.conversation, ended.drawer, to_ms(ended.at));
}

Result<bool> Fold::remember_edit(EditId edit, DrawerId drawer, int kind) {
  KARTEI_ASSIGN(const bool known, db_.exists("SELECT 1 FROM edits WHERE id = ?", edit));
  if (known) return false;
  KARTEI_TRY(db_.run("INSERT INTO edits VALUES(?, ?, ?, ?)", edit, drawer, kind, over()));
  return true;
}

Status Fold::end_by_user(const CardEdited& edit) {
  End end;
  end.card = edit.target;
  end.drawer = edit.drawer;
  end.by_user = true;
  end.valid_to = edit.valid_to;
  end.closed_at = edit.at;
  if (edit.kind == EditKind::kReplace && edit.card) end.replaced_by = edit.card->id;
  end.why = edit.note;
  end.sources = &edit.target_sources;
  end.key = &edit.target_key;
  return add_end(end);
}

Status Fold::end_by_secretary(const UnitFiled& unit, const CardClose& close) {
  End end;
  end.card = close.card;
  end.drawer = unit.drawer;
  end.valid_to = close.valid_to;
  end.closed_at = close.at;
  end.replaced_by = close.replaced_by;
  end.why = close.why;
  end.sources = &close.sources;
  end.key = &close.key;
  if (to_ms(end.closed_at) == 0) {
    for (const Card& card : unit.cards) end.closed_at = std::max(end.closed_at, card.recorded_at);
  }
  return add_end(end);
}

// Stands for cards of now and of later: by id, and by turn and key.
Status Fold::add_end(const End& end) {
  const std::int64_t n = n_++;
  // Why an erased card ended may tell what it said.
  KARTEI_ASSIGN(const bool erased, tombstone(db_, kTombstoneCard, end.card.view(), end.drawer));
  KARTEI_TRY(db_.run("INSERT INTO ends VALUES(?, ?, ?, ?, ?, ?, ?, ?)", n, end.card, end.drawer,
                     end.by_user, pack_date(end.valid_to), to_ms(end.closed_at), end.replaced_by,
                     erased ? std::string_view() : std::string_view(end.why)));
  const std::vector<TurnKey> keys = turn_keys(*end.sources, *end.key);
  for (const TurnKey& key : keys) {
    KARTEI_TRY(db_.run("INSERT INTO end_keys VALUES(?, ?, ?)", ByteView(key), n, end.drawer));
  }
  KARTEI_TRY(settle_around(end.card));
  return settle_keys(keys);
}

Status Fold::confirm(const UnitFiled& unit, CardId card, TurnId turn) {
  KARTEI_ASSIGN(const bool turn_gone, tombstone(db_, kTombstoneTurn, turn.view(), unit.drawer));
  KARTEI_ASSIGN(const bool card_gone, tombstone(db_, kTombstoneCard, card.view(), unit.drawer));
  if (turn_gone || card_gone) return {};
  KARTEI_ASSIGN(const bool known,
                db_.exists("SELECT 1 FROM confirmations WHERE card = ? AND turn = ?", card, turn));
  if (known) return {};
  KARTEI_TRY(
      db_.run("INSERT INTO confirmations VALUES(?, ?, ?, ?)", card, turn, unit.drawer, n_++));
  return settle(card);
}

Status Fold::mark_read(TurnId turn, DrawerId drawer) {
  return db_.run("UPDATE filed SET read = 1 WHERE turn = ? AND drawer = ?", turn, drawer);
}

// The drawer in which the fold has a card or a turn; empty where it has not.
Result<std::optional<DrawerId>> Fold::drawer_of_row(const char* sql, ByteView id) {
  std::optional<DrawerId> drawer;
  Query query = db_.query(sql, id);
  if (query.next()) drawer = query.id<DrawerId>(0);
  KARTEI_TRY(query.status());
  return drawer;
}

// A new card, or one that was elsewhere before (moved, imported), as it stood there: whose words it
// has, its state, how it ended, how often it was used.
Status Fold::bring_card(const CardEdited& edit) {
  const Card& card = *edit.card;
  constexpr std::string_view kFind = "SELECT 1 FROM cards WHERE id = ?";
  KARTEI_ASSIGN(const bool before, db_.exists(kFind, card.id));
  KARTEI_TRY(add_card(card, edit.drawer, card.user_made ? kOriginUser : kOriginRevived));
  KARTEI_ASSIGN(const bool there, db_.exists(kFind, card.id));
  if (before || !there) return {};
  if (card.times_used != 0) {
    KARTEI_TRY(db_.run("INSERT OR IGNORE INTO usage VALUES(?, ?, ?, ?)", card.id, edit.drawer,
                       card.times_used, to_ms(card.last_used)));
    KARTEI_TRY(settle(card.id));
  }
  if (card.state == CardState::kArchived) return note_stood_for(edit);
  if (card.state != CardState::kClosed) return {};
  const std::vector<TurnId> no_sources;
  const std::string no_key;
  End end;
  end.card = card.id;
  end.drawer = edit.drawer;
  end.by_user = true;
  end.valid_to = card.valid_to;
  end.closed_at = to_ms(card.closed_at) == 0 ? edit.at : card.closed_at;
  if (card.replaced_by != card.id) end.replaced_by = card.replaced_by;
  end.why = card.why_closed;
  end.sources = &no_sources;
  end.key = &no_key;
  return add_end(end);
}

// Where the card is not there, it is filed from the copy that the edit carries.
Status Fold::change_card(const CardEdited& edit) {
  KARTEI_ASSIGN(const auto there,
                drawer_of_row("SELECT drawer FROM cards WHERE id = ?", edit.target.view()));
  if (there && *there != edit.drawer) return {};
  if (!there && edit.card) {
    Card copy = *edit.card;
    copy.id = edit.target;
    KARTEI_TRY(add_card(copy, edit.drawer, copy.user_made ? kOriginUser : kOriginRevived));
  }
  KARTEI_TRY(write_change(edit));
  return settle_around(edit.target);
}

Status Fold::write_change(const CardEdited& edit) {
  const std::int64_t n = n_++;
  const auto own_state = [&](CardState state) {
    return db_.run("UPDATE cards SET own_state = ? WHERE id = ?", static_cast<int>(state),
                   edit.target);
  };
  switch (edit.kind) {
    case EditKind::kFlags:
      KARTEI_TRY(db_.run("UPDATE cards SET flags = ?, touched_n = ? WHERE id = ?", edit.flags,
                         edit.flags != 0 ? n : 0, edit.target));
      return lift_forgetting(edit);
    case EditKind::kAnnotate:
      return db_.run(
          "UPDATE cards SET annotations = annotations || iif(annotations = '', '', char(31)) || ? "
          "WHERE id = ?",
          join_list({edit.note}), edit.target);
    case EditKind::kImportance:
      return db_.run("UPDATE cards SET importance = ? WHERE id = ?",
                     bounded_importance(edit.importance), edit.target);
    case EditKind::kArchive:
      KARTEI_TRY(note_archived(edit, n));
      return own_state(CardState::kArchived);
    case EditKind::kFade:
      return own_state(CardState::kFaded);
    case EditKind::kReactivate:
      KARTEI_TRY(note_reactivated(edit, n));
      KARTEI_TRY(own_state(CardState::kOpen));
      return db_.run("UPDATE cards SET reopened_n = ? WHERE id = ?", n, edit.target);
    case EditKind::kApprove:
      return db_.run("UPDATE cards SET own_state = ? WHERE id = ? AND own_state = ?",
                     static_cast<int>(CardState::kOpen), edit.target,
                     static_cast<int>(CardState::kQuarantined));
    default:
      return {};
  }
}

// One drawer's tombstone covers nothing of another one. Where two name one id, that of the drawer
// which has it counts: `here`.
Status Fold::entomb(int kind, ByteView id, DrawerId drawer, bool here) {
  KARTEI_ASSIGN(const bool known, tombstone(db_, kind, id, drawer));
  if (known) return {};
  return db_.run(
      std::string("INSERT INTO tombstones VALUES(?, ?, ?, ?) ON CONFLICT(kind, id) DO ") +
          (here ? "UPDATE SET drawer = excluded.drawer, over = excluded.over" : "NOTHING"),
      kind, id, drawer, over());
}

// A card of that drawer, or one that is not there (yet).
Result<bool> Fold::is_of(CardId card, DrawerId drawer) {
  KARTEI_ASSIGN(const auto there,
                drawer_of_row("SELECT drawer FROM cards WHERE id = ?", card.view()));
  return !there || *there == drawer;
}

Status Fold::erase_card(const CardEdited& edit) {
  KARTEI_ASSIGN(const auto there,
                drawer_of_row("SELECT drawer FROM cards WHERE id = ?", edit.target.view()));
  if (there && *there != edit.drawer) return {};
  KARTEI_ASSIGN(const std::vector<TurnKey> stored, stored_keys(edit.target));
  std::vector<TurnKey> keys = turn_keys(edit.target_sources, edit.target_key);
  keys.insert(keys.end(), stored.begin(), stored.end());
  KARTEI_TRY(entomb(kTombstoneCard, edit.target.view(), edit.drawer, there.has_value()));
  std::vector<CardId> victims{edit.target};
  for (const TurnKey& key : keys) {
    const bool here = std::find(stored.begin(), stored.end(), key) != stored.end();
    KARTEI_TRY(entomb(kTombstoneKey, key, edit.drawer, here));
    Query query = db_.query("SELECT card FROM card_sources WHERE turn_key = ? AND drawer = ?",
                            ByteView(key), edit.drawer);
    while (query.next()) victims.push_back(query.id<CardId>(0));
    KARTEI_TRY(query.status());
  }
  for (CardId card : victims) KARTEI_TRY(remove_card(card));
  return {};
}

Status Fold::erase_turn(const CardEdited& edit) {
  KARTEI_ASSIGN(const auto filed,
                drawer_of_row("SELECT drawer FROM filed WHERE turn = ?", edit.turn.view()));
  if (filed && *filed != edit.drawer) return {};
  KARTEI_TRY(entomb(kTombstoneTurn, edit.turn.view(), edit.drawer, filed.has_value()));
  KARTEI_TRY(db_.run("DELETE FROM turns WHERE id = ? AND drawer = ?", edit.turn, edit.drawer));
  if (over() == 0) KARTEI_TRY(mark_read(edit.turn, edit.drawer));
  std::vector<CardId> victims, confirmed;
  Query naming = db_.query(
      "SELECT c.id FROM card_sources s JOIN cards c ON c.id = s.card WHERE s.turn = ? AND "
      "c.origin <> ? AND c.drawer = ?",
      edit.turn, kOriginUser, edit.drawer);
  while (naming.next()) victims.push_back(naming.id<CardId>(0));
  KARTEI_TRY(naming.status());
  for (CardId card : victims) KARTEI_TRY(remove_card(card));
  Query also = db_.query("SELECT card FROM confirmations WHERE turn = ? AND drawer = ?", edit.turn,
                         edit.drawer);
  while (also.next()) confirmed.push_back(also.id<CardId>(0));
  KARTEI_TRY(also.status());
  KARTEI_TRY(
      db_.run("DELETE FROM confirmations WHERE turn = ? AND drawer = ?", edit.turn, edit.drawer));
  for (CardId card : confirmed) KARTEI_TRY(settle(card));
  return {};
}

}  // namespace kartei::store
