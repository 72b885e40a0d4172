// A branch that loses is taken back exactly; the overlay leaves no trace.
#include <rapidcheck.h>

#include <algorithm>

#include "store/sql.h"
#include "tests/store/fixture.h"

namespace kartei::store {
namespace {

// A small world, so that random deltas meet: six turns, few words, cards over one or two turns.
Card some_card() {
  const auto first = *rc::gen::inRange<std::uint64_t>(1, 7);
  const auto second = *rc::gen::inRange<std::uint64_t>(1, 7);
  const bool joint = *rc::gen::arbitrary<bool>();
  static const char* const kWords[] = {"Maya likes tea", "maya likes tea.", "Maya lives in Rome"};
  const std::string text = kWords[*rc::gen::inRange(0, 3)];
  return make_card(
      joint ? std::vector<std::uint64_t>{first, second} : std::vector<std::uint64_t>{first}, text);
}

Delta some_delta(std::uint64_t number) {
  const int kind = *rc::gen::inRange(0, 16);
  if (kind == 0) return filed(*rc::gen::inRange<std::uint64_t>(1, 7));
  if (kind <= 4) {
    UnitFiled unit =
        make_unit({*rc::gen::inRange<std::uint64_t>(1, 7)}, {some_card(), some_card()});
    const Card old = some_card();
    if (kind == 2)
      unit.closes = {{old.id, old.sources, card_key(old), {}, unit.cards[0].id, "w", {}}};
    if (kind == 3) {
      unit.confirmed = {some_card().id};
      unit.confirmed_by = {turn_id(*rc::gen::inRange<std::uint64_t>(1, 7))};
    }
    unit.unit = derive_unit_id(unit);
    return unit;
  }
  if (kind == 5) return erase_turn(number, *rc::gen::inRange<std::uint64_t>(1, 7));
  if (kind == 6) return make_add(number, user_card(*rc::gen::inRange<std::uint64_t>(1, 4), "mine"));
  if (kind == 7) return UsageCounted{edit_id(number), kShared, some_card().id, 2, time_from_ms(7)};
  if (kind == 8) return ConversationEnded{edit_id(number), kShared, "c1", time_from_ms(9)};
  const auto edit_kind = static_cast<EditKind>(*rc::gen::inRange(1, 15));
  if (edit_kind == EditKind::kEraseTurn) return erase_turn(number, 1);
  const bool of_user = *rc::gen::inRange(0, 6) == 0;
  const Card target =
      of_user ? user_card(*rc::gen::inRange<std::uint64_t>(1, 4), "mine") : some_card();
  CardEdited edit = make_edit(number, edit_kind, target);
  if (edit_kind == EditKind::kReplace) edit.card = user_card(number + 100, "new words");
  if (*rc::gen::inRange(0, 4) == 0) edit.flags = 0;
  if (*rc::gen::inRange(0, 2) == 0)
    edit.run = id_of<RunId>(*rc::gen::inRange<std::uint64_t>(1, 4), 0xF0);
  if (edit_kind == EditKind::kCondense) edit.stands_in = some_card().id;
  return edit;
}

std::vector<Delta> some_deltas(std::uint64_t& number) {
  std::vector<Delta> deltas;
  const int count = *rc::gen::inRange(1, 6);
  for (int i = 0; i < count; ++i) deltas.push_back(some_delta(++number));
  return deltas;
}

// Everything in the tables, rows' numbers included.
Bytes all_rows(Box& box) {
  Db db(box.writer());
  Bytes out;
  for (const char* table :
       {"turns", "filed", "extracted", "cards", "card_sources", "ends", "end_keys", "edits",
        "tombstones", "confirmations", "usage", "conversations_ended", "undo"}) {
    Query query = db.query(std::string("SELECT * FROM ") + table);
    while (query.next()) {
      for (int column = 0; column < query.columns(); ++column) {
        const ByteView value = query.blob(column);
        out.insert(out.end(), value.begin(), value.end());
        out.push_back(0xFF);
      }
    }
  }
  return out;
}

void hear_all(TestBox& box) {
  for (std::uint64_t n = 1; n < 7; ++n) box.hear(make_turn(n), n);
}

TEST(Undo, RandomBranchesAreTakenBackExactly) {
  EXPECT_TRUE(rc::check([] {
    TestBox box;
    hear_all(box);
    std::uint64_t number = 0;
    const int before = *rc::gen::inRange(0, 4), after = *rc::gen::inRange(1, 4);
    for (int i = 0; i < before; ++i) box.entry(some_deltas(number));
    const Hash32 digest = box.digest();
    const std::uint64_t height = box->tip_height();
    std::vector<std::vector<Delta>> branch;
    std::vector<Hash32> on_the_way;
    for (int i = 0; i < after; ++i) {
      branch.push_back(some_deltas(number));
      box.entry(branch.back());
      on_the_way.push_back(box.digest());
      ++number;
      CardEdited local = make_add(number + 1000, user_card(number + 1000, "local"));
      local.drawer = kLocalDrawer;
      box.local({local});
      box.overlay(some_deltas(number), some_deltas(number));
    }
    box.undo_to(height);
    RC_ASSERT(box.digest() == digest);
    // And forward again: the same.
    for (std::size_t i = 0; i < branch.size(); ++i) {
      box.entry(branch[i]);
      RC_ASSERT(box.digest() == on_the_way[i]);
    }
    box.undo_to(height);
    RC_ASSERT(box.digest() == digest);
  }));
}

TEST(Undo, RowsAreTheSameBitByBit) {
  EXPECT_TRUE(rc::check([] {
    TestBox box;
    hear_all(box);
    std::uint64_t number = 0;
    for (int i = 0; i < 2; ++i) box.entry(some_deltas(number));
    const Bytes rows = all_rows(*box);
    box.overlay(some_deltas(number), some_deltas(number));
    box.overlay(some_deltas(number));
    box.entry(some_deltas(number));
    box.undo_to(2);
    RC_ASSERT(all_rows(*box) == rows);
  }));
}

TEST(Undo, OverlayIsReplacedAndLeftOutOfTheFold) {
  TestBox box;
  hear_all(box);
  box.entry({filed(1), filed(2)});
  const Hash32 fold = box.digest();
  const Card lost = make_card({1}, "tea"), mine = user_card(1, "mine");
  box.overlay({make_add(1, mine)}, {make_unit({1}, {lost})});
  EXPECT_TRUE(box.card(lost)->waiting);
  EXPECT_TRUE(box.card(mine)->pending);
  EXPECT_NE(box.digest(true), fold);
  EXPECT_EQ(box.digest(false), fold);
  EXPECT_FALSE(must(box->edit_filed(edit_id(1))));
  EXPECT_FALSE(must(box->extracted_by(turn_id(1))));
  EXPECT_EQ(must(box->unextracted_count()), 2u);
  box.overlay({erase_turn(2, 2)});
  EXPECT_FALSE(box.card(lost));
  EXPECT_FALSE(must(box->turn(turn_id(2))));
  EXPECT_FALSE(must(box->turn_erased(turn_id(2))));
  box.overlay({});
  EXPECT_EQ(box.digest(true), fold);
  EXPECT_TRUE(must(box->turn(turn_id(2))));
}

TEST(Undo, AWaitingUnitWhoseTurnIsTakenShowsNothing) {
  TestBox box;
  hear_all(box);
  const Card won = make_card({1}, "tea"), lost = make_card({1}, "coffee");
  box.entry({filed(1), make_unit({1}, {won})});
  box.overlay({}, {make_unit({1, 2}, {lost})});
  EXPECT_FALSE(box.card(lost));
}

TEST(Undo, OnlyWhatIsNotFinal) {
  TestBox box;
  for (std::uint64_t n = 1; n <= 3; ++n) box.entry({make_add(n, user_card(n, "x"))});
  box.write([](Box& b) { return b.forget_undo_through(2); });
  auto transaction = box->begin();
  EXPECT_TRUE(box->undo_to(1).has_error());
  EXPECT_TRUE(transaction->commit(Box::Transaction::Durability::kLazy).has_error());
}

TEST(Undo, AGapInTheEntriesIsRefused) {
  TestBox box;
  auto transaction = box->begin();
  EXPECT_TRUE(box->apply_entry(2, {}).has_error());
}

TEST(Undo, ADrawerThatWasRemovedDoesNotComeBack) {
  TestBox box;
  const Card card = make_card({1}, "tea");
  box.hear(make_turn(1), 1);
  box.entry({filed(1), make_unit({1}, {card})});
  box.entry({make_edit(1, EditKind::kEraseCard, card)});
  box.write([](Box& b) { return b.remove_drawer(kShared); });
  EXPECT_FALSE(must(box->turn(turn_id(1))));
  box.undo_to(0);
  EXPECT_FALSE(box.card(card));
  EXPECT_FALSE(must(box->edit_filed(edit_id(1))));
}

// Records that were written before later tables came name the turns by this number.
TEST(Undo, TurnsKeepTheirNumber) {
  TestBox box;
  box.hear(make_turn(1));
  box.entry({filed(1)});
  box.entry({erase_turn(1, 1)});
  Db db(box->writer());
  Query query = db.query("SELECT changes FROM undo WHERE slot = 2");
  ASSERT_TRUE(query.next());
  const Bytes changes = to_bytes(query.blob(0));
  const Bytes deleted_turn = {11, 2};
  EXPECT_NE(std::search(changes.begin(), changes.end(), deleted_turn.begin(), deleted_turn.end()),
            changes.end());
}

}  // namespace
}  // namespace kartei::store
