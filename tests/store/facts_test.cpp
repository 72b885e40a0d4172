// What ranking knows of rows in memory is what the tables say, whatever changes them.
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>

#include "store/facts_keeper.h"
#include "store/recall.h"
#include "tests/store/librarian_fixture.h"

namespace kartei::store {
namespace {

std::string bag_words(const ShortBag& bag) {
  std::string words;
  for (const char* word : {"hello", "tea", "rain", "maya", "cello"})
    words += std::to_string(bag.times(token_hash(word))) + " ";
  return words;
}

std::string told(ByteView row, RowKind kind, const FactDrawers& drawers) {
  if (row.empty()) return "gone";
  if (kind == RowKind::kTurn) {
    const TurnFacts turn = turn_facts(row);
    return std::to_string(turn.conversation) + " " + std::to_string(turn.said_at_ms) + " " +
           std::to_string(static_cast<int>(turn.role)) + " " + std::to_string(turn.length) + " " +
           bag_words(turn.bag);
  }
  const CardFacts card = card_facts(row, drawers);
  std::string text = card.drawer.text() + " " + to_hex(card.sources) + " " + bag_words(card.bag);
  for (const std::int64_t number :
       {std::int64_t{card.state}, static_cast<std::int64_t>(card.colour),
        static_cast<std::int64_t>(card.trust), std::int64_t{card.length}, std::int64_t{card.flags},
        std::int64_t{card.times_used}, card.valid_from, card.valid_to, card.recorded_at_ms,
        card.closed_at_ms, card.last_used_ms})
    text += std::to_string(number) + " ";
  return text + std::to_string(card.importance);
}

void expect_as_on_disk(Box& box) {
  const auto facts = box.facts().index()->current();
  ASSERT_TRUE(facts);
  Db db(box.writer());
  for (const RowKind kind : {RowKind::kTurn, RowKind::kCard}) {
    FactReading reading;
    std::map<std::int64_t, std::string> there;
    for (const auto& row : must(reading.behind(db, kind, 0, 10'000)))
      there[row.rid] = told(row.bytes, kind, *reading.drawers());
    for (std::int64_t rid = 0; rid <= facts->rows(kind).highest() + 1; ++rid) {
      const std::string known = told(facts->rows(kind).row(rid), kind, *facts->drawers);
      EXPECT_EQ(known, there.count(rid) != 0 ? there[rid] : "gone") << rid;
    }
    const std::int64_t last = there.empty() ? 0 : there.rbegin()->first;
    EXPECT_LE(last, facts->rows(kind).highest());
  }
}

void expect_right_neighbours(Box& box) {
  const auto facts = box.facts().index()->current();
  Db db(box.writer());
  Query query =
      db.query("SELECT rid, conversation FROM turn_docs ORDER BY conversation, said_at, rid");
  std::vector<std::pair<std::int64_t, std::int64_t>> turns;
  while (query.next()) turns.emplace_back(query.integer(0), query.integer(1));
  for (std::size_t i = 0; i < turns.size(); ++i) {
    const auto [rid, conversation] = turns[i];
    const auto beside = facts->beside(rid);
    if (!beside) continue;  // asked of the disk
    const bool first = i == 0 || turns[i - 1].second != conversation;
    const bool last = i + 1 == turns.size() || turns[i + 1].second != conversation;
    EXPECT_EQ(beside->before, first ? 0 : turns[i - 1].first) << rid;
    EXPECT_EQ(beside->after, last ? 0 : turns[i + 1].first) << rid;
  }
}

// Something that a box may go through. Numbers name turns and cards, few enough to meet again.
void happen(TestBox& box, std::uint64_t& count, int what, std::uint64_t number) {
  static const char* const kTexts[] = {"hello", "tea and tea", "rain in May", "the cello", ""};
  Turn turn = make_turn(++count, kTexts[number % 5]);
  turn.conversation = "c" + std::to_string(number % 3);
  // Often of one moment, and now and then of an earlier one.
  turn.said_at.at =
      time_from_ms(1'700'000'000'000 + static_cast<std::int64_t>(count - number % 7 / 6 * 3) * 500);
  Card card = user_card(1 + number % 4, kTexts[number % 5]);
  card.drawer = kLocalDrawer;
  switch (what) {
    case 0:
    case 1:
      return box.hear(turn, count);
    case 2:
      return box.local({make_add(count, card)});
    case 3:
      return box.local({make_edit(count, static_cast<EditKind>(number % 6), card)});
    case 4:
      return box.entry(
          {filed(1 + number % count),
           make_unit({1 + number % count}, {make_card({1 + number % count}, "rain")})});
    case 5: {
      const std::uint64_t tip = box->tip_height();
      return box.undo_to(tip - std::min<std::uint64_t>(tip, number % 3));
    }
    case 6:
      return box.overlay({erase_turn(count, 1 + number % count)});
    case 7:
      return box.entry({erase_turn(count, 1 + number % count)});
    case 8: {
      const auto unfinished = box->begin();
      ASSERT_TRUE(unfinished.has_value());
      must(box->store_turn(turn, origin_of(count)));
      return;  // taken back
    }
    default:
      must(box->scrub());
  }
}

RC_GTEST_PROP(Facts, AreWhatTheTablesSay, ()) {
  TestBox box;
  std::uint64_t count = 0;
  const auto steps = *rc::gen::container<std::vector<std::pair<int, std::uint64_t>>>(
      rc::gen::pair(rc::gen::inRange(0, 10), rc::gen::inRange<std::uint64_t>(0, 60)));
  const auto loaded_at = *rc::gen::inRange<std::size_t>(0, steps.size() + 1);
  bool loaded = false;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    // A few rows at a time, while others come.
    if (i >= loaded_at && !loaded) loaded = must(box->facts().load(2));
    happen(box, count, steps[i].first, steps[i].second);
  }
  while (!loaded) loaded = must(box->facts().load(2));
  expect_as_on_disk(*box);
  expect_right_neighbours(*box);
  RC_ASSERT(!::testing::Test::HasFailure());
}

RC_GTEST_PROP(Facts, AShortBagTellsWhatTheBagTells, ()) {
  const auto words = *rc::gen::container<std::vector<std::string>>(
      rc::gen::element<std::string>("tea", "rain", "cello", "river", "night", "bread"));
  std::string text;
  for (const std::string& word : words) text += word + " ";
  const Indexed indexed = Indexer().turn("Maya", text, "");
  Bytes bytes;
  ShortBag::append(BagView(indexed.bag), bytes);
  const ShortBag bag(bytes);
  for (const char* word : {"tea", "rain", "cello", "river", "night", "bread", "maya", "other"})
    RC_ASSERT(bag.times(token_hash(word)) == BagView(indexed.bag).times(token_hash(word)));
  for (std::size_t size = 0; size < bytes.size(); ++size)
    RC_ASSERT(ShortBag(ByteView(bytes).first(size)).times(token_hash("tea")) == 0U);
}

TEST(Facts, AShortBagOfManyTokensTellsThemAll) {
  for (const int count : {1, 60, 300, 700}) {
    std::string text;
    for (int n = 0; n < count; ++n) {
      text += "w" + std::to_string(n * 7919) + " ";
      if (n % 17 == 0) text += "w" + std::to_string(n * 7919) + " ";
    }
    const Indexed indexed = Indexer().turn("Maya", text, "");
    const BagView bag(indexed.bag);
    Bytes bytes;
    ShortBag::append(bag, bytes);
    const ShortBag its(bytes);
    ASSERT_GT(bag.size(), 0U);
    for (std::size_t i = 0; i < bag.size(); ++i)
      EXPECT_EQ(its.times(bag.hash(i)), bag.times_at(i)) << i << " of " << count;
    // Of 22 bits: a stranger is taken for one of them in one of 2^22 / count.
    int taken = 0;
    for (std::uint32_t n = 1; n <= 1'000; ++n) taken += its.times(n * 4'294'967U) > 0 ? 1 : 0;
    EXPECT_LE(taken, 4) << count;
  }
}

TEST(Facts, ShortAndLongRowsAreFoundAgain) {
  for (const std::size_t size : {10U, 255U, 257U, 4'000U}) {
    std::vector<FactRows::Change> changes;
    for (std::int64_t rid = 1; rid <= 600; ++rid)
      changes.push_back({rid, Bytes(size + rid % 3, static_cast<std::uint8_t>(rid))});
    FactRows rows = FactRows().with(changes);
    rows = rows.with({{300, {}}});
    for (const FactRows::Change& change : changes) {
      const ByteView row = rows.row(change.rid);
      if (change.rid == 300)
        EXPECT_TRUE(row.empty());
      else
        EXPECT_EQ(Bytes(row.begin(), row.end()), change.bytes) << change.rid << " of " << size;
    }
  }
}

class FactsTest : public LibrarianTest {
 protected:
  std::vector<std::string> asked(const std::shared_ptr<const RowFacts>& facts,
                                 const std::string& query) {
    Db db(box_->writer());
    Stemmer stemmer;
    Vocabulary vocabulary(box_->piece_hashes());
    RecallRequest request;
    request.query = query;
    request.explain = true;
    const auto answer = must(Recall(db, stemmer, vocabulary, Weights{}, {}, facts).run(request));
    std::vector<std::string> told = {answer.text};
    for (const RecallItem& item : answer.items) {
      told.push_back(item.id);
      for (const Leg& leg : item.legs) told.push_back(leg.name + " " + std::to_string(leg.score));
    }
    return told;
  }
};

TEST_F(FactsTest, ChangeNothingInAnAnswer) {
  for (std::uint64_t n = 1; n <= 300; ++n)
    hear(n, n % 3 == 0 ? "A cello in the rain, number " + std::to_string(n) : "Tea, then.",
         n % 2 == 0 ? "Maya" : "Jonas", [&](Turn& turn) {
           turn.conversation = "c" + std::to_string(n / 20);
           turn.role = n % 2 == 0 ? Role::kUser : Role::kAssistant;
         });
  const Card tea = add("Maya drinks green tea.", "Maya");
  add("Jonas plays the cello.", "Jonas");
  replace(tea, "Maya drinks black tea.", "2025-03-01");
  must(box_->facts().load());
  // What comes later is read from the disk by whoever still holds the facts of before.
  const auto before = box_->facts().index()->current();
  hear(301, "The cello is at the repair shop.");
  for (const std::string query :
       {"Who plays the cello?", "What did Maya drink before?", "rain", "What did Jonas say?"}) {
    const auto on_disk = asked(nullptr, query);
    EXPECT_GT(on_disk.size(), 3U);
    EXPECT_EQ(asked(box_->facts().index()->current(), query), on_disk) << query;
    EXPECT_EQ(asked(before, query), on_disk) << query;
  }
}

TEST_F(FactsTest, OfAFewDrawersOnlyTheirs) {
  hear(1, "The cello is mine.");
  hear(2, "The cello is at work.", "Maya", [](Turn& turn) { turn.drawer = kShared; });
  add("Jonas plays the cello.");
  must(box_->facts().load());
  const auto answer = recall("cello", [](RecallRequest& request) { request.drawers = {"work"}; });
  ASSERT_EQ(answer.items.size(), 1U);
  EXPECT_EQ(answer.items[0].id, "t2");
}

// The one who asks sees an earlier state than memory: what is gone there is not handed out, and
// nothing fails.
TEST_F(FactsTest, WhatIsGoneMeanwhileIsLeftOut) {
  TempDir dir;
  TestBox box(dir.path() / "box");
  box.local({TurnHeard{make_turn(1, "A cello.", kLocalDrawer)}});
  Card card = user_card(1, "Maya plays the cello.");
  card.drawer = kLocalDrawer;
  box.local({make_add(1, card)});
  must(box->facts().load());
  const auto before = box->facts().index()->current();
  box.local({make_edit(2, EditKind::kEraseCard, card)});
  CardEdited gone = erase_turn(3, 1);
  gone.drawer = kLocalDrawer;
  box.local({gone});
  Db db(box->writer());
  Stemmer stemmer;
  Vocabulary vocabulary(box->piece_hashes());
  RecallRequest request;
  request.query = "cello";
  auto answer = Recall(db, stemmer, vocabulary, Weights{}, {}, before).run(request);
  ASSERT_TRUE(answer.has_value()) << answer.error().what;
  EXPECT_TRUE(answer->items.empty());
}

// Only a turn that came to stand in front of what was said before it puts a conversation out of
// order; one that is taken out and comes back to its place, or has other words, does not.
TEST_F(FactsTest, ATurnThatIsReadAgainKeepsTheOrder) {
  TestBox box;
  for (std::uint64_t n = 1; n <= 5; ++n) box.hear(make_turn(n, "tea " + std::to_string(n)), n);
  must(box->facts().load());
  const auto beside = [&](std::int64_t rid) {
    return box->facts().index()->current()->beside(rid);
  };
  for (const std::uint64_t erased : {2U, 5U, 3U}) {
    const std::uint64_t tip = box->tip_height();
    box.entry({erase_turn(100 + erased, erased)});
    box.undo_to(tip);
    const auto rid = static_cast<std::int64_t>(erased);
    ASSERT_TRUE(beside(rid)) << erased;
    EXPECT_EQ(beside(rid)->before, rid - 1);
    EXPECT_EQ(beside(rid)->after, erased == 5 ? 0 : rid + 1);
  }
  expect_as_on_disk(*box);
  // Words changed; then it was said later than the one behind it.
  Db db(box->writer());
  must(db.run("UPDATE turns SET text = 'rain' WHERE rid = 3"));
  box->facts().committed();
  EXPECT_TRUE(beside(3));
  expect_as_on_disk(*box);
  must(db.run("UPDATE turns SET said_at = said_at + 1000000 WHERE rid = 3"));
  box->facts().committed();
  EXPECT_FALSE(beside(3));
}

// In hundreds of SQLite's steps.
TEST_F(FactsTest, SaveWork) {
  for (std::uint64_t n = 1; n <= 300; ++n) hear(n, "Cello number " + std::to_string(n));
  const auto work = [&] {
    std::int64_t steps = 0;
    sqlite3_progress_handler(
        box_->writer(), 10,
        [](void* count) {
          ++*static_cast<std::int64_t*>(count);
          return 0;
        },
        &steps);
    recall("Which cello?");
    sqlite3_progress_handler(box_->writer(), 0, nullptr, nullptr);
    return steps;
  };
  const std::int64_t on_disk = work();
  must(box_->facts().load());
  EXPECT_LT(work(), on_disk * 2 / 3);
  box_->facts().unload();
  EXPECT_EQ(box_->facts().index()->current(), nullptr);
  EXPECT_GE(work(), on_disk * 9 / 10);
}

}  // namespace
}  // namespace kartei::store
