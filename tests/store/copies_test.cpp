// A card that comes from elsewhere as it stood, and cards that are one another's copies.
#include "tests/store/fixture.h"

namespace kartei::store {
namespace {

Card in_drawer(Card card, std::uint64_t id, DrawerId drawer) {
  card.id = id_of<CardId>(id, 0xCA);
  card.drawer = drawer;
  return card;
}

TEST(BroughtCard, IsWhatItWasElsewhere) {
  for (const CardState state : {CardState::kOpen, CardState::kClosed, CardState::kFaded,
                                CardState::kArchived, CardState::kQuarantined})
    for (const bool user_made : {true, false})
      for (const Trust trust : {Trust::kUser, Trust::kWebPage}) {
        TestBox box;
        Card card = make_card({1, 2}, "Sam likes tea.", kLocalDrawer);
        card.user_made = user_made;
        card.trust = trust;
        card.state = state;
        card.annotations = {"green", "hot"};
        card.times_used = 7;
        card.last_used = time_from_ms(1'700'000'500'000);
        if (state == CardState::kClosed) {
          card.closed_at = time_from_ms(1'700'000'300'000);
          card.replaced_by = id_of<CardId>(99, 0xCA);
          card.why_closed = "coffee now";
          card.valid_to = must(Date::parse("2026-03"));
        }
        box.local({make_add(1, card)});
        const auto there = box.card(card);
        ASSERT_TRUE(there);
        EXPECT_EQ(*there, card) << to_text(state) << user_made << to_text(trust);
        box.local({make_add(2, card)});  // once is enough
        EXPECT_EQ(*box.card(card), card);
      }
}

TEST(BroughtCard, StaysWithWhatWasSaidOfItSince) {
  TestBox box;
  Card closed = user_card(1, "tea");
  closed.state = CardState::kClosed;
  closed.closed_at = time_from_ms(1'700'000'300'000);
  box.entry({make_add(1, closed), make_edit(2, EditKind::kReactivate, closed)});
  box.entry({make_add(3, closed)});  // another device took in the same
  EXPECT_EQ(box.card(closed)->state, CardState::kOpen);
  Card erased = user_card(2, "milk");
  box.entry({make_edit(4, EditKind::kEraseCard, erased), make_add(5, erased)});
  EXPECT_FALSE(box.card(erased));
}

TEST(Copies, AreFoundByTheirMoveAndByTheirWords) {
  TestBox box;
  const Card first = in_drawer(make_card({1}, "Sam likes tea."), 1, kLocalDrawer);
  Card second = in_drawer(first, 2, kShared), third = in_drawer(first, 3, kLocalDrawer);
  second.user_made = third.user_made = true;
  Card other = in_drawer(user_card(4, "Sam likes tea."), 4, kLocalDrawer);
  other.recorded_at = time_from_ms(1'700'000'100'001);  // the same words at another moment
  box.local({make_unit({1}, {first}, kLocalDrawer), make_edit(1, EditKind::kArchive, first),
             make_add(2, third), make_add(3, other)});
  box.entry({make_add(4, second), make_edit(5, EditKind::kArchive, second)});
  for (const Card& one : {first, second, third})
    EXPECT_EQ(must(box->copies_of(one.id)).size(), 2U) << one.id.text();
  EXPECT_TRUE(must(box->copies_of(other.id)).empty());
}

TEST(Copies, OfTwoOpenCardsNeitherIsTheOthers) {
  TestBox box;
  const Card one = in_drawer(user_card(1, "tea"), 1, kLocalDrawer);
  const Card two = in_drawer(user_card(2, "tea"), 2, kShared);
  box.local({make_add(1, one)});
  box.entry({make_add(2, two)});
  EXPECT_TRUE(must(box->copies_of(one.id)).empty());
  box.write([&](Box& in) { return in.note_move(one.id, two.id); });
  EXPECT_EQ(must(box->copies_of(one.id)), std::vector<CardId>{two.id});
  EXPECT_TRUE(must(box->originals_of_erased()).empty());
  box.entry({make_edit(3, EditKind::kEraseCard, two)});
  EXPECT_EQ(must(box->originals_of_erased()), std::vector<CardId>{one.id});
  box.local({make_edit(4, EditKind::kEraseCard, one)});
  EXPECT_TRUE(must(box->originals_of_erased()).empty());
}

}  // namespace
}  // namespace kartei::store
