// The tables of the core of store/, as they are made. Times are Unix milliseconds, ids blobs of 16
// bytes, dates packed by rows.h. Tables of the fold are named in fold_tables.h: a column added here
// must be added there.
#pragma once

namespace kartei::store {

// `rid` never changes and is never used twice: the indexes name rows by it.
inline constexpr char kTurnsSql[] = R"sql(
CREATE TABLE turns(
  rid INTEGER PRIMARY KEY AUTOINCREMENT,
  id BLOB NOT NULL UNIQUE,
  external_id TEXT NOT NULL,
  conversation TEXT NOT NULL,
  speaker TEXT NOT NULL,
  role INTEGER NOT NULL,
  trust INTEGER NOT NULL,
  text TEXT NOT NULL,
  caption TEXT NOT NULL,
  said_at INTEGER NOT NULL,
  zone_min INTEGER NOT NULL,
  recorded_at INTEGER NOT NULL,
  drawer BLOB NOT NULL,
  app TEXT NOT NULL,
  device BLOB NOT NULL,
  feed_device BLOB,
  feed_number INTEGER,
  feed_tag INTEGER,
  feed_seq INTEGER
);
CREATE INDEX turns_external ON turns(external_id, conversation) WHERE external_id <> '';
CREATE INDEX turns_conversation ON turns(conversation, said_at);
CREATE INDEX turns_drawer ON turns(drawer);
CREATE TABLE filed(
  turn BLOB PRIMARY KEY,
  drawer BLOB NOT NULL,
  feed_device BLOB,
  feed_number INTEGER,
  feed_tag INTEGER,
  feed_seq INTEGER,
  read INTEGER NOT NULL,
  over INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX filed_unread ON filed(drawer) WHERE read = 0;
CREATE TABLE extracted(
  turn BLOB NOT NULL,
  unit BLOB NOT NULL,
  drawer BLOB NOT NULL,
  over INTEGER NOT NULL,
  PRIMARY KEY(turn, unit)
) WITHOUT ROWID;
)sql";

inline constexpr char kCardsSql[] = R"sql(
CREATE TABLE cards(
  rid INTEGER PRIMARY KEY AUTOINCREMENT,
  id BLOB NOT NULL UNIQUE,
  drawer BLOB NOT NULL,
  text TEXT NOT NULL,
  colour INTEGER NOT NULL,
  sub_domain TEXT NOT NULL,
  micro_context TEXT NOT NULL,
  subject TEXT NOT NULL,
  relation TEXT NOT NULL,
  object TEXT NOT NULL,
  valid_from INTEGER NOT NULL,
  valid_to INTEGER NOT NULL,
  recorded_at INTEGER NOT NULL,
  closed_at INTEGER NOT NULL,
  replaced_by BLOB NOT NULL,
  why_closed TEXT NOT NULL,
  conversation TEXT NOT NULL,
  sources BLOB NOT NULL,
  trust INTEGER NOT NULL,
  said_by TEXT NOT NULL,
  app TEXT NOT NULL,
  device BLOB NOT NULL,
  importance REAL NOT NULL,
  flags INTEGER NOT NULL,
  tags TEXT NOT NULL,
  annotations TEXT NOT NULL,
  times_used INTEGER NOT NULL,
  last_used INTEGER NOT NULL,
  state INTEGER NOT NULL,
  shown_as INTEGER NOT NULL,
  origin INTEGER NOT NULL,
  own_state INTEGER NOT NULL,
  own_valid_to INTEGER NOT NULL,
  own_sources BLOB NOT NULL,
  touched_n INTEGER NOT NULL,
  reopened_n INTEGER NOT NULL,
  subject_key TEXT NOT NULL
);
CREATE INDEX cards_listed ON cards(state, recorded_at);
CREATE INDEX cards_drawer ON cards(drawer);
CREATE INDEX cards_subject ON cards(subject_key) WHERE subject_key <> '';
CREATE INDEX cards_replaced ON cards(replaced_by) WHERE replaced_by <> zeroblob(16);
CREATE TABLE card_sources(
  turn BLOB NOT NULL,
  card BLOB NOT NULL,
  drawer BLOB NOT NULL,
  turn_key BLOB,
  PRIMARY KEY(turn, card)
) WITHOUT ROWID;
CREATE INDEX card_sources_card ON card_sources(card);
CREATE INDEX card_sources_key ON card_sources(turn_key) WHERE turn_key IS NOT NULL;
CREATE TABLE ends(
  n INTEGER PRIMARY KEY,
  card BLOB NOT NULL,
  drawer BLOB NOT NULL,
  by_user INTEGER NOT NULL,
  valid_to INTEGER NOT NULL,
  closed_at INTEGER NOT NULL,
  replaced_by BLOB NOT NULL,
  why TEXT NOT NULL
);
CREATE INDEX ends_card ON ends(card);
CREATE TABLE end_keys(
  turn_key BLOB NOT NULL,
  n INTEGER NOT NULL,
  drawer BLOB NOT NULL,
  PRIMARY KEY(turn_key, n)
) WITHOUT ROWID;
CREATE TABLE edits(
  id BLOB PRIMARY KEY,
  drawer BLOB NOT NULL,
  kind INTEGER NOT NULL,
  over INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE tombstones(
  kind INTEGER NOT NULL,
  id BLOB NOT NULL,
  drawer BLOB NOT NULL,
  over INTEGER NOT NULL,
  PRIMARY KEY(kind, id)
) WITHOUT ROWID;
CREATE TABLE confirmations(
  card BLOB NOT NULL,
  turn BLOB NOT NULL,
  drawer BLOB NOT NULL,
  n INTEGER NOT NULL,
  PRIMARY KEY(card, turn)
) WITHOUT ROWID;
CREATE TABLE usage(
  card BLOB PRIMARY KEY,
  drawer BLOB NOT NULL,
  times INTEGER NOT NULL,
  last INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE conversations_ended(
  conversation TEXT NOT NULL,
  drawer BLOB NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY(conversation, drawer)
) WITHOUT ROWID;
)sql";

// `slot` of undo: the entry's height, or -1 for the overlay; `without`: ids of the drawers that
// were removed since.
inline constexpr char kRestSql[] = R"sql(
CREATE TABLE ledger(
  one INTEGER PRIMARY KEY CHECK(one = 1),
  tip INTEGER NOT NULL,
  forgotten INTEGER NOT NULL,
  local_n INTEGER NOT NULL
);
INSERT INTO ledger VALUES(1, 0, 0, -4611686018427387904);
CREATE TABLE undo(
  slot INTEGER PRIMARY KEY,
  without BLOB NOT NULL,
  changes BLOB NOT NULL
);
CREATE TABLE drawers(
  id BLOB PRIMARY KEY,
  name TEXT NOT NULL,
  shared INTEGER NOT NULL,
  held INTEGER NOT NULL,
  devices BLOB NOT NULL
) WITHOUT ROWID;
CREATE TABLE meta(key TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE feeds(
  number_here INTEGER PRIMARY KEY AUTOINCREMENT,
  device BLOB NOT NULL,
  number INTEGER NOT NULL,
  tag INTEGER NOT NULL,
  start INTEGER NOT NULL,
  end INTEGER NOT NULL,
  UNIQUE(device, number, tag)
);
CREATE TABLE records(
  place INTEGER PRIMARY KEY,
  hash BLOB NOT NULL,
  kind INTEGER NOT NULL,
  bytes BLOB NOT NULL
);
CREATE TABLE heads(device BLOB PRIMARY KEY, bytes BLOB NOT NULL) WITHOUT ROWID;
)sql";

// Format 4. What the secretary has not read, in the order in which it reads: a conversation of a
// drawer lies in one stretch. Kept by triggers, so that undo and snapshots need not know of it.
inline constexpr char kUnreadSql[] = R"sql(
DROP INDEX IF EXISTS filed_unread;
CREATE TABLE unread(
  drawer BLOB NOT NULL,
  conversation TEXT NOT NULL,
  recorded_at INTEGER NOT NULL,
  rid INTEGER NOT NULL,
  PRIMARY KEY(drawer, conversation, recorded_at, rid)
) WITHOUT ROWID;
INSERT INTO unread SELECT f.drawer, t.conversation, t.recorded_at, t.rid FROM filed f JOIN turns t
  ON t.id = f.turn WHERE f.read = 0;
CREATE TRIGGER unread_filed AFTER INSERT ON filed WHEN new.read = 0 BEGIN
  INSERT INTO unread SELECT new.drawer, conversation, recorded_at, rid FROM turns
    WHERE id = new.turn;
END;
CREATE TRIGGER unread_not_filed AFTER DELETE ON filed WHEN old.read = 0 BEGIN
  DELETE FROM unread WHERE (drawer, conversation, recorded_at, rid) =
    (SELECT old.drawer, conversation, recorded_at, rid FROM turns WHERE id = old.turn);
END;
CREATE TRIGGER unread_read AFTER UPDATE OF read ON filed WHEN old.read = 0 AND new.read <> 0 BEGIN
  DELETE FROM unread WHERE (drawer, conversation, recorded_at, rid) =
    (SELECT old.drawer, conversation, recorded_at, rid FROM turns WHERE id = old.turn);
END;
CREATE TRIGGER unread_again AFTER UPDATE OF read ON filed WHEN old.read <> 0 AND new.read = 0 BEGIN
  INSERT INTO unread SELECT new.drawer, conversation, recorded_at, rid FROM turns
    WHERE id = new.turn;
END;
CREATE TRIGGER unread_turn AFTER INSERT ON turns BEGIN
  INSERT INTO unread SELECT f.drawer, new.conversation, new.recorded_at, new.rid FROM filed f
    WHERE f.turn = new.id AND f.read = 0;
END;
CREATE TRIGGER unread_no_turn AFTER DELETE ON turns BEGIN
  DELETE FROM unread WHERE (drawer, conversation, recorded_at, rid) =
    (SELECT drawer, old.conversation, old.recorded_at, old.rid FROM filed WHERE turn = old.id);
END;
)sql";

// Format 4. Which card is whose copy in another drawer; this device's own knowledge. What was moved
// before is told by the words and the moment, which a copy keeps.
inline constexpr char kMovesSql[] = R"sql(
CREATE TABLE moves(copy BLOB PRIMARY KEY, original BLOB NOT NULL) WITHOUT ROWID;
INSERT OR IGNORE INTO moves SELECT c.id, o.id FROM cards o CROSS JOIN cards c
  ON c.state IN (0, 1, 2, 3, 4, 5, 6) AND c.recorded_at = o.recorded_at AND c.text = o.text AND
  c.colour = o.colour AND c.said_by = o.said_by AND c.rid > o.rid
  WHERE o.own_state = 3 AND c.origin = 2 ORDER BY o.rid DESC;
)sql";

