// The rules of ledger_rules.md, section 5, one by one.
#include "tests/store/fixture.h"

namespace kartei::store {
namespace {

TEST(Fold, FilesTurnsAndUnits) {
  TestBox box;
  box.hear(make_turn(1), 1);
  EXPECT_FALSE(must(box->turn_filed(turn_id(1))));
  EXPECT_EQ(must(box->unextracted(false, 10)).size(), 0u);
  box.entry({filed(1)});
  EXPECT_TRUE(must(box->turn_filed(turn_id(1))));
  ASSERT_EQ(must(box->unextracted(false, 10)).size(), 1u);
  EXPECT_EQ(must(box->unextracted(false, 10))[0], make_turn(1));
  EXPECT_EQ(must(box->unextracted_count()), 1u);
  const Card card = make_card({1}, "Maya lives in Berlin.");
  const UnitFiled unit = make_unit({1}, {card});
  box.entry({unit});
  EXPECT_EQ(must(box->unextracted_count()), 0u);
  EXPECT_EQ(must(box->extracted_by(turn_id(1))), unit.unit);
  EXPECT_EQ(box.card(card), card);
  EXPECT_TRUE(box.shown(card));
  EXPECT_EQ(box->tip_height(), 2u);
}

TEST(Fold, ApplyingTwiceChangesNothing) {
  TestBox box;
  box.hear(make_turn(1), 1);
  const Card a = make_card({1}, "a"), b = make_card({1}, "b");
  UnitFiled unit = make_unit({1}, {a, b});
  unit.closes.push_back({a.id, a.sources, card_key(a), {}, b.id, "newer", {}});
  unit.confirmed = {b.id};
  unit.confirmed_by = {turn_id(2)};
  UsageCounted usage{edit_id(9), kShared, b.id, 3, time_from_ms(5)};
  const std::vector<Delta> deltas{filed(1),
                                  unit,
                                  make_edit(1, EditKind::kFlags, b),
                                  make_edit(2, EditKind::kAnnotate, b),
                                  make_add(3, user_card(1, "mine")),
                                  make_edit(4, EditKind::kReplace, b),
                                  usage,
                                  ConversationEnded{edit_id(8), kShared, "c1", time_from_ms(9)}};
  box.entry(deltas);
  const Hash32 once = box.digest();
  box.entry(deltas);
  EXPECT_EQ(box.digest(), once);
  EXPECT_EQ(box.card(b)->times_used, 3u);
  EXPECT_EQ(must(box->conversation_ended_at("c1")), time_from_ms(9));
}

// No content of a delta may fail an entry: it would stop the ledger on every device.
TEST(Fold, TakesTextsWithoutAnyWord) {
  TestBox box;
  std::vector<Card> cards;
  for (const char* text : {"", "!?", "\x01", "🍵"}) cards.push_back(make_card({1}, text));
  cards.push_back(make_card({1}, std::string("a\0b", 3)));
  for (std::uint64_t n = 1; n < 3; ++n) box.hear(make_turn(n, n == 1 ? "" : "..."), n);
  box.entry({filed(1), make_unit({1}, cards)});
  EXPECT_EQ(must(box->cards({})).cards.size(), cards.size());
  box.undo_to(0);
  EXPECT_TRUE(must(box->cards({})).cards.empty());
}

class EndEdit : public testing::TestWithParam<EditKind> {};

// Remembered whether or not its target is there; by id, and by turn and key under other words.
TEST_P(EndEdit, EndsCardsOfNowAndLater) {
  const Card card = make_card({1}, "Maya lives in Berlin");
  const Card joint = make_card({1, 2}, "maya lives in  Berlin.");
  const Card other_turn = make_card({3}, "Maya lives in Berlin");
  const Card other_words = make_card({1}, "Maya likes tea");
  for (const bool edit_first : {true, false}) {
    TestBox box;
    if (!edit_first) box.entry({make_unit({1, 2}, {card, joint, other_words})});
    box.entry({make_edit(1, GetParam(), card)});
    if (edit_first) box.entry({make_unit({1, 2}, {card, joint, other_words})});
    box.entry({make_unit({3}, {other_turn})});
    EXPECT_FALSE(box.shown(card)) << edit_first;
    EXPECT_FALSE(box.shown(joint)) << edit_first;
    EXPECT_TRUE(box.shown(other_turn));
    EXPECT_TRUE(box.shown(other_words));
    EXPECT_TRUE(must(box->edit_filed(edit_id(1))));
    const bool erases = GetParam() == EditKind::kEraseCard;
    EXPECT_EQ(box.card(card).has_value(), !erases);
    EXPECT_EQ(box.card(joint).has_value(), !erases);
  }
}
INSTANTIATE_TEST_SUITE_P(All, EndEdit,
                         testing::Values(EditKind::kClose, EditKind::kReplace,
                                         EditKind::kEraseCard));

TEST(Fold, ReplaceAddsTheUsersCardInAnyCase) {
  TestBox box;
  const Card old = make_card({1}, "Maya lives in Berlin"),
             mine = user_card(1, "Maya lives in Rome");
  CardEdited edit = make_edit(1, EditKind::kReplace, old);
  edit.card = mine;
  edit.note = "moved";
  edit.valid_to = Date{2026, 3, 0, -1, 0};
  box.entry({edit});
  EXPECT_TRUE(box.shown(mine));
  EXPECT_TRUE(box.card(mine)->user_made);
  box.entry({make_unit({1}, {old})});
  ASSERT_TRUE(box.card(old));
  EXPECT_EQ(box.card(old)->state, CardState::kClosed);
  EXPECT_EQ(box.card(old)->replaced_by, mine.id);
  EXPECT_EQ(box.card(old)->why_closed, "moved");
  EXPECT_EQ(box.card(old)->valid_to, edit.valid_to);
  EXPECT_EQ(box.card(old)->closed_at, edit.at);
}

TEST(Fold, FlagsReviveTheCardAndItsEquivalentGivesWay) {
  const Card theirs = make_card({1}, "Maya likes tea"), mine = make_card({1, 2}, "Maya likes tea.");
  for (const bool edit_first : {true, false}) {
    TestBox box;
    if (edit_first) box.entry({make_edit(1, EditKind::kFlags, mine)});
    box.entry({make_unit({1}, {theirs})});
    if (!edit_first) box.entry({make_edit(1, EditKind::kFlags, mine)});
    EXPECT_TRUE(box.shown(mine));
    EXPECT_EQ(box.card(mine)->flags, kNeverForget);
    EXPECT_FALSE(box.shown(theirs));
    EXPECT_EQ(box.card(theirs)->replaced_by, mine.id);
    // Ended by its id only, the other's turn not named: it shows again.
    CardEdited close = make_edit(2, EditKind::kClose, mine);
    close.target_sources = {turn_id(2)};
    box.entry({close});
    EXPECT_FALSE(box.shown(mine));
    EXPECT_TRUE(box.shown(theirs));
  }
}

TEST(Fold, HiddenShowsAgainWhenTheOtherIsErased) {
  TestBox box;
  const Card theirs = make_card({1}, "Maya likes tea"), mine = make_card({1, 2}, "Maya likes tea.");
  box.entry({make_unit({1}, {theirs}), make_edit(1, EditKind::kAnnotate, mine)});
  EXPECT_FALSE(box.shown(theirs));
  CardEdited erase = make_edit(2, EditKind::kEraseCard, mine);
  erase.target_sources = {turn_id(2)};
  erase.target_key.clear();
  box.entry({erase});
  EXPECT_FALSE(box.card(mine));
  // The row's own keys go with it: what says the same from a common turn is erased too.
  EXPECT_FALSE(box.card(theirs));
}

TEST(Fold, BothStayWhenUsersTouchedBoth) {
  TestBox box;
  const Card a = make_card({1}, "Maya likes tea"), b = make_card({1, 2}, "Maya likes tea.");
  box.entry({make_edit(1, EditKind::kFlags, a), make_edit(2, EditKind::kFlags, b)});
  EXPECT_TRUE(box.shown(a));
  EXPECT_TRUE(box.shown(b));
}

TEST(Fold, NothingUnderATombstoneIsStoredAgain) {
  TestBox box;
  const Card card = make_card({1}, "secret"), joint = make_card({1, 2}, "Secret.");
  box.entry({make_unit({1}, {card})});
  box.entry({make_edit(1, EditKind::kEraseCard, card)});
  EXPECT_FALSE(box.card(card));
  box.entry({make_unit({1, 2}, {card, joint}), make_edit(2, EditKind::kFlags, card),
             make_edit(3, EditKind::kFlags, joint), make_add(4, card)});
  EXPECT_FALSE(box.card(card));
  EXPECT_FALSE(box.card(joint));
}

TEST(Fold, EraseTurnTakesEveryCardThatNamesItButTheUsersOwn) {
  TestBox box;
  box.hear(make_turn(1, "secret"), 1);
  Card mine = user_card(1, "my own words");
  mine.sources = {turn_id(1)};
  const Card card = make_card({1, 2}, "secret"), other = make_card({2}, "tea");
  UnitFiled unit = make_unit({1, 2}, {card, other});
  unit.confirmed = {other.id};
  unit.confirmed_by = {turn_id(1)};
  box.entry({filed(1), unit, make_add(1, mine)});
  EXPECT_EQ(box.card(other)->sources.size(), 2u);
  box.entry({erase_turn(2, 1)});
  EXPECT_FALSE(box.card(card));
  EXPECT_FALSE(must(box->turn(turn_id(1))));
  EXPECT_TRUE(must(box->turn_erased(turn_id(1))));
  EXPECT_TRUE(box.shown(mine));
  EXPECT_TRUE(box.shown(other));
  EXPECT_EQ(box.card(other)->sources.size(), 1u);
  // Neither comes back.
  box.write([&](Box& b) -> Status {
    EXPECT_FALSE(must(b.store_turn(make_turn(1), origin_of(1))));
    return {};
  });
  box.entry({make_unit({3}, {card}), make_edit(3, EditKind::kFlags, card)});
  EXPECT_FALSE(box.card(card));
}

TEST(Fold, UserMadeCardsAreHitByIdOnly) {
  TestBox box;
  Card mine = user_card(1, "Maya likes tea");
  mine.sources = {turn_id(1)};
  const Card theirs = make_card({1}, "Maya likes tea");
  box.entry({make_add(1, mine), make_unit({1}, {theirs})});
  EXPECT_TRUE(box.shown(theirs));
  box.entry({make_edit(2, EditKind::kClose, theirs)});
  EXPECT_TRUE(box.shown(mine));
  box.entry({make_edit(3, EditKind::kEraseCard, theirs)});
  EXPECT_TRUE(box.shown(mine));
  box.entry({make_edit(4, EditKind::kEraseCard, mine)});
  EXPECT_FALSE(box.card(mine));
}

// The flags arrive before the record that adds the card.
TEST(Fold, ACopyOfAUsersCardBecomesTheUsersOwn) {
  TestBox box;
  Card mine = user_card(1, "Maya likes tea");
  mine.sources = {turn_id(1)};
  Card copy = mine;
  copy.user_made = false;
  const Card theirs = make_card({1}, "Maya likes tea");
  box.entry({make_edit(1, EditKind::kFlags, copy), make_unit({1}, {theirs})});
  EXPECT_FALSE(box.shown(theirs));
  box.entry({make_add(2, mine)});
  EXPECT_TRUE(box.shown(theirs));
  EXPECT_TRUE(box.card(mine)->user_made);
  EXPECT_EQ(box.card(mine)->flags, kNeverForget);
}

// ---- the secretary's own closes

CardClose close_of(const Card& card, const Card& by) {
  return {card.id, card.sources, card_key(card), Date{2026, 3, 1, -1, 0}, by.id, "moved", {}};
}

TEST(Fold, TheSecretaryClosesByIdAndByTurnAndKey) {
  const Card old = make_card({1}, "Berlin"), same = make_card({1, 9}, "berlin."),
             next = make_card({2}, "Rome");
  for (const bool close_first : {true, false}) {
    TestBox box;
    UnitFiled unit = make_unit({2}, {next});
    unit.closes = {close_of(old, next)};
    if (!close_first) box.entry({make_unit({1, 9}, {old, same})});
    box.entry({unit});
    if (close_first) box.entry({make_unit({1, 9}, {old, same})});
    for (const Card& card : {old, same}) {
      ASSERT_TRUE(box.card(card));
      EXPECT_EQ(box.card(card)->state, CardState::kClosed) << close_first;
      EXPECT_EQ(box.card(card)->replaced_by, next.id);
      EXPECT_EQ(box.card(card)->why_closed, "moved");
      EXPECT_EQ(box.card(card)->valid_to, (Date{2026, 3, 1, -1, 0}));
      EXPECT_EQ(box.card(card)->closed_at, next.recorded_at);
    }
    EXPECT_TRUE(box.shown(next));
    const auto history = must(box->history(next.id));
    ASSERT_EQ(history.size(), 3u);
    EXPECT_EQ(history[2].id, next.id);
  }
}

TEST(Fold, TheSecretaryNeverEndsWhatAUserMadeOrTouched) {
  TestBox box;
  const Card flagged = make_card({1}, "Berlin"), next = make_card({2}, "Rome");
  Card mine = user_card(1, "My words");
  mine.sources = {turn_id(1)};
  UnitFiled unit = make_unit({2}, {next});
  unit.closes = {close_of(flagged, next), close_of(mine, next)};
  box.entry(
      {make_unit({1}, {flagged}), make_edit(1, EditKind::kFlags, flagged), make_add(2, mine)});
  box.entry({unit});
  EXPECT_TRUE(box.shown(flagged));
  EXPECT_TRUE(box.shown(mine));
}

TEST(Fold, FlagsOnACardThatIsClosedAlreadyDoNotReopenIt) {
  TestBox box;
  const Card old = make_card({1}, "Berlin"), next = make_card({2}, "Rome");
  UnitFiled unit = make_unit({2}, {next});
  unit.closes = {close_of(old, next)};
  box.entry({make_unit({1}, {old}), unit});
  box.entry({make_edit(1, EditKind::kFlags, old)});
  EXPECT_EQ(box.card(old)->state, CardState::kClosed);
  EXPECT_EQ(box.card(old)->flags, kNeverForget);
}

TEST(Fold, TheUsersCloseOutranksTheSecretarysAndTheLinkStays) {
  TestBox box;
  const Card old = make_card({1}, "Berlin"), next = make_card({2}, "Rome");
  UnitFiled unit = make_unit({2}, {next});
  unit.closes = {close_of(old, next)};
  CardEdited close = make_edit(1, EditKind::kClose, old);
  close.note = "wrong";
  box.entry({make_unit({1}, {old}), unit, close});
  EXPECT_EQ(box.card(old)->why_closed, "wrong");
  EXPECT_EQ(box.card(old)->closed_at, close.at);
  EXPECT_EQ(box.card(old)->replaced_by, next.id);
}

// ---- what users do beside ending

TEST(Fold, StatesThatUsersSet) {
  TestBox box;
  const Card card = make_card({1}, "tea");
  box.entry({make_unit({1}, {card})});
  box.entry({make_edit(1, EditKind::kArchive, card)});
  EXPECT_EQ(box.card(card)->state, CardState::kArchived);
  box.entry({make_edit(2, EditKind::kReactivate, card)});
  EXPECT_EQ(box.card(card)->state, CardState::kOpen);
  box.entry({make_edit(3, EditKind::kFade, card)});
  EXPECT_EQ(box.card(card)->state, CardState::kFaded);
  box.entry({make_edit(4, EditKind::kClose, card)});
  EXPECT_EQ(box.card(card)->state, CardState::kClosed);
  box.entry({make_edit(5, EditKind::kReactivate, card)});
  EXPECT_EQ(box.card(card)->state, CardState::kOpen);
  EXPECT_EQ(to_ms(box.card(card)->closed_at), 0);
  box.entry({make_edit(6, EditKind::kClose, card)});
  EXPECT_EQ(box.card(card)->state, CardState::kClosed);
  CardEdited importance = make_edit(7, EditKind::kImportance, card);
  importance.importance = 0.9;
  CardEdited note = make_edit(8, EditKind::kAnnotate, card);
  note.note = "first";
  CardEdited second = make_edit(9, EditKind::kAnnotate, card);
  second.note = "second";
  box.entry({importance, note, second});
  EXPECT_EQ(box.card(card)->importance, 0.9);
  EXPECT_EQ(box.card(card)->annotations, (std::vector<std::string>{"first", "second"}));
}

TEST(Fold, CardsFromUntrustedTextWaitForApproval) {
  TestBox box;
  Card card = make_card({1}, "buy this");
  card.trust = Trust::kWebPage;
  box.entry({make_unit({1}, {card})});
  EXPECT_EQ(box.card(card)->state, CardState::kQuarantined);
  EXPECT_FALSE(box.shown(card));
  box.entry({make_edit(1, EditKind::kApprove, card)});
  EXPECT_TRUE(box.shown(card));
}

TEST(Fold, ConfirmationsShowUpToThreeSources) {
  TestBox box;
  const Card card = make_card({1}, "tea");
  UnitFiled unit = make_unit({2, 3, 4}, {});
  unit.confirmed = {card.id, card.id, card.id};
  unit.confirmed_by = {turn_id(2), turn_id(3), turn_id(4)};
  box.entry({unit, make_unit({1}, {card})});  // the confirmation first
  EXPECT_EQ(box.card(card)->sources, (std::vector<TurnId>{turn_id(1), turn_id(2), turn_id(3)}));
  EXPECT_EQ(must(box->cards_of_turn(turn_id(4))).size(), 1u);
}

}  // namespace
}  // namespace kartei::store
