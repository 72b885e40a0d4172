// What runs of forgetting do to cards in the fold, and how it is taken back.
#include "store/forgotten.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "store/fold_tables.h"
#include "store/sql.h"
#include "tests/store/fixture.h"

namespace kartei::store {

namespace {

RunId run_id(std::uint64_t n) {
  return id_of<RunId>(n, 0xF0);
}

CardEdited step(std::uint64_t n, EditKind kind, const Card& card, std::uint64_t run) {
  CardEdited edit;
  edit.edit = edit_id(n);
  edit.kind = kind;
  edit.drawer = card.drawer;
  edit.target = card.id;
  edit.run = run_id(run);
  edit.at = time_from_ms(1'700'000'300'000 + static_cast<std::int64_t>(n));
  edit.note = "because";
  return edit;
}

class ForgottenTest : public ::testing::Test {
 protected:
  Card made(std::uint64_t turn, const std::string& text, Colour colour = Colour::kEvent) {
    Card card = make_card({turn}, text);
    card.colour = colour;
    box_.entry({make_unit({turn}, {card})});
    return card;
  }
  CardState state(const Card& card) { return box_.card(card)->state; }
  void take(EditKind kind, const Card& card, std::uint64_t run) {
    box_.entry({step(++count_, kind, card, run)});
  }
  std::vector<Forgotten> steps(const Card& card) { return must(read_steps_of(*box_, card.id)); }

