// Sentences of many kinds and the cards that they make, as a table. A card is written "f text
// [dates]": f fact, e event, r rule; "f-" one that the same talk closes again.
#include <string>
#include <vector>

#include "tests/daemon/secretary_corpus_changes.h"
#include "tests/daemon/secretary_corpus_facts.h"
#include "tests/daemon/secretary_corpus_life.h"
#include "tests/daemon/secretary_corpus_silence.h"
#include "tests/daemon/secretary_harness.h"

namespace kartei::daemon {
namespace {

std::string written(const store::UnitFiled& unit, const store::Card& card) {
  const bool closed = std::any_of(unit.closes.begin(), unit.closes.end(),
                                  [&](const store::CardClose& c) { return c.card == card.id; });
  std::string out(1, store::to_text(card.colour)[0]);
  out += (closed ? "-" : " ") + card.text;
  std::string dates = card.valid_from.text();
  if (card.valid_to.known()) dates += ".." + card.valid_to.text();
  if (!dates.empty()) out += " [" + dates + "]";
  return out;
}

void check(const std::vector<corpus::Row>& rows) {
  for (const corpus::Row& row : rows) {
    Desk desk;
    const store::UnitFiled unit = desk.say(row.talk);
    std::vector<std::string> got;
    for (const store::Card& card : unit.cards) got.push_back(written(unit, card));
    const std::vector<std::string> want(row.cards.begin(), row.cards.end());
    EXPECT_EQ(got, want) << row.talk;
  }
}

TEST(SecretaryCorpus, Facts) {
  check(corpus::facts());
}
TEST(SecretaryCorpus, Life) {
  check(corpus::life());
}
TEST(SecretaryCorpus, Changes) {
  check(corpus::changes());
}
TEST(SecretaryCorpus, Silence) {
  check(corpus::silence());
}

TEST(SecretaryCorpus, IsLargeAndHoldsSilence) {
  const auto silent = corpus::silence().size();
  EXPECT_GE(corpus::facts().size() + corpus::life().size() + corpus::changes().size() + silent,
            200u);
  EXPECT_GE(silent, 60u);
  for (const corpus::Row& row : corpus::silence()) EXPECT_TRUE(row.cards.empty()) << row.talk;
}

// What holds for every card, whatever was said.
TEST(SecretaryCorpus, CardsKeepTheirRules) {
  for (const auto& rows : {corpus::facts(), corpus::life(), corpus::changes()}) {
    for (const corpus::Row& row : rows) {
      Desk desk;
      for (const store::Card& card : desk.say(row.talk).cards) {
        EXPECT_GE(card.sources.size(), 1u) << row.talk;
        EXPECT_LE(card.sources.size(), 3u) << row.talk;
        EXPECT_GE(card.tags.size(), 3u) << row.talk;
        EXPECT_LE(card.tags.size(), 7u) << row.talk;
        EXPECT_FALSE(card.subject.empty()) << row.talk;
        EXPECT_FALSE(card.relation.empty()) << row.talk;
        EXPECT_EQ(card.subject, store::normalised_text(card.subject)) << row.talk;
        EXPECT_EQ(card.trust, store::Trust::kUser);
        for (std::string_view banned :
             {" I ", " my ", "yesterday", "tomorrow", "last week", "next week"}) {
          EXPECT_EQ(card.text.find(banned), std::string::npos) << card.text;
        }
      }
    }
  }
}

}  // namespace
}  // namespace kartei::daemon
