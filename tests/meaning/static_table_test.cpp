#include "store/meaning/static_table.h"

#include <algorithm>
#include <cctype>
#include <thread>

#include "tests/meaning/small_model.h"
#include "tests/meaning/support.h"

namespace kartei::store {
namespace {

class StaticTableTest : public ::testing::Test {
 protected:
  StaticTableTest() {
    std::string name = (std::filesystem::temp_directory_path() / "kartei-test-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
    directory_ = name;
  }
  ~StaticTableTest() override {
    std::error_code ignored;
    std::filesystem::remove_all(directory_, ignored);
  }
  std::filesystem::path written(const Bytes& bytes) const {
    const auto file = directory_ / "a.kmodel";
    std::ofstream(file, std::ios::binary)
        .write(as_text(bytes).data(), static_cast<std::streamsize>(bytes.size()));
    return file;
  }
  static Error error_of(const std::filesystem::path& file) {
    const auto table = StaticTable::open(file);
    return table.has_error() ? table.error() : Error{};
  }
  std::filesystem::path directory_;
};

void expect_says(const Error& error, Cause cause, const std::filesystem::path& file,
                 const std::string& part) {
  EXPECT_EQ(error.cause, cause);
  EXPECT_NE(error.what.find(file.string()), std::string::npos) << error.what;
  EXPECT_NE(error.what.find(part), std::string::npos) << error.what;
  EXPECT_NE(error.what.find("install it again"), std::string::npos) << error.what;
}

TEST_F(StaticTableTest, saysWhatIsWrongAndWhatToDo) {
  const Bytes good = SmallModel{{{"a", -4}}, -20, {}, {}}.file();
  const auto none = directory_ / "none.kmodel";
  expect_says(error_of(none), Cause::kNotFound, none, "it is missing");
  expect_says(error_of(directory_), Cause::kIo, directory_, "it is no file");
  const auto file = written({});
  expect_says(error_of(file), Cause::kCorrupt, file, "it is empty");
  written(Bytes(good.begin(), good.begin() + 100));
  expect_says(error_of(file), Cause::kCorrupt, file, "too short");
  written(Bytes(good.begin(), good.end() - 1));
  expect_says(error_of(file), Cause::kCorrupt, file,
              std::to_string(good.size() - 1) + " bytes instead of " + std::to_string(good.size()));
  written(Bytes(1000, 'x'));
  expect_says(error_of(file), Cause::kCorrupt, file, "not a model file");
  Bytes newer = good;
  newer[8] = 2;
  written(newer);
  expect_says(error_of(file), Cause::kVersion, file, "of format 2, and this Kartei reads 1");
}

TEST_F(StaticTableTest, damageBehindTheHeaderIsFoundByVerify) {
  Bytes bytes = SmallModel{{{"a", -4}}, -20, {}, {}}.file();
  bytes.back() ^= 1;
  const auto file = written(bytes);
  const auto table = StaticTable::open(file).value();
  expect_says(table->verify().error(), Cause::kCorrupt, file, "damaged");
}

TEST_F(StaticTableTest, theShippedFileVerifies) {
  const auto table = StaticTable::open(shipped_model()).value();
  EXPECT_TRUE(table->verify().has_value());
  EXPECT_EQ(table->model(), "kartei-multi256-v1");
  EXPECT_EQ(table->dims(), 256u);
}

TEST_F(StaticTableTest, embedsEachTextByItself) {
  const auto table = StaticTable::open(shipped_model()).value();
  const auto both = table->embed({"A green boat", "", "Ein grünes Boot"}).value();
  ASSERT_EQ(both.size(), 3 * 256u);
  const auto part = [&](int i) {
    return std::vector(both.begin() + i * 256, both.begin() + (i + 1) * 256);
  };
  EXPECT_EQ(part(0), vector_of(*table, "A green boat"));
  EXPECT_EQ(part(1), std::vector<float>(256));
  EXPECT_EQ(part(2), vector_of(*table, "Ein grünes Boot"));
  EXPECT_TRUE(table->embed({}).value().empty());
}

TEST_F(StaticTableTest, whatMeansNothingIsZero) {
  const auto table = StaticTable::open(shipped_model()).value();
  for (const char* text : {"", "   ", "\n\t", "\1", "▁"}) {
    EXPECT_EQ(vector_of(*table, text), std::vector<float>(256)) << text;
  }
}

TEST_F(StaticTableTest, looksAtTheBeginningOnly) {
  std::string text;
  for (int i = 0; i < 80; ++i) text += "boat ";
  const auto table = StaticTable::open(shipped_model()).value();
  EXPECT_EQ(vector_of(*table, text + "garden"), vector_of(*table, text + "music"));
  const auto longer = StaticTable::open(shipped_model(), {4096, 81}).value();
  EXPECT_NE(vector_of(*longer, text + "garden"), vector_of(*longer, text + "music"));
}

TEST_F(StaticTableTest, aDroppedCacheIsReadAgain) {
  const auto table = StaticTable::open(shipped_model()).value();
  const auto before = vector_of(*table, "The lamp stands by the window.");
  table->drop_cache();
  EXPECT_EQ(vector_of(*table, "The lamp stands by the window."), before);
}

// Pages of the file that are in this process's memory.
std::size_t resident_kb() {
  std::istringstream maps(file_text("/proc/self/smaps"));
  std::size_t kb = 0;
  bool ours = false;
  for (std::string line; std::getline(maps, line);) {
    // Lines of fields begin with a capital, those of mappings with an address.
    if (std::isupper(static_cast<unsigned char>(line[0])) == 0) ours = line.ends_with(".kmodel");
    if (ours && line.starts_with("Rss:")) kb += std::stoul(line.substr(4));
  }
  return kb;
}

TEST_F(StaticTableTest, droppingGivesMemoryBack) {
  const auto table = StaticTable::open(shipped_model()).value();
  ASSERT_TRUE(table->verify().has_value());
  EXPECT_GT(resident_kb(), 0u);
  table->drop_cache();
  EXPECT_EQ(resident_kb(), 0u);
}

TEST_F(StaticTableTest, threadsShareIt) {
  const auto table = StaticTable::open(shipped_model()).value();
  const std::vector<std::string> texts = {"A bridge of stone", "Der Zug ist spät", "我们的花园",
                                          "Ночью шёл дождь"};
  std::vector<std::vector<float>> expected;
  for (const auto& text : texts) expected.push_back(vector_of(*table, text));
  std::vector<int> equal(4);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < texts.size(); ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 200; ++i) {
        equal[t] += vector_of(*table, texts[t]) == expected[t] ? 1 : 0;
        if (i % 20 == 0) table->drop_cache();
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(equal, std::vector<int>(4, 200));
}

}  // namespace
}  // namespace kartei::store
