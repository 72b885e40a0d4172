// The box: one SQLite file with everything of one person on one device. This class is its single
// writer and the only way in; librarian.h reads beside it on connections of its own.
//
// What it shows is: local drawers + the fold of the adopted chain's entries + an overlay (what a
// primary would file next: own and others' unread edits, and units of branches that lost). Each
// entry leaves an undo record until it is final, so that a branch that loses is taken back exactly.
// Turns are indexed once, when their record arrives, and do not move with the chain; the ledger
// only says which of them are filed and extracted.
//
// Threads: one at a time (the daemon's box thread). Failure: kFull, kReadOnly and kIo leave the box
// as it was before the transaction; kCorrupt means that the file is damaged, see `check`.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "crypto/bytes.h"
#include "crypto/result.h"
#include "store/box_file.h"
#include "store/delta.h"
#include "store/ids.h"
#include "store/values.h"

struct sqlite3;

namespace kartei::store {

class PieceHashes;
class Records;
class FactsKeeper;
class Vectors;

struct BoxOptions {
  std::filesystem::path file;  // empty: in memory, alone in its process
  bool create = true;
  const crypto::Secret* data_key = nullptr;  // null: in the clear, for tests and tools
};

// Where a turn's record lies; local turns have none.
struct TurnOrigin {
  std::optional<FeedId> feed;
  std::uint64_t seq = 0;
};

struct CardFilter {
  std::optional<DrawerId> drawer;
  std::optional<CardState> state = CardState::kOpen;  // empty: all but erased
  std::optional<Colour> colour;
  std::string q;                  // words that must occur
  std::optional<Time> since;      // recorded at or after
  std::string cursor;             // from the page before
  std::size_t limit = 50;         // at most 500
  std::string conversation = {};  // that it came from
  bool unreviewed = false;        // by the secretary, and not looked at by the owner since
};
struct CardPage {
  std::vector<Card> cards;
  std::string cursor;  // empty: no more
};

// A part of a subject's open cards.
struct OpenCards {
  std::vector<Card> cards;
  std::int64_t last = 0;  // for the next part
  bool more = false;
};

// A conversation that the secretary has to read.
struct UnreadConversation {
  std::string name;
  std::size_t turns = 0;
  bool asked = false;  // its app has said since that it is over
};

struct Counts {
  std::uint64_t turns = 0, cards_open = 0, cards_closed = 0, drawers = 0, conversations = 0;
  std::uint64_t file_bytes = 0;
};

// Before the first box of the process is opened, by main: SQLite would count its memory under a
// lock at each allocation, which nobody asks for. Not needed; it only makes things quicker.
void prepare_store();

class Box {
 public:
  static Result<std::unique_ptr<Box>> open(const BoxOptions& options);
  // An in-memory box from image(); for the simulator's forgetful disk and for tests.
  static Result<std::unique_ptr<Box>> from_image(ByteView image);
  Result<Bytes> image();
  ~Box();

  // ---- transactions: nothing below changes anything outside of one. Not nested.
  class Transaction {
   public:
    Transaction(Transaction&& other) noexcept;
    ~Transaction();  // rolls back unless committed
    // kSynced: on disk when this returns. kLazy: atomic and ordered, on disk after the next synced
    // commit or sync(); a power cut may take it back together with everything after it.
    enum class Durability { kSynced, kLazy };
    Status commit(Durability durability);

   private:
    friend class Box;
    explicit Transaction(Box* box) : box_(box) {}
    Box* box_;
  };
  Result<Transaction> begin();
  Status sync();  // everything committed is on disk when this returns; cheap when nothing is owed
  bool sync_owed() const;
  // For the simulator's forgetful disk: called after each successful commit that changed something
  // (`synced`: all is on disk now) and after each sync() that had something to do. Must not call
  // the box but for image(). One observer; empty: none.
  void observe_commits(std::function<void(bool synced)> observer);

  // ---- turns: stored when heard or when their record arrives. False: known already (by id, or by
  // device, conversation and external id), or erased: nothing is stored.
  Result<bool> store_turn(const Turn& turn, const TurnOrigin& origin);
  // A record beyond a revoked device's cut: its turn goes again, unless filed.
  Status drop_unfiled_turn(TurnId turn);

  // ---- the ledger's fold
  // `height` must be tip_height() + 1. An overlay that stands is taken back first, and must be set
  // anew.
  Status apply_entry(std::uint64_t height, std::span<const Delta> deltas);
  Status undo_to(std::uint64_t height);              // newest entries first, exactly
  Status forget_undo_through(std::uint64_t height);  // final: can no longer be taken back
  std::uint64_t tip_height() const;
  // Replaces the overlay. Cards that only it holds show `pending`, those of `waiting` units
  // `waiting`.
  Status set_overlay(std::span<const Delta> pending, std::span<const Delta> waiting);
  // Local drawers: applied for good, no undo, no ledger.
  Status apply_local(std::span<const Delta> deltas);

