// The box as an encrypted file: what is on the disk, and what happens to who has only that.
#include <fcntl.h>
#include <sqlite3.h>
#include <unistd.h>

#include <fstream>

#include "crypto/vault/vault.h"
#include "store/check.h"
#include "store/export.h"
#include "store/librarian.h"
#include "tests/store/fixture.h"

namespace kartei::store {
namespace {

constexpr char kMarker[] = "wolkenkuckucksheim";

std::string bytes_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

class ClosedBox : public ::testing::Test {
 protected:
  Result<std::unique_ptr<Box>> open(const crypto::Secret& key = test_key()) const {
    return Box::open({file_, false, &key});
  }
  // Turns enough for many pages; all of it in the main file when this returns.
  void fill(std::uint64_t turns = 300) {
    TestBox box(file_, &test_key());
    for (std::uint64_t n = 1; n <= turns; ++n)
      box.hear(make_turn(n, std::string(300, 'x') + kMarker + std::to_string(n)), n);
    must(box->scrub());
  }
  void alter(std::uint64_t page, std::size_t at = 1000) {
    std::fstream file(file_, std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(static_cast<std::streamoff>((page - 1) * 4096 + at));
    const char byte = static_cast<char>(file.get());
    file.seekp(static_cast<std::streamoff>((page - 1) * 4096 + at));
    file.put(static_cast<char>(byte ^ 1));
  }
  std::string page(std::uint64_t number) const {
    return bytes_of(file_).substr((number - 1) * 4096, 4096);
  }
  void put_page(std::uint64_t number, const std::string& bytes) {
    std::fstream file(file_, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>((number - 1) * 4096));
    file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  }
  // The first error of a walk through everything that stands in the box.
  static Error first_error(Box& box) {
    const auto wrong = box.check();
    if (!wrong) return wrong.error();
    if (wrong->empty()) return {};
    return corrupt(wrong->front());
  }

  TempDir dir_;
  const std::filesystem::path file_ = dir_.path() / "box.kartei";
};

TEST_F(ClosedBox, NothingThatWasSaidStandsInItsFiles) {
  TestBox box(file_, &test_key());
  Card card = make_card({1}, std::string("Maya likes ") + kMarker);
  card.subject = kMarker;
  box.hear(make_turn(1, kMarker), 1);
  box.entry({filed(1), make_unit({1}, {card})});
  const auto look = [&](const char* when) {
    int files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(dir_.path())) {
      const std::string bytes = bytes_of(entry.path());
      EXPECT_EQ(bytes.find(kMarker), std::string::npos) << entry.path() << " " << when;
      EXPECT_EQ(bytes.find("SQLite format"), std::string::npos) << entry.path() << " " << when;
      EXPECT_EQ(bytes.find("CREATE TABLE"), std::string::npos) << entry.path() << " " << when;
      ++files;
    }
    EXPECT_LE(files, 2) << "no shared index";
  };
  look("after commits");
  {
    auto transaction = box->begin();
    for (std::uint64_t n = 2; n < 3000; ++n)
      must(box->store_turn(make_turn(n, kMarker + std::string(1500, 'y')), origin_of(n)));
    look("in the midst of a transaction that does not fit into memory");
    must(transaction->commit(Box::Transaction::Durability::kSynced));
  }
  const auto librarian = must(Librarian::open(*box));
  RecallRequest request;
  request.query = kMarker;
  EXPECT_FALSE(must(librarian->recall(request)).items.empty());
  look("after a question");
  must(box->tidy());
  must(box->scrub());
  look("after scrubbing");
  std::size_t lines = 0;
  must(must(Exporter::open(box->place()))->run([&](std::string_view) { return ++lines > 0; }));
  EXPECT_GT(lines, 3000U);
  look("after an export");
}

TEST_F(ClosedBox, AnotherKeyOpensNothing) {
  fill(3);
  const crypto::Secret other(Bytes(32, 9));
  EXPECT_EQ(open(other).error().cause, Cause::kForbidden);
  EXPECT_EQ(check_box_file(file_, &other).error().cause, Cause::kForbidden);
  EXPECT_EQ(Box::open({file_, true, nullptr}).error().cause, Cause::kCorrupt);
  EXPECT_TRUE(open().has_value());
}

TEST_F(ClosedBox, OneInTheClearIsNotTakenForOne) {
  { TestBox plain(file_); }
  EXPECT_EQ(open().error().cause, Cause::kConflict);
  EXPECT_TRUE(must(is_in_the_clear(file_)));
  std::filesystem::remove(file_);
  EXPECT_EQ(is_in_the_clear(file_).error().cause, Cause::kNotFound);
  EXPECT_EQ(open().error().cause, Cause::kNotFound);
  fill(1);
  EXPECT_FALSE(must(is_in_the_clear(file_)));
}

TEST_F(ClosedBox, IsHeldByOneAtATime) {
  fill(3);
  const auto box = must(open());
  EXPECT_EQ(open().error().cause, Cause::kConflict);
  EXPECT_EQ(check_box_file(file_, &test_key()).error().cause, Cause::kConflict);
}

// A connection beside the box, as an export's, keeps what it needs.
TEST_F(ClosedBox, AReaderMayOutliveTheBox) {
  fill(20);
  auto box = must(open());
  const auto exporter = must(Exporter::open(box->place()));
  box.reset();
  std::size_t lines = 0;
  must(exporter->run([&](std::string_view) { return ++lines > 0; }));
  EXPECT_EQ(lines, 1U + 2U + 20U);
}

TEST_F(ClosedBox, ALookFromOutsideChangesNothing) {
  {
    TestBox box(file_, &test_key());
    box.hear(make_turn(1, "left in the log"), 1);
    std::filesystem::copy(dir_.path(), dir_.path() / "copy");
  }
  const auto copy = dir_.path() / "copy" / "box.kartei";
  const auto log = dir_.path() / "copy" / "box.kartei-wal";
  const std::string before = bytes_of(copy), log_before = bytes_of(log);
  ASSERT_FALSE(log_before.empty());
  EXPECT_TRUE(must(check_box_file(copy, &test_key())).empty());
  EXPECT_EQ(bytes_of(copy), before);
  EXPECT_EQ(bytes_of(log), log_before);
}

// ---- the thief and the vandal

TEST_F(ClosedBox, AnAlteredPageIsNamed) {
  fill();
  alter(9);
  auto box = must(open());
  const Error error = first_error(*box);
  EXPECT_EQ(error.cause, Cause::kCorrupt);
  EXPECT_EQ(error.what, "page 9 of " + file_.string() + ": does not authenticate");
}

TEST_F(ClosedBox, WhoMeetsDamageIsToldWhereAndWhatToDo) {
  fill();
  for (std::uint64_t n = 60; n * 4096 <= std::filesystem::file_size(file_); ++n) alter(n);
  const auto box = open();
  const Error error = box ? (*box)->conversation("c1", 1000).error() : box.error();
  EXPECT_EQ(error.cause, Cause::kCorrupt);
  EXPECT_NE(error.what.find(" of " + file_.string() + ": does not authenticate"), std::string::npos)
      << error.what;
  EXPECT_NE(error.what.find("kartei doctor"), std::string::npos) << error.what;
}

TEST_F(ClosedBox, SwappedPagesAreNoticed) {
  fill();
  const std::string seven = page(7), eight = page(8);
  put_page(7, eight);
  put_page(8, seven);
  const auto box = must(open());
  EXPECT_EQ(first_error(*box).cause, Cause::kCorrupt);
  EXPECT_GE(box->place().vault->damage().size(), 2U);
}

TEST_F(ClosedBox, AnotherBoxesFilesAreNoticed) {
  fill(50);
  const auto other = dir_.path() / "other.kartei";
  { TestBox box(other, &test_key()); }
  // The same key, another box: not one page fits.
  put_page(2, bytes_of(other).substr(4096, 4096));
  auto opened = open();
  EXPECT_TRUE(opened.has_error() || first_error(**opened).cause == Cause::kCorrupt);
}

TEST_F(ClosedBox, AnOlderPagePutBackIsFoundByTheCheck) {
  fill(50);
  const std::string before = bytes_of(file_);
  {
    auto box = must(open());
    TestBox more(std::move(box));
    for (std::uint64_t n = 51; n <= 120; ++n) more.hear(make_turn(n, std::string(300, 'z')), n);
    must(more->scrub());
  }
  const std::string after = bytes_of(file_);
  // Each page that differs, one at a time: its tag is a true one, so SQLite's own check must tell.
  std::size_t pages = 0, found = 0;
  for (std::uint64_t n = 2; n * 4096 <= before.size(); ++n) {
    const std::string old = before.substr((n - 1) * 4096, 4096);
    if (old == page(n)) continue;
    put_page(n, old);
    auto opened = open();
    ++pages;
    found += opened.has_error() || first_error(**opened).cause == Cause::kCorrupt ||
                     !must((*opened)->check_words()).empty()
                 ? 1
                 : 0;
    if (opened) opened->reset();
    std::ofstream(file_, std::ios::binary | std::ios::trunc) << after;
  }
  RecordProperty("pages", static_cast<int>(pages));
  RecordProperty("found", static_cast<int>(found));
  std::cout << found << " of " << pages << " older pages are noticed\n";
  EXPECT_GT(pages, 10U);
  EXPECT_GT(found * 2, pages);
}

TEST_F(ClosedBox, ALogCutInItsMidstIsNoticedOrIsAnEarlierMoment) {
  {
    TestBox box(file_, &test_key());
    for (std::uint64_t n = 1; n <= 40; ++n) {
      box.hear(make_turn(n), n);
      must(box->sync());
    }
    std::filesystem::copy(dir_.path(), dir_.path() / "copy");
  }
  const auto copy = dir_.path() / "copy" / "box.kartei";
  const auto log = dir_.path() / "copy" / "box.kartei-wal";
  const std::string main_bytes = bytes_of(copy), whole = bytes_of(log);
  for (std::size_t size = whole.size(); size > 0; size -= std::min<std::size_t>(size, 4321)) {
    std::ofstream(copy, std::ios::binary | std::ios::trunc) << main_bytes;
    std::ofstream(log, std::ios::binary | std::ios::trunc) << whole.substr(0, size);
    auto box = Box::open({copy, false, &test_key()});
    if (!box) {
      EXPECT_EQ(box.error().cause, Cause::kCorrupt) << box.error().what;
      continue;
    }
    // Whole commits from the first on, and nothing else.
    EXPECT_TRUE(must((*box)->check()).empty()) << size;
    const std::uint64_t turns = must((*box)->counts()).turns;
    EXPECT_LE(turns, 40U);
    for (std::uint64_t n = 1; n <= turns; ++n) EXPECT_TRUE(must((*box)->turn(turn_id(n))));
  }
}

TEST_F(ClosedBox, ADamagedLogIsAnErrorThatNamesIt) {
  {
    TestBox box(file_, &test_key());
    for (std::uint64_t n = 1; n <= 10; ++n) {
      box.hear(make_turn(n), n);
      must(box->sync());
    }
    std::filesystem::copy(dir_.path(), dir_.path() / "copy");
  }
  const auto copy = dir_.path() / "copy" / "box.kartei";
  const auto log = dir_.path() / "copy" / "box.kartei-wal";
  std::string bytes = bytes_of(log);
  bytes[8192 + 500] = static_cast<char>(bytes[8192 + 500] ^ 1);  // the first frame's page
  std::ofstream(log, std::ios::binary | std::ios::trunc) << bytes;
  const auto box = Box::open({copy, false, &test_key()});
  ASSERT_TRUE(box.has_error());
  EXPECT_EQ(box.error().cause, Cause::kCorrupt);
  EXPECT_NE(box.error().what.find("frame 1 of " + log.string()), std::string::npos)
      << box.error().what;
}

}  // namespace
}  // namespace kartei::store