  TestBox box_;
  std::uint64_t count_ = 100;
};

TEST_F(ForgottenTest, StepsFollowEachOther) {
  const Card card = made(1, "Maya went skating.");
  take(EditKind::kTrash, card, 1);  // not from there
  EXPECT_EQ(state(card), CardState::kOpen);
  take(EditKind::kFade, card, 2);
  EXPECT_EQ(state(card), CardState::kFaded);
  take(EditKind::kFade, card, 3);  // it is
  take(EditKind::kArchive, card, 4);
  EXPECT_EQ(state(card), CardState::kArchived);
  take(EditKind::kTrash, card, 5);
  EXPECT_EQ(state(card), CardState::kArchived);
  ASSERT_EQ(steps(card).size(), 3u);
  EXPECT_EQ(steps(card)[0].step, Forgotten::kTrashed);
  EXPECT_EQ(steps(card)[2].run, run_id(2));
  EXPECT_EQ(steps(card)[2].why, "because");
  take(EditKind::kEraseCard, card, 6);
  EXPECT_FALSE(box_.card(card));
  EXPECT_TRUE(must(box_->card_erased(card.id)));
  EXPECT_TRUE(steps(card).empty());
}

TEST_F(ForgottenTest, WhatIsProtectedIsLeftAlone) {
  const Card rule = made(1, "The assistant should be brief.", Colour::kRule);
  const Card kept = made(2, "Maya went skating.");
  const Card stays = made(3, "Maya went rowing.");
  CardEdited flags = make_edit(++count_, EditKind::kFlags, kept);
  flags.flags = kPersistent;
  box_.entry({flags, make_edit(++count_, EditKind::kFlags, stays)});
  const Hash32 before = box_.digest();
  for (const Card& card : {rule, kept, stays}) {
    for (const EditKind kind : {EditKind::kFade, EditKind::kArchive, EditKind::kCondense,
                                EditKind::kTrash, EditKind::kEraseCard}) {
      take(kind, card, 7);
      EXPECT_EQ(state(card), CardState::kOpen);
      EXPECT_TRUE(steps(card).empty());
    }
  }
  EXPECT_NE(box_.digest(), before);  // the edits are known, and nothing else has changed
}

TEST_F(ForgottenTest, OnlyTheTrashIsErased) {
  const Card card = made(1, "Maya went skating.");
  for (const EditKind kind : {EditKind::kFade, EditKind::kArchive}) {
    take(kind, card, static_cast<std::uint64_t>(kind) + 10);
    take(EditKind::kEraseCard, card, 30);
    EXPECT_TRUE(box_.card(card));
  }
}

// A tombstone by what it says would take the card that its user has kept along.
TEST_F(ForgottenTest, ErasingTakesNothingElseAlong) {
  const Card card = made(1, "Maya went skating.");
  Card other = make_card({1}, "Maya went skating.");
  other.id = id_of<CardId>(9, 0xCA);
  box_.entry({make_edit(++count_, EditKind::kArchive, other)});  // filed from its copy
  ASSERT_TRUE(box_.card(other));
  take(EditKind::kTrash, other, 1);
  take(EditKind::kEraseCard, other, 2);
  EXPECT_FALSE(box_.card(other));
  EXPECT_TRUE(box_.card(card));
}

TEST_F(ForgottenTest, WhoeverProtectsACardHasItBack) {
  const Card card = made(1, "Maya went skating.");
  const Card put_away = made(2, "Maya went rowing.");
  take(EditKind::kFade, card, 1);
  take(EditKind::kArchive, card, 2);
  box_.entry({make_edit(++count_, EditKind::kArchive, put_away)});
  box_.entry({make_edit(++count_, EditKind::kFlags, card),
              make_edit(++count_, EditKind::kFlags, put_away)});
  EXPECT_EQ(state(card), CardState::kOpen);
  EXPECT_EQ(state(put_away), CardState::kArchived);  // by himself
}

TEST_F(ForgottenTest, ARunIsTakenBack) {
  const Card card = made(1, "Maya went skating.");
  take(EditKind::kFade, card, 1);
  take(EditKind::kArchive, card, 2);
  take(EditKind::kTakeBack, card, 2);
  EXPECT_EQ(state(card), CardState::kFaded);
  take(EditKind::kTakeBack, card, 1);
  EXPECT_EQ(state(card), CardState::kOpen);
  EXPECT_TRUE(steps(card).empty());
  take(EditKind::kFade, card, 1);  // the same run, late
  EXPECT_EQ(state(card), CardState::kOpen);
  take(EditKind::kFade, card, 3);
  EXPECT_EQ(state(card), CardState::kFaded);
}

TEST_F(ForgottenTest, WhatFollowedIsTakenBackWithIt) {
  const Card card = made(1, "Maya went skating.");
  take(EditKind::kFade, card, 1);
  take(EditKind::kArchive, card, 2);
  take(EditKind::kTrash, card, 3);
  take(EditKind::kTakeBack, card, 1);
  EXPECT_EQ(state(card), CardState::kOpen);
  EXPECT_TRUE(steps(card).empty());
}

TEST_F(ForgottenTest, TakingBackMayComeFirst) {
  const Card card = made(1, "Maya went skating.");
  take(EditKind::kTakeBack, card, 1);
  take(EditKind::kFade, card, 1);
  EXPECT_EQ(state(card), CardState::kOpen);
}

TEST_F(ForgottenTest, OneCardStandsForOthers) {
  const Card first = made(1, "Maya went skating on 3 May 2024.");
  const Card second = made(2, "Maya went skating on 9 May 2024.");
  const Card all = make_card({1, 2}, "Maya went skating twice in May 2024.");
  std::vector<Delta> run;
  CardEdited add = step(++count_, EditKind::kAdd, all, 1);
  add.card = all;
  add.target = {};
  run.emplace_back(add);
  for (const Card& card : {first, second}) {
    run.emplace_back(step(++count_, EditKind::kFade, card, 8));
    CardEdited condense = step(++count_, EditKind::kCondense, card, 1);
    condense.stands_in = all.id;
    run.emplace_back(condense);
  }
  box_.entry(run);
  EXPECT_EQ(state(first), CardState::kArchived);
  EXPECT_EQ(box_.card(first)->replaced_by, all.id);
  EXPECT_EQ(must(box_->history(all.id)).size(), 3u);
  EXPECT_EQ(must(box_->history(first.id)).back().id, all.id);
  for (const Forgettable& one : must(read_forgettable(*box_, 0, 10)))
    EXPECT_EQ(one.made, one.card.id == all.id);

  for (const Card& card : {all, first, second}) take(EditKind::kTakeBack, card, 1);
  EXPECT_FALSE(box_.card(all));
  EXPECT_EQ(state(first), CardState::kFaded);
  EXPECT_TRUE(box_.card(first)->replaced_by.is_zero());
  box_.entry(run);  // late
  EXPECT_FALSE(box_.card(all));
  EXPECT_EQ(state(second), CardState::kFaded);
}

// As an import brings it.
TEST_F(ForgottenTest, AnArchivedCardKeepsWhatStandsForIt) {
  const Card all = user_card(1, "Maya went skating twice in May 2024.");
  Card one = user_card(2, "Maya went skating on 3 May 2024.");
  one.state = CardState::kArchived;
  one.replaced_by = all.id;
  box_.entry({make_add(1, all), make_add(2, one)});
  EXPECT_EQ(state(one), CardState::kArchived);
  EXPECT_EQ(box_.card(one)->replaced_by, all.id);
  EXPECT_EQ(must(box_->history(all.id)).size(), 2u);
}

TEST_F(ForgottenTest, AReactivatedCardCountsAsNew) {
  const Card card = made(1, "Maya went skating.");
  take(EditKind::kFade, card, 1);
  CardEdited back = make_edit(++count_, EditKind::kReactivate, card);
  box_.entry({back});
  EXPECT_EQ(state(card), CardState::kOpen);
  const auto cards = must(read_forgettable(*box_, 0, 10));
  ASSERT_EQ(cards.size(), 1u);
  EXPECT_EQ(cards[0].renewed_at, back.at);
  EXPECT_EQ(cards[0].step, Forgotten::kTakenBack);
}

TEST_F(ForgottenTest, RunsAreListed) {
  const Card card = made(1, "Maya went skating."), other = made(2, "Maya went rowing.");
  take(EditKind::kFade, card, 1);
  take(EditKind::kFade, other, 1);
  take(EditKind::kArchive, card, 2);
  const auto runs = must(read_forgetting_runs(*box_, {}, 10));
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_EQ(runs[0].run, run_id(2));
  EXPECT_EQ(runs[1].faded, 2u);
  EXPECT_EQ(must(read_forgotten(*box_, run_id(1), {}, 10)).size(), 2u);
  EXPECT_EQ(must(read_forgotten(*box_, run_id(1), {}, 1)).size(), 1u);
  EXPECT_EQ(must(read_forgetting_runs(*box_, runs[0].at, 10)).size(), 1u);
  const StateCounts counts = must(count_states(*box_));
  EXPECT_EQ(counts.faded, 1u);
  EXPECT_EQ(counts.archived, 1u);
}

// A drawer that is shared keeps what was forgotten in it.
TEST_F(ForgottenTest, ADrawerTakesItAlong) {
  Card card = make_card({1}, "Maya went skating.", kLocalDrawer);
  Card away = make_card({2}, "Maya went rowing.", kLocalDrawer);
  Card back = make_card({3}, "Maya went sailing.", kLocalDrawer);
  for (Card* one : {&card, &away, &back}) one->colour = Colour::kEvent;
  for (std::uint64_t n = 1; n <= 3; ++n) {
    box_.write([&](Box& box) -> Status {
      auto stored = box.store_turn(make_turn(n, "words", kLocalDrawer), {});
      return stored.has_error() ? Status{stored.error()} : Status{};
    });
  }
  Card all = make_card({1}, "Maya went skating twice.", kLocalDrawer);
  CardEdited add = step(50, EditKind::kAdd, all, 4);
  add.card = all;
  CardEdited condense = step(51, EditKind::kCondense, card, 4);
  condense.stands_in = all.id;
  box_.local({make_unit({1}, {card}, kLocalDrawer), make_unit({2}, {away}, kLocalDrawer),
              make_unit({3}, {back}, kLocalDrawer), step(40, EditKind::kFade, card, 1),
              make_edit(41, EditKind::kArchive, away), step(42, EditKind::kFade, back, 1),
              step(43, EditKind::kTakeBack, back, 1), add, condense});
  const auto view = [&] {
    std::vector<std::string> all_cards;
    for (const Forgettable& one : must(read_forgettable(*box_, 0, 10))) {
      all_cards.push_back(one.card.text + to_text(one.card.state) + one.card.replaced_by.text() +
                          std::to_string(one.step) + std::to_string(to_ms(one.step_at)) +
                          std::to_string(to_ms(one.renewed_at)) + (one.made ? "made" : ""));
    }
    std::sort(all_cards.begin(), all_cards.end());
    return all_cards;
  };
  const auto before = view();
  ASSERT_EQ(before.size(), 4u);
  std::vector<Delta> content;
  box_.write([&](Box& box) -> Status {
    auto taken = box.take_drawer(kLocalDrawer);
    if (taken.has_error()) return taken.error();
    content = std::move(*taken);
    return {};
  });
  EXPECT_TRUE(view().empty());
  box_.local(content);
  EXPECT_EQ(view(), before);
}

// Whatever runs do, in whatever order: taking all of them back leaves every card as it was.
TEST_F(ForgottenTest, TakingAllBackRestoresEveryCard) {
  rc::check([] {
    TestBox box;
    std::vector<Card> cards;
    for (std::uint64_t n = 1; n <= 4; ++n) {
      Card card = make_card({n}, "Maya did thing " + std::to_string(n) + ".");
      card.colour = n == 4 ? Colour::kRule : Colour::kEvent;
      box.entry({make_unit({n}, {card})});
      cards.push_back(card);
    }
    const auto view = [&] {
      std::vector<Card> all;
      for (const Card& card : cards) all.push_back(*box.card(card));
      return all;
    };
    const auto before = view();
    std::uint64_t n = 100;
    const int steps = *rc::gen::inRange(1, 12);
    for (int i = 0; i < steps; ++i) {
      const auto kind = *rc::gen::element(EditKind::kFade, EditKind::kArchive, EditKind::kCondense,
                                          EditKind::kTrash, EditKind::kTakeBack);
      const auto& card = cards[*rc::gen::inRange<std::size_t>(0, 4)];
      CardEdited edit = step(++n, kind, card, *rc::gen::inRange<std::uint64_t>(1, 4));
      if (kind == EditKind::kCondense) edit.stands_in = cards[0].id;
      box.entry({edit});
    }
    for (std::uint64_t run = 3; run >= 1; --run)
      for (const Card& card : cards) box.entry({step(++n, EditKind::kTakeBack, card, run)});
    RC_ASSERT(view() == before);
  });
}

}  // namespace

}  // namespace kartei::store
