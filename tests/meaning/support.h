// What the tests of store/meaning share.
#pragma once

#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <filesystem>
#include <fstream>
#include <memory>
#include <numeric>
#include <sstream>
#include <string>
#include <vector>

#include "store/meaning/static_table.h"

namespace kartei::store {

inline std::filesystem::path shipped_model() {
  return std::filesystem::path(KARTEI_BIN_DIR) / "../share/kartei/multi256.kmodel";
}

inline std::string file_text(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

inline boost::json::value json_file(const std::filesystem::path& file) {
  return boost::json::parse(file_text(file));
}

inline boost::json::value test_data(const std::string& name) {
  return json_file(std::filesystem::path(KARTEI_TESTS_DIR) / "meaning" / name);
}

inline std::vector<std::uint32_t> ids_of(const boost::json::value& list) {
  return boost::json::value_to<std::vector<std::uint32_t>>(list);
}

inline double dot(const std::vector<float>& a, const std::vector<float>& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

inline std::vector<float> vector_of(const StaticTable& table, std::string_view text) {
  std::vector<float> out(table.dims());
  table.embed_into(text, out.data());
  return out;
}

// The shipped model, its bytes read into memory, for what StaticTable does not show.
class ShippedModel {
 public:
  ShippedModel() : text_(file_text(shipped_model())) {
    model_ = PackedModel::parse(as_bytes(text_)).value();
  }
  const PackedModel& model() const { return model_; }
  std::vector<std::uint32_t> pieces(std::string_view text, TextLimits limits = {}) const {
    Tokenizer tokenizer(model_, limits);
    const auto found = tokenizer.pieces(text);
    return {found.begin(), found.end()};
  }

 private:
  std::string text_;
  PackedModel model_;
};

}  // namespace kartei::store
