// What is said in one drawer touches nothing in another one, whatever ids it names: who may not
// hold a drawer cannot change it.
#include "tests/store/fixture.h"

namespace kartei::store {
namespace {

const DrawerId kForeign = id_of<DrawerId>(3, 0xD0);

// Two turns of a drawer, one read and one not, and two cards.
class ForeignDrawer : public testing::Test {
 protected:
  void SetUp() override {
    box_.write([](Box& box) -> Status {
      Drawer other;
      other.id = kForeign;
      other.name = "other";
      other.shared = true;
      return box.put_drawer(other);
    });
    box_.hear(make_turn(1), 1);
    box_.hear(make_turn(2), 2);
    box_.entry({filed(1), filed(2)});
    box_.entry({make_unit({1}, {card_, second_})});
    expect_untouched("at the start");
  }
  void expect_untouched(const std::string& after) {
    EXPECT_EQ(box_.card(card_), card_) << after;
    EXPECT_EQ(box_.card(second_), second_) << after;
    EXPECT_TRUE(box_.shown(card_)) << after;
    EXPECT_EQ(must(box_->turn(turn_id(1))), make_turn(1)) << after;
    EXPECT_EQ(must(box_->turn(turn_id(2))), make_turn(2)) << after;
    EXPECT_EQ(must(box_->unextracted_count()), 1u) << after;
    EXPECT_FALSE(must(box_->extracted_by(turn_id(2)))) << after;
    EXPECT_FALSE(must(box_->turn_erased(turn_id(1)))) << after;
  }

  TestBox box_;
  Card card_ = make_card({1}, "Maya lives in Berlin");
  Card second_ = make_card({1}, "Maya likes tea");
};

TEST_F(ForeignDrawer, EditsTouchNothing) {
  std::uint64_t n = 1;
  for (const EditKind kind :
       {EditKind::kClose, EditKind::kReplace, EditKind::kFlags, EditKind::kAnnotate,
        EditKind::kImportance, EditKind::kArchive, EditKind::kFade, EditKind::kReactivate,
        EditKind::kApprove, EditKind::kEraseCard}) {
    CardEdited edit = make_edit(n, kind, card_);
    edit.drawer = kForeign;
    edit.note = "from elsewhere";
    if (kind == EditKind::kReplace) {
      edit.card = user_card(n, "Maya lives in Paris");
      edit.card->drawer = kForeign;
    }
    box_.entry({edit});
    expect_untouched("edit " + std::to_string(static_cast<int>(kind)));
    ++n;
  }
  CardEdited erase = erase_turn(n, 1);
  erase.drawer = kForeign;
  box_.entry({erase});
  expect_untouched("erased turn");
}

TEST_F(ForeignDrawer, UnitsTouchNothing) {
  Card same = make_card({1}, card_.text, kForeign);
  same.id = card_.id;
  UnitFiled unit = make_unit({2}, {same, make_card({2}, "something", kForeign)}, kForeign);
  unit.closes.push_back({card_.id, card_.sources, card_key(card_), {}, same.id, "newer", {}});
  unit.confirmed = {card_.id};
  unit.confirmed_by = {turn_id(2)};
  box_.entry({unit, UsageCounted{edit_id(50), kForeign, card_.id, 3, time_from_ms(5)}});
  expect_untouched("unit");
  // The secretary reads the turn all the same.
  const Card real = make_card({2}, "Maya has a cat");
  box_.entry({make_unit({2}, {real})});
  EXPECT_TRUE(box_.shown(real));
  EXPECT_EQ(must(box_->unextracted_count()), 0u);
}

// Neither does a foreign tombstone stand in the way of the drawer's own, nor the other way round.
TEST_F(ForeignDrawer, EachDrawerErasesForItself) {
  CardEdited foreign = erase_turn(1, 9), own = erase_turn(2, 9);
  foreign.drawer = kForeign;
  box_.entry({foreign});
  box_.hear(make_turn(9), 3);
  box_.entry({filed(9)});
  EXPECT_TRUE(must(box_->turn(turn_id(9)))) << "heard all the same";
  EXPECT_FALSE(must(box_->turn_erased(turn_id(9))));
  box_.entry({own});
  EXPECT_FALSE(must(box_->turn(turn_id(9))));
  EXPECT_TRUE(must(box_->turn_erased(turn_id(9))));
  foreign.edit = edit_id(3);
  box_.entry({foreign});
  EXPECT_TRUE(must(box_->turn_erased(turn_id(9))));
  box_.hear(make_turn(9), 4);
  EXPECT_FALSE(must(box_->turn(turn_id(9)))) << "stays erased";
}

// The copy of a card that was moved out names the turns and the words of the one that is left.
TEST_F(ForeignDrawer, TheErasureOfACopyElsewhereLeavesTheOwnItsTombstones) {
  Card copy = user_card(1, card_.text);
  copy.drawer = kForeign;
  copy.sources = card_.sources;
  box_.entry({make_add(1, copy)});
  CardEdited erase = make_edit(2, EditKind::kEraseCard, copy);
  erase.target_sources = card_.sources;
  erase.target_key = card_key(card_);
  box_.entry({erase});
  expect_untouched("erased copy");
  box_.entry({make_edit(3, EditKind::kEraseCard, card_)});
  Card again = card_;
  again.colour = Colour::kEvent;  // another id for the same words of the same turn
  again.id = derive_card_id(Bytes(32, 7), again);
  ASSERT_NE(again.id, card_.id);
  box_.entry({make_unit({1}, {again})});
  EXPECT_FALSE(box_.card(again)) << "stays erased";
}

// A user's card is found by its id alone: whoever knew it once cannot take its tombstone away.
TEST_F(ForeignDrawer, ATombstoneIsNotTakenOver) {
  const Card own = user_card(1, "Maya sings");
  box_.entry({make_add(1, own), make_edit(2, EditKind::kEraseCard, own)});
  CardEdited foreign = make_edit(3, EditKind::kEraseCard, own);
  foreign.drawer = kForeign;
  box_.entry({foreign});
  box_.entry({make_edit(4, EditKind::kFlags, own)});  // late, with a copy
  EXPECT_FALSE(box_.card(own)) << "stays erased";
}

TEST_F(ForeignDrawer, TheDrawersOwnEditStillHolds) {
  box_.entry({make_edit(1, EditKind::kClose, card_)});
  EXPECT_FALSE(box_.shown(card_));
  box_.entry({make_edit(2, EditKind::kEraseCard, second_)});
  EXPECT_FALSE(box_.card(second_));
}

}  // namespace
}  // namespace kartei::store
