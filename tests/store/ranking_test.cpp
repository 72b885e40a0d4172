// What is handed out first, and what at all: the order of turns and cards.
#include "store/search.h"
#include "store/weights.h"
#include "tests/store/librarian_fixture.h"

namespace kartei::store {
namespace {

double leg_of(const RecallItem& item, const std::string& name) {
  for (const Leg& leg : item.legs)
    if (leg.name == name) return leg.score;
  return 0;
}

TEST_F(LibrarianTest, WhoeverIsBroughtAlongLivesByWhoBroughtHim) {
  hear(1, "How often do you row on the lake?", "Tomasz");
  hear(2, "Twice a week, before breakfast.", "Maya");
  const RecallAnswer answer = recall("How often does she row on the lake?");
  ASSERT_EQ(answer.items.size(), 2U);
  EXPECT_EQ(answer.items[1].id, "t2");
  EXPECT_GT(leg_of(answer.items[1], "neighbours"), 0.2);
}

}  // namespace
}  // namespace kartei::store
