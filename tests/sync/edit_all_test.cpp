// Many edits at once: all or none, one record for all, on the others too.
#include "tests/sync/engine_testing.h"

namespace kartei::sync {
namespace {
using namespace testing;
using store::CardEdited;
using store::EditKind;

CardEdited adding(const std::string& text, store::DrawerId drawer) {
  CardEdited add;
  add.kind = EditKind::kAdd;
  add.drawer = drawer;
  add.card.emplace();
  add.card->text = text;
  add.card->user_made = true;
  return add;
}

CardEdited archiving(store::CardId card) {
  CardEdited archive;
  archive.kind = EditKind::kArchive;
  archive.target = card;
  return archive;
}

std::size_t open_cards(World& w, int device) {
  std::size_t count = 0;
  for (const store::Card& card : w.cards(device)) count += card.state == store::CardState::kOpen;
  return count;
}

TEST(EditAll, IsAllOrNone) {
  World w(1);
  std::size_t commits = 0;
  w.d(1).box->observe_commits([&](bool) { ++commits; });
  std::vector<CardEdited> edits{adding("one", w.drawer()), archiving({}),
                                adding("two", w.drawer())};
  EXPECT_TRUE(w.d(1).engine->edit_all(edits, w.now()).has_error()) << "there is no such card";
  EXPECT_EQ(open_cards(w, 1), 0u);
  edits.erase(edits.begin() + 1);
  EXPECT_EQ(must(w.d(1).engine->edit_all(edits, w.now())).size(), 2u);
  EXPECT_EQ(open_cards(w, 1), 2u);
  EXPECT_EQ(commits, 1u);
  w.d(1).box->observe_commits({});
}

TEST(EditAll, ALaterEditMayBeAboutAnEarlierOnesCard) {
  World w(2);
  CardEdited first = adding("Maya lives in Hamburg.", w.drawer());
  first.card->id.bytes[0] = 7;
  CardEdited next = adding("Maya lives in Leipzig.", w.drawer());
  next.kind = EditKind::kReplace;
  next.target = first.card->id;
  const auto ids = must(w.d(1).engine->edit_all({first, next}, w.now()));
  w.take(1);
  w.both(1, 2);
  for (int device : {1, 2}) {
    const auto old = must(w.d(device).box->card(ids[0]));
    ASSERT_TRUE(old.has_value()) << device;
    EXPECT_EQ(old->state, store::CardState::kClosed);
    EXPECT_EQ(old->replaced_by, ids[1]);
  }
  EXPECT_EQ(w.digest(1), w.digest(2));
}

// Whatever part of the records another device has: it sees the card once.
TEST(EditAll, AMoveBetweenSharedDrawersIsOneRecord) {
  World w(2);
  const auto kitchen = w.make_shared(1, "kitchen", {});
  w.both(1, 2);
  const auto card =
      must(w.d(1).engine->edit_all({adding("Sam likes tea.", w.drawer())}, w.now())).front();
  w.both(1, 2);
  const auto records = [&] {
    std::uint64_t count = 0;
    for (const store::FeedRange& range : must(w.d(1).box->records().feeds()))
      if (range.feed.device == w.d(1).id()) count += range.end - range.start;
    return count;
  };
  const std::uint64_t before = records();
  must(w.d(1).engine->edit_all({adding("Sam likes tea.", kitchen), archiving(card)}, w.now()));
  EXPECT_EQ(records(), before + 1);
  EXPECT_EQ(open_cards(w, 1), 1u);
  EXPECT_EQ(open_cards(w, 2), 1u);
  w.both(1, 2);
  EXPECT_EQ(open_cards(w, 2), 1u);
  w.take(2);
  w.both(1, 2);
  EXPECT_EQ(open_cards(w, 1), 1u);
  EXPECT_EQ(open_cards(w, 2), 1u);
  EXPECT_EQ(w.digest(1), w.digest(2));
}

TEST(EditAll, MoreThanOneRecordHoldsIsStillOneCommit) {
  World w(2);
  std::vector<CardEdited> edits;
  for (int i = 0; i < 40; ++i)
    edits.push_back(adding(std::to_string(i) + std::string(16'000, 'x'), w.drawer()));
  std::size_t commits = 0;
  w.d(1).box->observe_commits([&](bool) { ++commits; });
  must(w.d(1).engine->edit_all(edits, w.now()));
  EXPECT_EQ(commits, 1u);
  w.d(1).box->observe_commits({});
  w.take(1);
  for (int i = 0; i < 4; ++i) w.both(1, 2);
  EXPECT_EQ(open_cards(w, 2), 40u);
}

}  // namespace
}  // namespace kartei::sync
