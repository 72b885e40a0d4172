// What the secretary has not read: found along a table of its own, in bounded parts, none left out.
#include <chrono>
#include <map>

#include "store/box_impl.h"
#include "tests/store/fixture.h"

namespace kartei::store {
namespace {

Turn turn_in(std::uint64_t n, std::string conversation, DrawerId drawer) {
  Turn turn = make_turn(n, "word", drawer);
  turn.conversation = std::move(conversation);
  return turn;
}

TEST(Unread, IsReadByConversationAndDrawer) {
  TestBox box;
  box.local({TurnHeard{turn_in(1, "a", kLocalDrawer)}, TurnHeard{turn_in(2, "b", kLocalDrawer)},
             TurnHeard{turn_in(3, "a", kLocalDrawer)}});
  box.hear(turn_in(4, "a", kShared), 4);
  EXPECT_EQ(must(box->unextracted_count()), 3U);  // not filed: not to be read yet
  box.entry({filed(4)});
  EXPECT_EQ(must(box->unextracted_count()), 4U);
  const auto part = must(box->unread_of("a", true, 9));
  ASSERT_EQ(part.size(), 2U);
  EXPECT_EQ(part[0].id, turn_id(1));
  EXPECT_EQ(part[1].id, turn_id(3));
  EXPECT_EQ(must(box->unread_of("a", true, 1)).size(), 1U);
  EXPECT_EQ(must(box->unread_of("a", false, 9)).size(), 1U);
  EXPECT_TRUE(must(box->unread_of("c", true, 9)).empty());

  box.local({ConversationEnded{edit_id(1), kLocalDrawer, "b", time_from_ms(1'900'000'000'000)}});
  const auto found = must(box->unread_conversations(true, 9));
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].name, "b");
  EXPECT_TRUE(found[0].asked);
  EXPECT_EQ(found[1].turns, 2U);
  EXPECT_FALSE(found[1].asked);

  box.local({make_unit({1, 3}, {}, kLocalDrawer)});
  EXPECT_TRUE(must(box->unread_of("a", true, 9)).empty());
  box.undo_to(0);  // not filed any more
  EXPECT_EQ(must(box->unextracted_count()), 1U);
  box.entry({filed(4), make_unit({4}, {})});
  EXPECT_EQ(must(box->unextracted_count()), 1U);
  box.undo_to(0);
  box.entry({filed(4)});
  EXPECT_EQ(must(box->unread_of("a", false, 9)).size(), 1U);
  EXPECT_TRUE(must(box->check()).empty());
}

// A turn whose record comes after the entry that files it, one that is erased, and one that comes
// back with an undo.
TEST(Unread, FollowsTurnsAndTheirErasing) {
  TestBox box;
  box.entry({filed(1)});
  EXPECT_EQ(must(box->unextracted_count()), 0U);
  box.hear(make_turn(1), 1);
  EXPECT_EQ(must(box->unextracted_count()), 1U);
  box.entry({erase_turn(7, 1)});
  EXPECT_EQ(must(box->unextracted_count()), 0U);
  box.undo_to(1);
  EXPECT_EQ(must(box->unread_of("c1", false, 9)).size(), 1U);
  EXPECT_TRUE(must(box->check()).empty());
}

TEST(Unread, MoreThanWasEverLookedAtAtOnceIsReadToTheEnd) {
  constexpr std::uint64_t kTurns = 70'000, kConversations = 12'000, kPart = 20;
  TestBox box;
  std::vector<Delta> heard;
  for (std::uint64_t n = 1; n <= kTurns; ++n)
    heard.emplace_back(
        TurnHeard{turn_in(n, "c" + std::to_string(n % kConversations), kLocalDrawer)});
  box.local(std::move(heard));
  EXPECT_EQ(must(box->unextracted_count()), kTurns);
  const auto began = std::chrono::steady_clock::now();
  std::size_t read = 0;
  box.write([&](Box& in) -> Status {
    for (;;) {
      KARTEI_ASSIGN(const auto conversations, in.unread_conversations(true, 4'096));
      if (conversations.empty()) return {};
      for (const UnreadConversation& one : conversations) {
        KARTEI_ASSIGN(const auto part, in.unread_of(one.name, true, kPart));
        read += part.size();
        UnitFiled unit;
        unit.drawer = kLocalDrawer;
        for (const Turn& turn : part) unit.sources.push_back(turn.id);
        unit.unit = derive_unit_id(unit);
        KARTEI_TRY(in.apply_local(std::vector<Delta>{unit}));
      }
    }
  });
  const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::steady_clock::now() - began);
  EXPECT_EQ(read, kTurns);
  EXPECT_EQ(must(box->unextracted_count()), 0U);
  EXPECT_FALSE(must(box->anything_unextracted(true)));
  RecordProperty("ms", static_cast<int>(took.count()));
  std::printf("70,000 turns in 12,000 conversations, all parts: %d ms\n",
              static_cast<int>(took.count()));
}

// A file of format 3, with something unread and something read: as an older Kartei left it.
TEST(Unread, AnOlderFileIsBroughtUpToDate) {
  TempDir dir;
  const auto file = dir.path() / "box";
  {
    TestBox box(file);
    box.local({TurnHeard{make_turn(1, "one", kLocalDrawer)},
               TurnHeard{make_turn(2, "two", kLocalDrawer)},
               make_unit({2}, {make_card({2}, "two", kLocalDrawer)}, kLocalDrawer)});
    Card first = user_card(1, "moved by an older Kartei"), second = first;
    first.drawer = second.drawer = kLocalDrawer;
    second.id = id_of<CardId>(2, 0xCA);
    box.local({make_add(1, first), make_add(2, second), make_edit(3, EditKind::kArchive, first)});
    Db db(box->writer());
    must(db.script(
        std::string(kBackToFormat4) +
        "DROP TABLE moves; DROP TABLE unread; DROP TRIGGER unread_filed; DROP TRIGGER "
        "unread_not_filed; DROP TRIGGER unread_read; DROP TRIGGER unread_again; DROP TRIGGER "
        "unread_turn; DROP TRIGGER unread_no_turn; CREATE INDEX filed_unread ON filed(drawer) "
        "WHERE "
        "read = 0; ALTER TABLE turn_docs DROP COLUMN sum; ALTER TABLE card_docs DROP COLUMN sum; "
        "PRAGMA user_version = 3"));
  }
  for (int opening = 0; opening < 2; ++opening) {
    TestBox box(file);
    EXPECT_EQ(must(box->unextracted_count()), 1U);
    EXPECT_TRUE(must(box->check()).empty());
    EXPECT_TRUE(must(box->check_words()).empty());
    Db db(box->writer());
    EXPECT_EQ(must(db.integer("SELECT count(*) FROM moves", 0)), 1);
    box.local({TurnHeard{make_turn(3 + opening, "more", kLocalDrawer)},
               make_unit({std::uint64_t(3 + opening)}, {}, kLocalDrawer)});
  }
}

}  // namespace
}  // namespace kartei::store