// Format 6. Turns of which a card was closed once: the only ones that may be outdated. Ids stay
// when a card opens again or a turn goes; whoever asks looks at the cards then.
inline constexpr char kClosedTurnsSql[] = R"sql(
CREATE TABLE closed_turns(turn BLOB PRIMARY KEY) WITHOUT ROWID;
INSERT INTO closed_turns SELECT s.turn FROM card_sources s JOIN cards c ON c.id = s.card
  WHERE c.state = 1 UNION SELECT s.turn FROM confirmations s JOIN cards c ON c.id = s.card
  WHERE c.state = 1;
CREATE TRIGGER closed_turns_card AFTER INSERT ON cards WHEN new.state = 1 BEGIN
  INSERT OR IGNORE INTO closed_turns SELECT turn FROM card_sources WHERE card = new.id UNION ALL
    SELECT turn FROM confirmations WHERE card = new.id;
END;
CREATE TRIGGER closed_turns_end AFTER UPDATE OF state ON cards
  WHEN new.state = 1 AND old.state <> 1 BEGIN
  INSERT OR IGNORE INTO closed_turns SELECT turn FROM card_sources WHERE card = new.id UNION ALL
    SELECT turn FROM confirmations WHERE card = new.id;
END;
CREATE TRIGGER closed_turns_source AFTER INSERT ON card_sources
  WHEN EXISTS(SELECT 1 FROM cards WHERE id = new.card AND state = 1) BEGIN
  INSERT OR IGNORE INTO closed_turns VALUES(new.turn);
END;
CREATE TRIGGER closed_turns_again AFTER INSERT ON confirmations
  WHEN EXISTS(SELECT 1 FROM cards WHERE id = new.card AND state = 1) BEGIN
  INSERT OR IGNORE INTO closed_turns VALUES(new.turn);
END;
)sql";

// Format 7. What forgetting, or a user who put a card away, did to it: one row a step, the newest
// by `n`. `step` is Forgotten::Step; `before` the card's own state then; `stands_in` the card that
// stands for it. A step that was taken back keeps its row, as step 0.
inline constexpr char kForgottenSql[] = R"sql(
CREATE TABLE forgotten(
  card BLOB NOT NULL,
  run BLOB NOT NULL,
  drawer BLOB NOT NULL,
  n INTEGER NOT NULL,
  step INTEGER NOT NULL,
  before INTEGER NOT NULL,
  at INTEGER NOT NULL,
  stands_in BLOB NOT NULL,
  why TEXT NOT NULL,
  PRIMARY KEY(card, run)
) WITHOUT ROWID;
CREATE INDEX forgotten_run ON forgotten(run);
)sql";

}  // namespace kartei::store