  // What the rules ask of the fold (the overlay left out).
  Result<bool> turn_filed(TurnId turn);
  Result<std::optional<UnitId>> extracted_by(TurnId turn);
  Result<std::optional<DrawerId>> filed_drawer(TurnId turn);
  Result<bool> edit_filed(EditId edit);
  Result<bool> turn_erased(TurnId turn);
  // Filed (or local), not extracted, not erased, oldest first. Whole turns.
  Result<std::vector<Turn>> unextracted(bool local, std::size_t limit);
  // Of these: the oldest of one conversation, all of one drawer, up to where another drawer's
  // begin. Quick, however many there are.
  Result<std::vector<Turn>> unread_of(std::string_view conversation, bool local, std::size_t limit);
  // Those that somebody asked for first.
  Result<std::vector<UnreadConversation>> unread_conversations(bool local, std::size_t limit);
  Result<bool> anything_unextracted(bool local);  // whether unextracted() would give one; quick
  Result<std::uint64_t> unextracted_count();
  // When an app last said that the conversation is over (overlay included).
  Result<std::optional<Time>> conversation_ended_at(std::string_view conversation);

  // ---- snapshots of the fold at `height` (>= what forget_undo_through has forgotten), drawers
  // limited to `may_hold`; an opaque self-contained image of rows, and its loading into a box
  // (which loses its own fold, keeps local drawers and its records). `only`: these drawers' rows
  // are loaded in place of what the fold holds of them, which stands at `height` already.
  Result<Bytes> dump_fold(std::uint64_t height, std::span<const DrawerId> may_hold);
  Status load_fold(std::uint64_t height, ByteView dump, std::span<const DrawerId> only = {});
  // A digest of everything that the fold and the overlay show, in a canonical order: equal digests
  // mean identical cards, turns filed, ends, flags and tombstones. `with_overlay` false: fold
  // alone.
  Result<Hash32> digest(bool with_overlay);

  // ---- drawers, conversations, settings
  Result<std::vector<Drawer>> drawers();
  Result<std::optional<Drawer>> drawer(std::string_view name);
  Result<std::optional<Drawer>> drawer(DrawerId id);
  Status put_drawer(const Drawer& drawer);  // insert or change by id
  // Takes out what a local drawer holds, as deltas that bring it about anew under the same ids:
  // turns, units, cards in the user's words, ends, use. For sharing it; the drawer stays, empty.
  Result<std::vector<Delta>> take_drawer(DrawerId id);
  Status remove_drawer(
      DrawerId id);  // with all that it holds, without a trace; local or no longer held
  Result<std::optional<Bytes>> meta(std::string_view key);
  Status put_meta(std::string_view key, ByteView value);
  Status erase_meta(std::string_view key);
  // The word index grows by pieces, and questions get slower by them: joins some. Outside of a
  // transaction, when nothing is busy; a few milliseconds. False: nothing is left to join.
  Result<bool> tidy();
  bool untidy() const;  // rows have come since tidy() had nothing left
  // Gives free pages of the file back to the disk, a few at a time, once they are an eighth of it,
  // and keeps some for what comes. Outside of a transaction, when nothing is busy; a few
  // milliseconds. False: nothing is left to give.
  Result<bool> compact();
  // What was erased still lies in free pages of the word index and in the log until this. Outside
  // of a transaction, when nothing is busy. False: a reader stands in the log's way; it is not
  // waited for. cut_log() does that last part again.
  Result<bool> scrub();
  Result<bool> cut_log();

  // ---- reading by id (overlay included)
  Result<std::optional<Turn>> turn(TurnId id);
  // By an app's own id: the newest turn that carries it.
  Result<std::optional<Turn>> turn_by_external(std::string_view external_id);
  Result<std::vector<Turn>> turns_around(TurnId id,
                                         std::size_t around);  // same conversation, by time
  Result<std::vector<Turn>> conversation(std::string_view name, std::size_t last);  // oldest first
  Result<std::optional<Card>> card(CardId id);
  Result<bool> card_erased(CardId id);
  // Where an edit stands; empty: nobody has told of it, or what it said was taken back.
  struct EditPlace {
    DrawerId drawer;
    bool erases = false;
    bool filed = false;  // in the ledger, or of a local drawer; else it waits in the overlay
  };
  Result<std::optional<EditPlace>> edit_place(EditId edit);
  Result<CardPage> cards(const CardFilter& filter);
  // Oldest first: what it replaced, itself, what replaced it.
  Result<std::vector<Card>> history(CardId id);
  Result<std::vector<Card>> cards_of_turn(TurnId id);
  // Without those that the turn only said again.
  Result<std::vector<Card>> cards_written_from(TurnId id);
  // Open cards with this subject (normalised, any case), a part at a time, in the order of writing,
  // from rows above `after`: there may be tens of thousands, and the writer must not stand still.
  Result<OpenCards> open_cards_after(std::string_view subject, std::int64_t after,
                                     std::size_t limit);
  // `copy` is the card that `original` became in another drawer. Known to this device alone.
  Status note_move(CardId original, CardId copy);
  // All cards that are this one in another drawer, there and back again.
  Result<std::vector<CardId>> copies_of(CardId id);
  // Cards that are there while what they became in another drawer was erased for good.
  Result<std::vector<CardId>> originals_of_erased();
  Result<Counts> counts();

  // Gives back what the disk's pages take of memory; they are read again when they are needed.
  void rest();

  Records& records();
  Vectors& vectors();
  FactsKeeper& facts();
  std::shared_ptr<PieceHashes> piece_hashes() const;  // what its librarians know of its words
  sqlite3* writer();                                  // for the other files of store/ only
  const std::filesystem::path& file() const;
  const BoxFile& place() const;  // for connections beside this one; any thread
  // PRAGMA integrity_check and foreign keys of ours; empty: sound.
  Result<std::vector<std::string>> check();
  // Whether turns and cards have the words that were stored; empty: all of them.
  Result<std::vector<std::string>> check_words();

 private:
  struct Impl;
  explicit Box(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace kartei::store
