#include "store/meaning/mapped_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <fstream>
#include <string>
#include <thread>

#include "store/meaning/static_table.h"
#include "tests/meaning/support.h"

namespace kartei::store {
namespace {

class MappedFileTest : public ::testing::Test {
 protected:
  MappedFileTest() {
    survive_cut_files();
    std::string name = (std::filesystem::temp_directory_path() / "kartei-test-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
    directory_ = name;
  }
  ~MappedFileTest() override {
    std::error_code ignored;
    std::filesystem::remove_all(directory_, ignored);
  }
  std::filesystem::path written(const std::string& bytes) const {
    const auto file = directory_ / "a.kmodel";
    std::ofstream(file, std::ios::binary) << bytes;
    return file;
  }
  static Cause cause_of(const std::filesystem::path& file) {
    const auto mapped = MappedFile::map(file);
    return mapped.has_error() ? mapped.error().cause : Cause::kInternal;
  }
  const std::size_t page_ = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  std::filesystem::path directory_;
};

TEST_F(MappedFileTest, behindTheEndOfAFileThatWasCutAreZeros) {
  const auto file = written(std::string(4 * page_, 'a'));
  const auto mapped = MappedFile::map(file).value();
  EXPECT_TRUE(mapped->is_as_it_was());
  EXPECT_EQ(mapped->bytes()[2 * page_], 'a');
  std::filesystem::resize_file(file, page_);
  mapped->drop();
  EXPECT_EQ(mapped->bytes()[2 * page_ + 7], 0);
  EXPECT_EQ(mapped->bytes()[page_], 0);
  EXPECT_EQ(mapped->bytes()[4 * page_ - 1], 0);
  EXPECT_EQ(mapped->bytes()[page_ - 1], 'a');
  EXPECT_FALSE(mapped->is_as_it_was());
  // Though it may look the same again: what was read is no part of it.
  std::filesystem::resize_file(file, 4 * page_);
  EXPECT_FALSE(mapped->is_as_it_was());
}

TEST_F(MappedFileTest, anotherFaultEndsTheProcessAsBefore) {
  const auto file = written(std::string(2 * page_, 'a'));
  const auto touch = [&] {
    const int fd = ::open(file.c_str(), O_RDONLY);
    void* begin = ::mmap(nullptr, 2 * page_, PROT_READ, MAP_PRIVATE, fd, 0);
    std::filesystem::resize_file(file, page_);
    const volatile char* bytes = static_cast<const char*>(begin);
    std::exit(bytes[page_] == 0 ? 3 : 4);
  };
  EXPECT_EXIT(touch(), ::testing::KilledBySignal(SIGBUS), "");
}

TEST_F(MappedFileTest, whatIsNoFileIsRefusedAtOnce) {
  EXPECT_EQ(cause_of(directory_), Cause::kIo);
  EXPECT_EQ(cause_of(directory_ / "none"), Cause::kNotFound);
  EXPECT_EQ(cause_of(directory_ / "none" / "in a folder"), Cause::kNotFound);
  const auto pipe = directory_ / "pipe", loop = directory_ / "loop";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(cause_of(pipe), Cause::kIo);
  std::filesystem::create_symlink(loop, loop);
  EXPECT_EQ(cause_of(loop), Cause::kIo);
  EXPECT_EQ(cause_of("/dev/zero"), Cause::kIo);
  const auto locked = written("a");
  ::chmod(locked.c_str(), 0);
  if (::access(locked.c_str(), R_OK) != 0) {
    EXPECT_EQ(cause_of(locked), Cause::kIo);
  }
}

TEST_F(MappedFileTest, thereIsRoomForManyAndTheirPlacesAreUsedAgain) {
  const auto file = written("a");
  for (int round = 0; round < 3; ++round) {
    std::vector<std::unique_ptr<MappedFile>> all;
    for (;;) {
      auto mapped = MappedFile::map(file);
      if (mapped.has_error()) {
        EXPECT_EQ(mapped.error().cause, Cause::kUnavailable);
        break;
      }
      all.push_back(*std::move(mapped));
    }
    EXPECT_GE(all.size(), 16U);
  }
}

TEST_F(MappedFileTest, aTableThatIsCutWhileItEmbedsGivesErrorsAndNothingElse) {
  const std::string whole = file_text(shipped_model());
  const auto file = written(whole);
  const auto table = StaticTable::open(file).value();
  const std::vector<std::string_view> texts = {"A bridge of stone", "Der Zug ist spät",
                                               "我们的花园"};
  const auto before = table->embed(texts).value();
  std::atomic<bool> over{false};
  std::atomic<int> calls{0}, wrong{0};
  std::vector<std::thread> threads;
  for (int n = 0; n < 3; ++n)
    threads.emplace_back([&] {
      while (!over) {
        table->drop_cache();
        const auto vectors = table->embed(texts);
        if (vectors && *vectors != before) ++wrong;
        ++calls;
      }
    });
  while (calls < 20) std::this_thread::yield();
  std::filesystem::resize_file(file, page_);
  const int then = calls;
  while (calls < then + 20) std::this_thread::yield();
  over = true;
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  const auto after = table->embed(texts);
  ASSERT_TRUE(after.has_error());
  EXPECT_NE(after.error().what.find("changed while in use"), std::string::npos);
  EXPECT_TRUE(table->verify().has_error());
}

}  // namespace
}  // namespace kartei::store
