#include "store/values.h"

#include "tests/store/fixture.h"

namespace kartei::store {
namespace {

TEST(Values, NormalisedText) {
  EXPECT_EQ(normalised_text("  Maya \t LIVES\nin Berlin. "), "maya lives in berlin");
  EXPECT_EQ(normalised_text("ÄÖÜÉ×ß"), "äöüé×ß");
  EXPECT_EQ(normalised_text("a\u00A0b"), "a b");
  EXPECT_EQ(normalised_text("茶。"), "茶。");
  EXPECT_EQ(normalised_text("."), "");
  EXPECT_EQ(normalised_text("tea ."), "tea");
  EXPECT_EQ(normalised_text("\xC3"), "\xC3");
}

TEST(Values, KeyIsTheTripleWhereItIsKnown) {
  Card card = make_card({1}, "Maya moved to Berlin.");
  EXPECT_EQ(card_key(card), "maya moved to berlin");
  card.subject = "Maya";
  card.relation = "Lives in";
  EXPECT_EQ(card_key(card), "maya moved to berlin");
  card.object = "Berlin";
  EXPECT_EQ(card_key(card),
            "maya\x1flives in\x1f"
            "berlin");
}

TEST(Values, CardIdSaysWhatTheCardIsMadeOf) {
  const Bytes secret(32, 1), other_secret(32, 2);
  Card card = make_card({1, 2}, "Tea.");
  const CardId id = derive_card_id(secret, card);
  std::swap(card.sources[0], card.sources[1]);
  card.text = " tea";
  card.importance = 1;
  EXPECT_EQ(derive_card_id(secret, card), id);
  EXPECT_NE(derive_card_id(other_secret, card), id);
  Card changed = card;
  changed.colour = Colour::kRule;
  EXPECT_NE(derive_card_id(secret, changed), id);
  changed = card;
  changed.drawer = kLocalDrawer;
  EXPECT_NE(derive_card_id(secret, changed), id);
  changed = card;
  changed.sources.pop_back();
  EXPECT_NE(derive_card_id(secret, changed), id);
}

TEST(Values, NamesThereAndBack) {
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(role_from_text(to_text(static_cast<Role>(i))), static_cast<Role>(i));
    EXPECT_EQ(colour_from_text(to_text(static_cast<Colour>(i))), static_cast<Colour>(i));
  }
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(trust_from_text(to_text(static_cast<Trust>(i))), static_cast<Trust>(i));
  }
  for (int i = 0; i < 6; ++i) {
    const auto state = static_cast<CardState>(i);
    EXPECT_EQ(card_state_from_text(to_text(state)), state);
  }
  EXPECT_FALSE(role_from_text("pope"));
  EXPECT_EQ(flag_names(kPersistent | kNeverForget),
            (std::vector<std::string>{"persistent", "never_forget"}));
  for (std::uint32_t flag : {kPersistent, kHighPriority, kNeverForget}) {
    EXPECT_EQ(flag_from_name(flag_names(flag).at(0)), flag);
  }
}

TEST(Ids, TextThereAndBack) {
  const TurnId id = turn_id(0x1234);
  EXPECT_EQ(TurnId::from_text(id.text()), id);
  EXPECT_EQ(id.text().size(), 32u);
  EXPECT_FALSE(TurnId::from_text("12"));
  EXPECT_FALSE(TurnId::from_text(std::string(32, 'g')));
  EXPECT_TRUE(TurnId{}.is_zero());
}

}  // namespace
}  // namespace kartei::store
