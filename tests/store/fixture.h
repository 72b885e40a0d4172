// Small makers for the tests of store/: ids from numbers, turns, cards, units and edits from a few
// words.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "crypto/hash.h"
#include "store/box.h"

namespace kartei::store {

template <class IdType>
IdType id_of(std::uint64_t number, std::uint8_t space = 0) {
  IdType id;
  for (std::size_t i = 0; i < 8; ++i) id.bytes[15 - i] = static_cast<std::uint8_t>(number >> 8 * i);
  id.bytes[0] = space;
  return id;
}

inline const DrawerId kShared = id_of<DrawerId>(1, 0xD0), kLocalDrawer = id_of<DrawerId>(2, 0xD0);

inline TurnId turn_id(std::uint64_t n) {
  return id_of<TurnId>(n, 0x10);
}
inline EditId edit_id(std::uint64_t n) {
  return id_of<EditId>(n, 0xE0);
}

inline Turn make_turn(std::uint64_t n, std::string text = "hello", DrawerId drawer = kShared) {
  Turn turn;
  turn.id = turn_id(n);
  turn.conversation = "c1";
  turn.speaker = "Maya";
  turn.text = std::move(text);
  turn.said_at = {time_from_ms(1'700'000'000'000 + static_cast<std::int64_t>(n) * 1000), 60};
  turn.recorded_at = turn.said_at.at;
  turn.drawer = drawer;
  turn.device = id_of<DeviceId>(1, 0xDE);
  return turn;
}

inline FeedId feed_of(std::uint64_t device = 1) {
  return {id_of<DeviceId>(device, 0xDE), 1, 77};
}
inline TurnOrigin origin_of(std::uint64_t seq, std::uint64_t device = 1) {
  return {feed_of(device), seq};
}

// As the model's: (sources, what it says). The same words from the same turns are the same card.
inline Card make_card(std::vector<std::uint64_t> sources, const std::string& text,
                      DrawerId drawer = kShared) {
  Card card;
  card.text = text;
  card.drawer = drawer;
  for (std::uint64_t n : sources) card.sources.push_back(turn_id(n));
  card.recorded_at = time_from_ms(1'700'000'100'000);
  card.device = id_of<DeviceId>(1, 0xDE);
  const Bytes secret(32, 7);
  card.id = derive_card_id(secret, card);
  return card;
}

inline UnitFiled make_unit(std::vector<std::uint64_t> sources, std::vector<Card> cards,
                           DrawerId drawer = kShared) {
  UnitFiled unit;
  unit.drawer = drawer;
  for (std::uint64_t n : sources) unit.sources.push_back(turn_id(n));
  unit.cards = std::move(cards);
  unit.unit = derive_unit_id(unit);
  return unit;
}

inline TurnFiled filed(std::uint64_t n) {
  return {turn_id(n), feed_of(), n, kShared};
}

// Aimed at a card, with what finds it under other words; flags and the like with a copy.
inline CardEdited make_edit(std::uint64_t n, EditKind kind, const Card& target) {
  CardEdited edit;
  edit.edit = edit_id(n);
  edit.kind = kind;
  edit.drawer = target.drawer;
  edit.target = target.id;
  if (!target.user_made) {
    edit.target_sources = target.sources;
    edit.target_key = card_key(target);
  }
  edit.at = time_from_ms(1'700'000'200'000 + static_cast<std::int64_t>(n));
  const bool copies = kind == EditKind::kFlags || kind == EditKind::kAnnotate ||
                      kind == EditKind::kImportance || kind == EditKind::kArchive ||
                      kind == EditKind::kReactivate || kind == EditKind::kApprove ||
                      kind == EditKind::kFade;
  if (copies) edit.card = target;
  if (kind == EditKind::kFlags) edit.flags = kNeverForget;
  return edit;
}

inline Card user_card(std::uint64_t n, const std::string& text) {
  Card card = make_card({}, text);
  card.id = id_of<CardId>(n, 0xCA);
  card.user_made = true;
  return card;
}

inline CardEdited make_add(std::uint64_t n, const Card& card) {
  CardEdited edit;
  edit.edit = edit_id(n);
  edit.kind = EditKind::kAdd;
  edit.drawer = card.drawer;
  edit.card = card;
  return edit;
}

inline CardEdited erase_turn(std::uint64_t n, std::uint64_t turn) {
  CardEdited edit;
  edit.edit = edit_id(n);
  edit.kind = EditKind::kEraseTurn;
  edit.drawer = kShared;
  edit.turn = turn_id(turn);
  return edit;
}

template <class T>
T must(Result<T> result) {
  if (result.has_error()) {
    ADD_FAILURE() << result.error().what;
    return T();
  }
  return std::move(*result);
}
inline void must(Status status) {
  if (status.has_error()) ADD_FAILURE() << status.error().what;
}

inline const crypto::Secret& test_key() {
  static const crypto::Secret key(Bytes(32, 0x4B));
  return key;
}

// A box with a local drawer, in memory or in a file of its own; each call is its own transaction.
class TestBox {
 public:
  // In memory; from an image made once, which is quicker than making the tables each time.
  TestBox() {
    static const Bytes image = must(TestBox(std::filesystem::path())->image());
    box_ = must(Box::from_image(image));
  }
  explicit TestBox(const std::filesystem::path& file, const crypto::Secret* data_key = nullptr) {
    BoxOptions options;
    options.file = file;
    options.data_key = data_key;
    auto opened = Box::open(options);
    if (opened.has_error()) throw std::runtime_error(opened.error().what);
    box_ = std::move(*opened);
    write([&](Box& box) -> Status {
      Drawer local;
      local.id = kLocalDrawer;
      local.name = "private";
      KARTEI_TRY(box.put_drawer(local));
      Drawer shared;
      shared.id = kShared;
      shared.name = "work";
      shared.shared = true;
      return box.put_drawer(shared);
    });
  }
  explicit TestBox(std::unique_ptr<Box> box) : box_(std::move(box)) {}

