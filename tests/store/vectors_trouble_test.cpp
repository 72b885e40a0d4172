// Vectors when something comes in between: a transaction that fails, another model, an erasure,
// a start.
#include <set>

#include "tests/store/vectors_fixture.h"

namespace kartei::store {
namespace {

class VectorsTroubleTest : public VectorsTest {
 protected:
  // The rows in the stored codes, each as often as it is there.
  std::multiset<std::int64_t> rows_on_disk(TestBox& box) {
    std::multiset<std::int64_t> rows;
    Db db(box->writer());
    Query query = db.query("SELECT codes FROM vector_chunks");
    while (query.next()) {
      const ByteView chunk = query.blob(0);
      const std::size_t keys_at = chunk.size() - 32 - 8 * Codes::kChunkVectors;
      for (std::size_t i = 0; i < Codes::kChunkVectors; ++i) {
        std::uint64_t key = 0;
        for (std::size_t byte = 0; byte < 8; ++byte)
          key |= std::uint64_t{chunk[keys_at + 8 * i + byte]} << (8 * byte);
        if (static_cast<std::int64_t>(key) != Codes::kNoKey)
          rows.insert(static_cast<std::int64_t>(key));
      }
    }
    return rows;
  }
  std::int64_t rid_of(TestBox& box, const std::string& beginning) {
    Db db(box->writer());
    return must(db.integer("SELECT rid FROM turns WHERE text LIKE ?", 0, beginning + "%"));
  }
  void hear_many(TestBox& box, std::uint64_t from, std::uint64_t to) {
    box.write([&](Box& it) -> Status {
      std::vector<Delta> deltas;
      for (std::uint64_t n = from; n < to; ++n)
        deltas.push_back(
            TurnHeard{make_turn(n, "Number " + std::to_string(n) + " of many.", kLocalDrawer)});
      KARTEI_TRY(it.apply_local(deltas));
      return {};
    });
  }
  void change(TestBox& box, std::int64_t rid, const std::string& text) {
    box.write([&](Box& it) {
      return Db(it.writer()).run("UPDATE turns SET text = ? WHERE rid = ?", text, rid);
    });
  }
  // One row has the next model's vector, and another has other words now.
  void change_under_way(TestBox& box, const Embedder& next) {
    hear_some(box);
    want(box, *model_);
    embed(box, *model_);
    want(box, next);
    put(box, next, must(box->vectors().next(1)));
    change(box, rid_of(box, "The neighbour"), "The neighbour bought a wagon.");
  }
  std::size_t in_codes(TestBox& box) { return box->vectors().index()->current()->turns.size(); }
  TempDir dir_;
  const std::filesystem::path file_ = dir_.path() / "box.kartei";
};

TEST_F(VectorsTroubleTest, WhatWasErasedLeavesTheCodesThoughTheFirstTryFails) {
  TestBox box;
  hear_many(box, 1, 1'030);
  want(box, *model_);
  embed(box, *model_);
  hear_many(box, 2'000, 2'001);
  embed(box, *model_);
  const std::int64_t rid = rid_of(box, "Number 700 ");
  ASSERT_EQ(rows_on_disk(box).count(rid), 1U);
  CardEdited erase = erase_turn(1, 700);
  erase.drawer = kLocalDrawer;
  box.local({erase});
  {
    auto transaction = box->begin();
    ASSERT_TRUE(transaction.has_value());
    must(box->vectors().sweep(true));  // and the disk is full: it is not committed
  }
  hear_many(box, 3'000, 3'001);  // what is committed in between
  must(box->scrub());
  EXPECT_EQ(rows_on_disk(box).count(rid), 0U);
}

TEST_F(VectorsTroubleTest, NothingErasedStaysInCodesThatWaitToBeDropped) {
  TestBox box;
  hear_many(box, 1, 1'030);
  want(box, *model_);
  embed(box, *model_);
  hear_many(box, 2'000, 2'001);
  embed(box, *model_);
  const std::int64_t rid = rid_of(box, "Number 700 ");
  // Two sets, of which the second is not the next to be dropped.
  const ConceptModel next("next");
  want(box, next);
  for (VectorBatch batch; !(batch = must(box->vectors().next(512))).rows.empty();)
    put(box, next, batch);
  ASSERT_EQ(rows_on_disk(box).count(rid), 2U);
  box.write([&](Box& it) { return it.vectors().want("", 0); });
  CardEdited erase = erase_turn(1, 700);
  erase.drawer = kLocalDrawer;
  box.local({erase});
  must(box->scrub());
  EXPECT_EQ(rows_on_disk(box).count(rid), 0U);
}

TEST_F(VectorsTroubleTest, ARowThatChangesWhileAnotherModelComesIsThereOnce) {
  TestBox box;
  const ConceptModel next("next", 128);
  change_under_way(box, next);
  must(box->scrub());
  EXPECT_EQ(must(box->vectors().counts()).waiting, 3U);
  EXPECT_EQ(embed(box, next), 3U);
  EXPECT_EQ(in_codes(box), 4U);
  EXPECT_EQ(found(box, std::make_shared<ConceptModel>(next), "automobile", 1),
            std::vector<std::string>{"The neighbour bought a wagon."});
}

TEST_F(VectorsTroubleTest, ARowThatChangesIsForgottenNowhereForGood) {
  TestBox box;
  const ConceptModel next("next", 128);
  change_under_way(box, next);
  embed(box, next);  // the old code is swept after the new one was made
  EXPECT_EQ(found(box, std::make_shared<ConceptModel>(next), "automobile", 1),
            std::vector<std::string>{"The neighbour bought a wagon."});
}

TEST_F(VectorsTroubleTest, WhatCameOutOfOrderIsThereOnceAfterAStart) {
  {
    TestBox box(file_);
    hear_many(box, 0, 1'100);
    want(box, *model_);
    embed(box, *model_);
    change(box, rid_of(box, "Number 700 "), "The wagon stands outside.");
    embed(box, *model_);
    hear_many(box, 2'000, 3'100);  // its chunk becomes full, and is stored
    embed(box, *model_);
    hear_many(box, 4'000, 4'001);
    embed(box, *model_);
    change(box, rid_of(box, "Number 800 "), "The physician came.");  // in no chunk yet
    embed(box, *model_);
  }
  TestBox box(file_);
  want(box, *model_);
  EXPECT_EQ(in_codes(box), 2'201U + 2U) << "all rows, and two blanks";
  EXPECT_EQ(found(box, model_, "automobile", 1),
            std::vector<std::string>{"The wagon stands outside."});
  EXPECT_EQ(found(box, model_, "doctor", 1), std::vector<std::string>{"The physician came."});
}

}  // namespace
}  // namespace kartei::store
