// Taking a local drawer out as deltas that bring the same about again; and what is left to read.
#include <gtest/gtest.h>

#include <algorithm>

#include "store/librarian.h"
#include "tests/store/fixture.h"

namespace kartei::store {
namespace {

// A local drawer with everything that one can hold: turns read and unread, cards of the secretary's
// and the user's, one closed, one replaced, one used, one erased.
class TakeDrawerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    for (std::uint64_t n = 1; n <= 3; ++n) hear(n);
    first_ = make_card({1}, "Maya lives in Hamburg.", kLocalDrawer);
    second_ = make_card({2}, "Maya likes tea.", kLocalDrawer);
    own_ = own(11, "Maya lives in Leipzig.");
    erased_ = own(12, "zanzibarquux");
    other_ = own(13, "Sam likes coffee.");
    box_.local({TurnHeard{turn(1)}, TurnHeard{turn(2)}, TurnHeard{turn(3)},
                make_unit({1, 2}, {first_, second_}, kLocalDrawer), make_add(1, own_),
                make_add(2, erased_), make_add(3, other_)});
    CardEdited replace = make_edit(4, EditKind::kReplace, first_);
    replace.card = own_;
    replace.valid_to = must(Date::parse("2025-10"));
    replace.note = "moved";
    CardEdited close = make_edit(5, EditKind::kClose, other_);
    UsageCounted used{edit_id(6), kLocalDrawer, second_.id, 3, time_from_ms(1'700'000'900'000)};
    box_.local({replace, close, used, make_edit(7, EditKind::kEraseCard, erased_)});
  }
  static Turn turn(std::uint64_t n) { return make_turn(n, "hello", kLocalDrawer); }
  void hear(std::uint64_t n) {
    box_.write([&](Box& box) -> Status {
      auto stored = box.store_turn(turn(n), {});
      return stored.has_error() ? Status{stored.error()} : Status{};
    });
  }
  static Card own(std::uint64_t n, const std::string& text) {
    Card card = user_card(n, text);
    card.drawer = kLocalDrawer;
    return card;
  }
  std::vector<Delta> take() {
    std::vector<Delta> out;
    box_.write([&](Box& box) -> Status {
      auto taken = box.take_drawer(kLocalDrawer);
      if (taken.has_error()) return taken.error();
      out = std::move(*taken);
      return Status{};
    });
    return out;
  }
  // As sharing does: the turns by their records, all else as deltas.
  void put_back(const std::vector<Delta>& deltas) {
    for (const Delta& delta : deltas)
      if (const auto* heard = std::get_if<TurnHeard>(&delta)) {
        box_.write([&](Box& box) -> Status {
          auto stored = box.store_turn(heard->turn, {});
          return stored.has_error() ? Status{stored.error()} : Status{};
        });
      }
    box_.local(deltas);
  }

  TestBox box_;
  Card first_, second_, own_, erased_, other_;
};

TEST_F(TakeDrawerTest, NothingIsLeftAndTheDrawerStays) {
  const Card elsewhere = user_card(20, "In the shared drawer.");
  box_.entry({make_add(20, elsewhere)});
  take();
  for (const Card& card : {first_, second_, own_, other_})
    EXPECT_FALSE(box_.card(card)) << card.text;
  EXPECT_FALSE(must(box_->turn(turn_id(1))));
  EXPECT_TRUE(must(box_->drawer(kLocalDrawer)));
  EXPECT_TRUE(box_.card(elsewhere));
  EXPECT_FALSE(must(box_->anything_unextracted(true)));
  EXPECT_TRUE(take().empty()) << "a second time there is nothing";
}

TEST_F(TakeDrawerTest, PuttingItBackGivesTheSame) {
  const auto before = must(box_->cards({{}, std::nullopt, {}, {}, {}, {}, 50})).cards;
  ASSERT_EQ(before.size(), 4u);
  const std::vector<Delta> taken = take();
  put_back(taken);
  for (const Card& card : before) {
    const auto after = box_.card(card);
    ASSERT_TRUE(after) << card.text;
    EXPECT_EQ(after->state, card.state) << card.text;
    EXPECT_EQ(after->text, card.text);
    EXPECT_EQ(after->valid_to, card.valid_to) << card.text;
    EXPECT_EQ(after->replaced_by, card.replaced_by) << card.text;
    EXPECT_EQ(after->why_closed, card.why_closed) << card.text;
    EXPECT_EQ(after->sources, card.sources) << card.text;
    EXPECT_EQ(after->times_used, card.times_used) << card.text;
    EXPECT_EQ(after->user_made, card.user_made) << card.text;
  }
  EXPECT_FALSE(box_.card(erased_));
  box_.local({make_add(30, erased_)});
  EXPECT_FALSE(box_.card(erased_)) << "what was erased stays so";
  EXPECT_TRUE(must(box_->extracted_by(turn_id(1))));
  EXPECT_FALSE(must(box_->extracted_by(turn_id(3))));
  EXPECT_EQ(must(box_->unextracted(true, 9)).size(), 1u) << "turn 3 is still to be read";
}

TEST_F(TakeDrawerTest, TheDeltasSurviveTheirEncoding) {
  const std::vector<Delta> taken = take();
  const auto again = decode_deltas(encode(taken));
  ASSERT_TRUE(again.has_value()) << again.error().what;
  EXPECT_EQ(*again, taken);
}

TEST(AnythingUnextracted, SaysWhatUnextractedWouldGive) {
  TestBox box;
  const auto agrees = [&](const char* when) {
    for (const bool local : {true, false}) {
      EXPECT_EQ(must(box->anything_unextracted(local)), !must(box->unextracted(local, 1)).empty())
          << when << ", local " << local;
    }
  };
  agrees("empty");
  box.hear(make_turn(1), 1);
  agrees("heard, not filed");
  EXPECT_FALSE(must(box->anything_unextracted(false)));
  box.entry({filed(1)});
  agrees("filed");
  EXPECT_TRUE(must(box->anything_unextracted(false)));
  box.entry({make_unit({1}, {})});
  agrees("read");
  EXPECT_FALSE(must(box->anything_unextracted(false)));
  box.undo_to(1);
  agrees("taken back");
  EXPECT_TRUE(must(box->anything_unextracted(false)));
  box.entry({erase_turn(1, 1)});
  agrees("erased");
  EXPECT_FALSE(must(box->anything_unextracted(false)));
  Turn local = make_turn(2, "hello", kLocalDrawer);
  box.write([&](Box& open) -> Status {
    auto stored = open.store_turn(local, {});
    return stored.has_error() ? Status{stored.error()} : Status{};
  });
  box.local({TurnHeard{local}});
  agrees("local");
  EXPECT_TRUE(must(box->anything_unextracted(true)));
  EXPECT_FALSE(must(box->anything_unextracted(false)));
}

}  // namespace
}  // namespace kartei::store
