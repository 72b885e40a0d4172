// Damaged model files: an error, or wrong vectors, never a read out of bounds (which the address
// sanitizer notices: the bytes end where their memory does).
#include <cmath>

#include "store/meaning/row_sum.h"
#include "tests/meaning/small_model.h"
#include "tests/meaning/support.h"

namespace kartei::store {
namespace {

Bytes good_file() {
  SmallModel small;
  small.pieces = {{"▁", -3}, {"a", -4}, {"▁ab", -5}, {"abc", -6}, {"中文", -7}};
  small.map = {{U'A', "a"}, {U'\t', " "}};
  small.compositions = {{{U'e', U'\u0301'}, U'é'}};
  return small.file();
}

constexpr std::string_view kText = "Aabc e\u0301 中文 \xFF\t\u1112\u1161\u11AB abcabcab";

// The vector of kText; each is of unit length or zero.
std::vector<float> vector_by(const PackedModel& model) {
  std::vector<float> out(model.dims);
  Tokenizer tokenizer(model);
  sum_rows(model, tokenizer.pieces(kText), out.data());
  const double length = std::sqrt(dot(out, out));
  EXPECT_TRUE(length == 0 || std::abs(length - 1) < 1e-4) << length;
  return out;
}

Bytes with_number(Bytes file, std::size_t at, std::uint64_t value, int bytes) {
  Bytes number;
  put_number(number, value, bytes);
  std::ranges::copy(number, file.begin() + static_cast<std::ptrdiff_t>(at));
  return resealed(file);
}

std::uint64_t number_at(const Bytes& file, std::size_t at) {
  std::uint64_t value = 0;
  for (std::size_t i = 8; i-- > 0;) value = value << 8 | file[at + i];
  return value;
}

Cause cause_of(const Bytes& file) {
  const auto model = PackedModel::parse(file);
  return model.has_error() ? model.error().cause : Cause::kInternal;
}

TEST(PackedModel, aGoodFileIsRead) {
  const Bytes file = good_file();
  const PackedModel model = PackedModel::parse(file).value();
  EXPECT_EQ(model.name, "small");
  EXPECT_EQ(model.dims, 32u);
  EXPECT_EQ(model.pieces, 6u);
  EXPECT_TRUE(model.verify().has_value());
  EXPECT_NE(vector_by(model), std::vector<float>(32));
}

TEST(PackedModel, rowsAreSummedAndOfUnitLength) {
  const Bytes file = good_file();
  const PackedModel model = PackedModel::parse(file).value();
  const std::vector<std::uint32_t> pieces = {3, 1, 0, 3, 6, 1'000'000};  // the last two: no such
  std::vector<float> expected(32), found(32);
  for (std::size_t d = 0; d < 32; ++d) {
    expected[d] = static_cast<float>(2 * SmallModel::number(3, d) + SmallModel::number(1, d));
  }
  const double length = std::sqrt(dot(expected, expected));
  sum_rows(model, pieces, found.data());
  for (std::size_t d = 0; d < 32; ++d) EXPECT_NEAR(found[d], expected[d] / length, 1e-6) << d;
}

TEST(PackedModel, aSumOfZeroIsZero) {
  const Bytes file = good_file();
  const PackedModel model = PackedModel::parse(file).value();
  std::vector<float> found(32, 7);
  sum_rows(model, {}, found.data());
  EXPECT_EQ(found, std::vector<float>(32));
  const std::vector<std::uint32_t> unknown = {0, 0};
  sum_rows(model, unknown, found.data());
  EXPECT_EQ(found, std::vector<float>(32));
}

TEST(PackedModel, eachFlippedBitOfTheHeaderIsNoticed) {
  const Bytes good = good_file();
  for (std::size_t bit = 0; bit < 256 * 8; ++bit) {
    Bytes file = good;
    file[bit / 8] ^= static_cast<std::uint8_t>(1u << bit % 8);
    EXPECT_TRUE(PackedModel::parse(file).has_error()) << "byte " << bit / 8;
  }
}

TEST(PackedModel, fieldsThatCannotBeAreRefused) {
  const Bytes good = good_file();
  struct Wrong {
    std::size_t at;
    std::uint64_t value;
    int bytes;
    Cause cause = Cause::kCorrupt;
  };
  const std::uint64_t size = good.size();
  const Wrong all[] = {{0, 'X', 1},
                       {8, 2, 4, Cause::kVersion},
                       {12, 0, 4},
                       {12, 33, 4},
                       {12, 64, 4},  // more than the rows hold
                       {12, 1056, 4},
                       {16, 0, 4},
                       {16, 5, 4},
                       {16, 7, 4},
                       {16, 1u << 22, 4},
                       {20, 0, 4},
                       {20, 256, 4},
                       {32, size - 1, 8},
                       {32, size + 1, 8},
                       {40, 0, 1},               // no name
                       {79, 'x', 1},             // a name without an end
                       {88, 1, 8},               // half an element
                       {80 + 5 * 16 + 8, 0, 8},  // no root
                       {80 + 6 * 16 + 8, 20, 8},
                       {80 + 7 * 16 + 8, 18 * 5, 8}};
  for (const Wrong& wrong : all) {
    EXPECT_EQ(cause_of(with_number(good, wrong.at, wrong.value, wrong.bytes)), wrong.cause)
        << "at " << wrong.at << ": " << wrong.value;
  }
}

TEST(PackedModel, sectionsOutsideTheFileAreRefused) {
  const Bytes good = good_file();
  for (std::size_t section = 0; section < 8; ++section) {
    const std::size_t offset_at = 80 + section * 16, size_at = offset_at + 8;
    const std::uint64_t offset = number_at(good, offset_at), size = number_at(good, size_at);
    for (std::uint64_t wrong :
         {std::uint64_t{0}, offset + 1, std::uint64_t{good.size() / 64 * 64 + 64},
          ~std::uint64_t{0}, ~std::uint64_t{63}}) {
      EXPECT_EQ(cause_of(with_number(good, offset_at, wrong, 8)), Cause::kCorrupt) << section;
    }
    for (std::uint64_t wrong :
         {size + good.size() * 12, ~std::uint64_t{0}, 0 - offset, 12 - offset}) {
      EXPECT_EQ(cause_of(with_number(good, size_at, wrong, 8)), Cause::kCorrupt) << section;
    }
  }
}

TEST(PackedModel, aFileCutAnywhereIsRefused) {
  const Bytes good = good_file();
  std::vector<std::size_t> sizes = {0, 1, 255, 256, good.size() - 1};
  for (std::size_t section = 0; section < 8; ++section) {
    const std::size_t begin = number_at(good, 80 + section * 16);
    sizes.insert(sizes.end(), {begin - 1, begin, begin + 1});
  }
  for (std::size_t size : sizes) {
    const Bytes cut(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_EQ(cause_of(cut), Cause::kCorrupt) << size;
    EXPECT_EQ(cause_of(resealed(cut)), Cause::kCorrupt) << size;
  }
}

TEST(PackedModel, eachFlippedByteOfTheRestIsNoticedByVerifyAndHarmsNobody) {
  const Bytes good = good_file();
  for (std::size_t at = 256; at < good.size(); ++at) {
    Bytes file = good;
    file[at] ^= static_cast<std::uint8_t>(1 + at % 255);
    const Bytes exact(file);
    const auto model = PackedModel::parse(exact);
    ASSERT_TRUE(model.has_value()) << at;
    EXPECT_TRUE(model->verify().has_error()) << at;
    vector_by(*model);
  }
}

// Numbers as large as they can be, wherever there is one.
TEST(PackedModel, numbersThatPointOutsideHarmNobody) {
  const Bytes good = good_file();
  for (std::size_t at = 256; at + 4 <= good.size(); at += 2) {
    for (std::uint64_t value : {0xFFFFFFFFull, 0xFFFFFE00ull, 0x7FFFFFFFull, 0xFFFF0000ull}) {
      const Bytes file = with_number(good, at, value, at % 4 == 0 ? 4 : 2);
      vector_by(PackedModel::parse(file).value());
    }
  }
}

TEST(PackedModel, bytesAtAnOddPlaceAreRefused) {
  Bytes shifted = good_file();
  shifted.insert(shifted.begin(), 0);
  EXPECT_TRUE(PackedModel::parse(ByteView(shifted).subspan(1)).has_error());
}

}  // namespace
}  // namespace kartei::store