  Box& operator*() { return *box_; }
  Box* operator->() { return box_.get(); }

  template <class Change>
  void write(Change change) {
    auto transaction = box_->begin();
    ASSERT_TRUE(transaction.has_value()) << transaction.error().what;
    Status done = change(*box_);
    ASSERT_TRUE(done.has_value()) << done.error().what;
    Status committed = transaction->commit(Box::Transaction::Durability::kLazy);
    ASSERT_TRUE(committed.has_value()) << committed.error().what;
  }
  void hear(const Turn& turn, std::uint64_t seq = 0) {
    write([&](Box& box) -> Status {
      auto stored = box.store_turn(turn, origin_of(seq));
      return stored.has_error() ? Status{stored.error()} : Status{};
    });
  }
  void entry(std::vector<Delta> deltas) {
    write([&](Box& box) { return box.apply_entry(box.tip_height() + 1, deltas); });
  }
  void local(std::vector<Delta> deltas) {
    write([&](Box& box) { return box.apply_local(deltas); });
  }
  void undo_to(std::uint64_t height) {
    write([&](Box& box) { return box.undo_to(height); });
  }
  void overlay(std::vector<Delta> pending, std::vector<Delta> waiting = {}) {
    write([&](Box& box) { return box.set_overlay(pending, waiting); });
  }
  Hash32 digest(bool with_overlay = true) { return must(box_->digest(with_overlay)); }
  std::optional<Card> card(const Card& card) { return must(box_->card(card.id)); }
  // The model's `visible`, and in the lists: open cards.
  bool shown(const Card& card) {
    for (const Card& one : must(box_->cards({})).cards) {
      if (one.id == card.id) return true;
    }
    return false;
  }

 private:
  std::unique_ptr<Box> box_;
};

// A folder that goes with the test.
class TempDir {
 public:
  TempDir() {
    std::string name = (std::filesystem::temp_directory_path() / "kartei-store-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp");
    path_ = name;
  }
  ~TempDir() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// Takes a file of this format back to format 5, and to format 4, which had no vectors.
#define KARTEI_BACK_TO_FORMAT_5                                        \
  "DROP TABLE forgotten;"                                              \
  "DROP TRIGGER closed_turns_card; DROP TRIGGER closed_turns_end;"     \
  "DROP TRIGGER closed_turns_source; DROP TRIGGER closed_turns_again;" \
  "DROP TABLE closed_turns; PRAGMA user_version = 5;"
inline constexpr char kBackToFormat5[] = KARTEI_BACK_TO_FORMAT_5;
inline constexpr char kBackToFormat4[] = KARTEI_BACK_TO_FORMAT_5
    "DROP TRIGGER turn_vectors_in; DROP TRIGGER turn_vectors_out; DROP TRIGGER "
    "turn_vectors_changed;"
    "DROP TRIGGER card_vectors_in; DROP TRIGGER card_vectors_out; DROP TRIGGER "
    "card_vectors_changed;"
    "DROP TABLE vector_sets; DROP TABLE turn_vectors; DROP TABLE card_vectors;"
    "DROP TABLE vector_chunks; DROP TABLE vector_late; DROP TABLE vector_dead;"
    "PRAGMA user_version = 4;";

}  // namespace kartei::store
