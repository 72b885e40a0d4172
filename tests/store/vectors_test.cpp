#include "store/vectors.h"

#include <sqlite3.h>

#include "tests/store/vectors_fixture.h"

namespace kartei::store {
namespace {

TEST_F(VectorsTest, WhatIsCloseInMeaningIsFoundWithoutACommonWord) {
  TestBox box;
  hear_some(box);
  EXPECT_TRUE(found(box, model_, "physician").empty()) << "no vectors yet";
  want(box, *model_);
  EXPECT_EQ(embed(box, *model_), 4U);
  const auto texts = found(box, model_, "physician", 1);
  ASSERT_EQ(texts.size(), 1U);
  EXPECT_EQ(texts[0], "Saw the cardiologist again.");
  EXPECT_TRUE(found(box, nullptr, "physician").empty()) << "nobody to embed the question";
}

TEST_F(VectorsTest, CardsAreFoundByMeaningToo) {
  TestBox box;
  hear_some(box);
  Card card = user_card(1, "Maya drives a red automobile.");
  card.drawer = kLocalDrawer;
  box.local({make_add(1, card)});
  want(box, *model_);
  embed(box, *model_);
  EXPECT_EQ(found(box, model_, "wagon", 1), std::vector<std::string>{card.text});
}

TEST_F(VectorsTest, AVectorOfAnotherModelIsNotCompared) {
  TestBox box;
  hear_some(box);
  want(box, *model_);
  embed(box, *model_);
  EXPECT_TRUE(found(box, std::make_shared<ConceptModel>("another"), "physician").empty());
}

TEST_F(VectorsTest, WhatIsRolledBackIsNotInMemory) {
  TestBox box;
  hear_some(box);
  want(box, *model_);
  const VectorBatch batch = must(box->vectors().next(64));
  const std::vector<std::string_view> texts(batch.texts.begin(), batch.texts.end());
  {
    auto transaction = box->begin();
    ASSERT_TRUE(transaction.has_value());
    must(box->vectors().put(batch, must(model_->embed(texts))));
  }
  EXPECT_EQ(box->vectors().index()->current()->turns.size(), 0U);
  EXPECT_EQ(embed(box, *model_), 4U);
  EXPECT_EQ(box->vectors().index()->current()->turns.size(), 4U);
}

TEST_F(VectorsTest, ARowThatGoesLeavesNothingBehind) {
  TestBox box;
  box.hear(make_turn(1, "Saw the cardiologist again."), 1);
  box.hear(make_turn(2, "Bought bread and butter."), 2);
  want(box, *model_);
  embed(box, *model_);
  EXPECT_EQ(count(box, "turn_vectors"), 2);
  box.entry({filed(1), erase_turn(1, 1)});
  EXPECT_EQ(count(box, "turn_vectors"), 1);
  EXPECT_EQ(count(box, "vector_dead"), 1);
  must(box->scrub());
  EXPECT_EQ(count(box, "vector_dead"), 0);
  for (const std::string& text : found(box, model_, "physician"))
    EXPECT_EQ(text.find("cardiologist"), std::string::npos);
}

TEST_F(VectorsTest, ARowThatComesBackIsEmbeddedAgain) {
  TestBox box;
  const Card card = make_card({1}, "Maya saw the cardiologist.");
  box.hear(make_turn(1, "Went there today."), 1);
  box.entry({filed(1), make_unit({1}, {card})});
  want(box, *model_);
  EXPECT_EQ(embed(box, *model_), 2U);
  CardEdited erase = make_edit(1, EditKind::kEraseCard, card);
  box.entry({erase});
  EXPECT_TRUE(found(box, model_, "physician", 1) != std::vector<std::string>{card.text});
  box.undo_to(1);
  EXPECT_GE(embed(box, *model_), 1U);
  EXPECT_EQ(found(box, model_, "physician", 1), std::vector<std::string>{card.text});
  EXPECT_EQ(count(box, "vector_dead"), 0);
}

TEST_F(VectorsTest, WordsThatChangeWhileTheyAreEmbeddedAreEmbeddedAgain) {
  TestBox box;
  hear_some(box);
  want(box, *model_);
  const VectorBatch batch = must(box->vectors().next(64));
  Db db(box->writer());
  must(db.run("UPDATE turns SET text = 'Sold the old automobile.' WHERE text LIKE 'Bought%'"));
  put(box, *model_, batch);
  EXPECT_EQ(embed(box, *model_), 1U);
  EXPECT_EQ(found(box, model_, "wagon", 1), std::vector<std::string>{"Sold the old automobile."});
}

TEST_F(VectorsTest, ARowThatGoesWhileItIsEmbeddedGetsNoVector) {
  TestBox box;
  hear_some(box);
  want(box, *model_);
  const VectorBatch batch = must(box->vectors().next(64));
  Db db(box->writer());
  must(db.run("DELETE FROM turns WHERE text LIKE 'Saw%'"));
  put(box, *model_, batch);
  EXPECT_EQ(count(box, "turn_vectors"), 3);
}

TEST_F(VectorsTest, TheOldModelAnswersUntilTheNewOneIsWhole) {
  TestBox box;
  hear_some(box);
  want(box, *model_);
  embed(box, *model_);
  const auto next = std::make_shared<ConceptModel>("next", 128);
  want(box, *next);
  const VectorBatch part = must(box->vectors().next(2));
  put(box, *next, part);
  EXPECT_EQ(must(box->vectors().counts()).model, "concepts");
  EXPECT_EQ(must(box->vectors().counts()).next_model, "next");
  EXPECT_EQ(must(box->vectors().counts()).waiting, 2U);
  EXPECT_EQ(found(box, model_, "physician", 1).size(), 1U);
  EXPECT_EQ(embed(box, *next), 2U);
  EXPECT_EQ(must(box->vectors().counts()).model, "next");
  EXPECT_EQ(must(box->vectors().counts()).next_model, "");
  EXPECT_EQ(found(box, next, "physician", 1).size(), 1U);
  EXPECT_EQ(count(box, "vector_sets"), 1);
  EXPECT_EQ(count(box, "turn_vectors"), 4) << "the old ones are gone";
}

TEST_F(VectorsTest, AMindChangedTwiceLeavesOneSet) {
  TestBox box;
  hear_some(box);
  const auto second = std::make_shared<ConceptModel>("second"),
             third = std::make_shared<ConceptModel>("third");
  want(box, *model_);
  embed(box, *model_);
  want(box, *second);
  put(box, *second, must(box->vectors().next(2)));
  want(box, *third);
  EXPECT_EQ(embed(box, *third), 4U);
  EXPECT_EQ(count(box, "vector_sets"), 1);
  EXPECT_EQ(count(box, "turn_vectors"), 4);
  want(box, *third);
  EXPECT_EQ(embed(box, *third), 0U);
}

TEST_F(VectorsTest, WhatAnswersGoesOnThoughItIsNotWhole) {
  TestBox box;
  hear_some(box);
  const auto next = std::make_shared<ConceptModel>("next", 128);
  want(box, *model_);
  put(box, *model_, must(box->vectors().next(2)));
  want(box, *next);
  put(box, *next, must(box->vectors().next(1)));
  EXPECT_EQ(must(box->vectors().counts()).model, "concepts");
  EXPECT_EQ(must(box->vectors().counts()).next_model, "next");
  EXPECT_EQ(found(box, model_, "physician", 1),
            std::vector<std::string>{"Saw the cardiologist again."});
  embed(box, *next);
  EXPECT_EQ(must(box->vectors().counts()).model, "next");
  EXPECT_EQ(count(box, "vector_sets"), 1);
  EXPECT_EQ(count(box, "turn_vectors"), 4);
}

TEST_F(VectorsTest, WhatHasNothingYetAnswersNothing) {
  TestBox box;
  hear_some(box);
  const auto next = std::make_shared<ConceptModel>("next", 128);
  want(box, *model_);
  want(box, *next);
  put(box, *next, must(box->vectors().next(2)));
  EXPECT_EQ(must(box->vectors().counts()).model, "next");
  EXPECT_EQ(found(box, next, "physician", 1),
            std::vector<std::string>{"Saw the cardiologist again."});
}

TEST_F(VectorsTest, ASizeThatCannotBeIsRefusedAndDamageIgnored) {
  TestBox box;
  hear_some(box);
  for (const std::size_t dims : {std::size_t{0}, std::size_t{5'000}, SIZE_MAX}) {
    auto transaction = box->begin();
    ASSERT_TRUE(transaction.has_value());
    EXPECT_TRUE(box->vectors().want("model", dims).has_error()) << dims;
  }
  Db db(box->writer());
  for (const std::int64_t dims : {std::int64_t{0}, std::int64_t{-3}, INT64_MAX})
    must(
        db.run("INSERT INTO vector_sets(model, dims, turns_to, cards_to, state)"
               " VALUES('concepts', ?, 0, 0, 1)",
               dims));
  want(box, *model_);
  EXPECT_EQ(embed(box, *model_), 4U);
  must(db.run("UPDATE turn_vectors SET vector = x'0102'"));
  EXPECT_TRUE(found(box, model_, "bread").at(0).find("bread") != std::string::npos);
  must(db.run("UPDATE turn_vectors SET vector = 'words'"));
  EXPECT_TRUE(found(box, model_, "bread").at(0).find("bread") != std::string::npos);
  EXPECT_EQ(count(box, "vector_sets"), 1);
}

TEST_F(VectorsTest, VectorsOfAnotherSizeAreRefused) {
  TestBox box;
  hear_some(box);
  want(box, *model_);
  const VectorBatch batch = must(box->vectors().next(64));
  auto transaction = box->begin();
  ASSERT_TRUE(transaction.has_value());
  EXPECT_TRUE(box->vectors().put(batch, std::vector<float>(7)).has_error());
}

TEST_F(VectorsTest, MemoryCanBeGivenBackAndWhatIsErasedMeanwhileIsGone) {
  TestBox box;
  hear_some(box);
  want(box, *model_);
  embed(box, *model_);
  EXPECT_GT(must(box->vectors().counts()).memory_bytes, 0U);
  EXPECT_GT(must(box->vectors().counts()).disk_bytes, 0U);
  box->vectors().unload();
  EXPECT_EQ(must(box->vectors().counts()).memory_bytes, 0U);
  EXPECT_EQ(must(box->vectors().counts()).model, "");
  EXPECT_GT(must(box->vectors().counts()).disk_bytes, 0U);
  EXPECT_TRUE(found(box, model_, "physician").empty());
  CardEdited erase = erase_turn(1, 1);
  erase.drawer = kLocalDrawer;
  box.local({erase});
  must(box->scrub());
  box->vectors().unload();
  EXPECT_EQ(count(box, "turn_vectors"), 3);
  hear_some(box, 20);
  want(box, *model_);
  EXPECT_EQ(embed(box, *model_), 4U) << "the others have theirs still";
  EXPECT_EQ(box->vectors().index()->current()->turns.size(), 7U);
}

TEST_F(VectorsTest, WhatIsWantedNoMoreGoesFromTheDiskAndCanBeMadeAgain) {
  TestBox box;
  hear_some(box);
  want(box, *model_);
  embed(box, *model_);
  box->vectors().unload();
  EXPECT_FALSE(must(box->vectors().has_old_sets()));
  box.write([&](Box& it) { return it.vectors().want("", 0); });
  EXPECT_TRUE(must(box->vectors().has_old_sets()));
  while (must(box->vectors().has_old_sets()))
    box.write([&](Box& it) -> Status {
      must(it.vectors().sweep(false));
      return {};
    });
  for (const char* table : {"vector_sets", "turn_vectors", "card_vectors", "vector_chunks"})
    EXPECT_EQ(count(box, table), 0) << table;
  EXPECT_EQ(must(box->vectors().counts()).disk_bytes, 0U);
  want(box, *model_);
  EXPECT_EQ(embed(box, *model_), 4U);
  EXPECT_EQ(found(box, model_, "physician", 1).size(), 1U);
}

class VectorsFileTest : public VectorsTest {
 protected:
  void SetUp() override {
    TestBox box(file_);
    // More than a chunk, and a rest.
    for (std::uint64_t n = 0; n < 1'200; ++n) {
      box.local({TurnHeard{make_turn(
          n, n == 700 ? "Saw the cardiologist again." : "Number " + std::to_string(n) + " of many.",
          kLocalDrawer)}});
    }
    want(box, *model_);
    EXPECT_EQ(embed(box, *model_), 1'200U);
    box.local({TurnHeard{make_turn(5'000, "The wagon stands outside.", kLocalDrawer)}});
    EXPECT_EQ(embed(box, *model_), 1U);
    EXPECT_GT(count(box, "vector_chunks"), 0);
  }
  void expect_all_found() {
    TestBox box(file_);
    want(box, *model_);
    EXPECT_EQ(box->vectors().index()->current()->turns.size(), 1'201U);
    EXPECT_EQ(embed(box, *model_), 0U);
    EXPECT_EQ(found(box, model_, "physician", 1),
              std::vector<std::string>{"Saw the cardiologist again."});
    EXPECT_EQ(found(box, model_, "automobile", 1),
              std::vector<std::string>{"The wagon stands outside."});
  }
  TempDir dir_;
  const std::filesystem::path file_ = dir_.path() / "box.kartei";
};

TEST_F(VectorsFileTest, AreThereAgainWhenTheBoxIsOpened) {
  expect_all_found();
}

TEST_F(VectorsFileTest, DamagedCodesAreMadeAnew) {
  {
    TestBox box(file_);
    Db db(box->writer());
    must(db.run("UPDATE vector_chunks SET codes = zeroblob(length(codes))"));
  }
  expect_all_found();
}

TEST_F(VectorsFileTest, CodesThatAreGoneAreMadeAnew) {
  {
    TestBox box(file_);
    Db db(box->writer());
    must(db.run("DELETE FROM vector_chunks"));
  }
  expect_all_found();
}

// What the writer's questions about chunks have cost so far, in steps of SQLite's machine.
int chunk_steps(sqlite3* db) {
  int steps = 0;
  for (sqlite3_stmt* one = sqlite3_next_stmt(db, nullptr); one != nullptr;
       one = sqlite3_next_stmt(db, one)) {
    const std::string_view sql = sqlite3_sql(one);
    if (sql.starts_with("SELECT") && sql.find("FROM vector_chunks") != std::string_view::npos)
      steps += sqlite3_stmt_status(one, SQLITE_STMTSTATUS_VM_STEP, 0);
  }
  return steps;
}

TEST_F(VectorsTest, AsksForAsLittleAboutManyChunksAsAboutOne) {
  TestBox box;
  want(box, *model_);
  std::uint64_t next = 0;
  const auto hear = [&](std::uint64_t count) {
    std::vector<Delta> turns;
    for (; count > 0; --count, ++next)
      turns.push_back(
          TurnHeard{make_turn(next, "Number " + std::to_string(next) + " of many.", kLocalDrawer)});
    box.local(turns);
    EXPECT_EQ(embed(box, *model_), turns.size());
  };
  const auto steps_of_one_turn = [&] {
    const int before = chunk_steps(box->writer());
    hear(1);
    return chunk_steps(box->writer()) - before;
  };
  hear(Codes::kChunkVectors + 8);
  const int beside_one = steps_of_one_turn();
  hear(4 * Codes::kChunkVectors);
  EXPECT_GT(beside_one, 0);
  EXPECT_EQ(steps_of_one_turn(), beside_one);
  EXPECT_EQ(count(box, "vector_chunks"), 5);
}

// More than a chunk of cards, and of turns: codes of both kinds are read back, not made anew, and
// each chunk is written once.
TEST_F(VectorsTest, ChunksOfBothKindsAreStoredOnceAndReadBack) {
  TempDir dir;
  const auto file = dir.path() / "box";
  constexpr std::uint64_t kMany = 1'100;
  {
    TestBox box(file);
    std::vector<Delta> rows;
    for (std::uint64_t n = 0; n < kMany; ++n) {
      const std::string text = "Number " + std::to_string(n) + " of many.";
      Card card = user_card(n, text);
      card.drawer = kLocalDrawer;
      rows.push_back(make_add(n, card));
      rows.push_back(TurnHeard{make_turn(n, text, kLocalDrawer)});
    }
    box.local(rows);
    want(box, *model_);
    Db db(box->writer());
    // Whoever writes a chunk a second time is refused.
    must(
        db.script("CREATE TRIGGER once BEFORE INSERT ON vector_chunks WHEN EXISTS(SELECT 1 FROM"
                  " vector_chunks WHERE key = new.key) BEGIN SELECT raise(ABORT, 'twice'); END"));
    EXPECT_EQ(embed(box, *model_), 2 * kMany);
    box.local({TurnHeard{make_turn(5'000, "One more.", kLocalDrawer)}});
    EXPECT_EQ(embed(box, *model_), 1U);
    EXPECT_EQ(count(box, "vector_chunks"), 2);
    // Without copies only the chunks tell what the first rows mean.
    must(db.script("DROP TRIGGER once; DELETE FROM turn_vectors; DELETE FROM card_vectors"));
  }
  TestBox box(file);
  want(box, *model_);
  const auto set = box->vectors().index()->current();
  EXPECT_EQ(set->turns.size(), Codes::kChunkVectors);
  EXPECT_EQ(set->cards.size(), Codes::kChunkVectors);
}

TEST_F(VectorsFileTest, WhatWasErasedIsNotInTheCodesOnDisk) {
  const auto codes = [&](TestBox& box) {
    Db db(box->writer());
    Query query = db.query("SELECT codes FROM vector_chunks ORDER BY key LIMIT 1");
    EXPECT_TRUE(query.next());
    return to_bytes(query.blob(0));
  };
  TestBox box(file_);
  want(box, *model_);
  const Bytes before = codes(box);
  CardEdited erase = erase_turn(1, 700);
  erase.drawer = kLocalDrawer;
  box.local({erase});
  must(box->scrub());
  EXPECT_NE(codes(box), before);
  for (const std::string& text : found(box, model_, "physician"))
    EXPECT_EQ(text.find("cardiologist"), std::string::npos);
}

}  // namespace
}  // namespace kartei::store
