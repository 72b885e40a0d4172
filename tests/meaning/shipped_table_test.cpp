// The shipped table against vectors that a slow implementation of the rules made of the table as it
// was fitted (store/meaning/pack_model.py vectors).
#include "tests/meaning/support.h"

namespace kartei::store {
namespace {

// What 4 bits instead of 8 may cost; measured: .9948 at least, .9970 in the middle.
constexpr double kCosineAtLeast = 0.99;

std::vector<float> fitted_vector(const std::string& hex) {
  const Bytes bytes = from_hex(hex).value();
  std::vector<float> vector(bytes.size());
  double squares = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    vector[i] = static_cast<std::int8_t>(bytes[i]);
    squares += vector[i] * vector[i];
  }
  for (float& value : vector) value /= static_cast<float>(std::sqrt(squares));
  return vector;
}

TEST(ShippedTable, piecesAreThoseOfTheSlowTokenizer) {
  const ShippedModel shipped;
  const auto vectors = test_data("vectors.json");
  ASSERT_GT(vectors.as_array().size(), 100u);
  for (const auto& one : vectors.as_array()) {
    EXPECT_EQ(shipped.pieces(one.at("text").as_string()), ids_of(one.at("ids")))
        << one.at("text").as_string();
  }
}

TEST(ShippedTable, vectorsAreCloseToTheFittedOnes) {
  const auto table = StaticTable::open(shipped_model()).value();
  const auto vectors = test_data("vectors.json");
  for (const auto& one : vectors.as_array()) {
    const auto fitted = fitted_vector(std::string(one.at("vector").as_string()));
    const auto packed = vector_of(*table, one.at("text").as_string());
    EXPECT_GE(dot(fitted, packed), kCosineAtLeast) << one.at("text").as_string();
    EXPECT_NEAR(dot(packed, packed), 1, 1e-5);
  }
}

// The vectors that came with the table lie outside the project.
TEST(ShippedTable, agreesWithTheVectorsThatCameWithTheTable) {
  std::filesystem::path file;
  for (const char* above : {"../..", "../../.."}) {
    const auto shared = std::filesystem::path(KARTEI_TESTS_DIR) / above / "shared/model";
    if (std::filesystem::exists(shared)) file = shared / "test_vectors.json";
  }
  if (file.empty()) GTEST_SKIP() << "there is no ../shared/model/test_vectors.json";
  const auto given = json_file(file);
  const ShippedModel shipped;
  const auto table = StaticTable::open(shipped_model()).value();
  std::vector<std::vector<float>> vectors;
  const auto& sentences = given.at("sentences").as_array();
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    EXPECT_EQ(shipped.pieces(sentences[i].as_string()), ids_of(given.at("ids").at(i)));
    vectors.push_back(vector_of(*table, sentences[i].as_string()));
    for (std::size_t d = 0; d < 8; ++d) {
      EXPECT_NEAR(vectors[i][d], given.at("first8").at(i).at(d).as_double(), 0.03);
    }
    for (std::size_t j = 0; j <= i; ++j) {
      EXPECT_NEAR(dot(vectors[i], vectors[j]), given.at("cosine").at(i).at(j).as_double(), 0.03);
    }
  }
}

}  // namespace
}  // namespace kartei::store
