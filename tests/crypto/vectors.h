// Reads the published vectors in tests/crypto/vectors/.
#pragma once

#include <boost/json.hpp>
#include <fstream>
#include <sstream>
#include <string>

#include "tests/crypto/support.h"

namespace kartei::crypto {

inline boost::json::array vectors_of(const std::string& name) {
  std::ifstream in(std::string(KARTEI_TESTS_DIR) + "/crypto/vectors/" + name);
  std::stringstream text;
  text << in.rdbuf();
  return boost::json::parse(text.str()).as_object().at("vectors").as_array();
}

// The field's bytes; empty where there is no such field.
inline Bytes field(const boost::json::object& vector, std::string_view name) {
  const auto* value = vector.if_contains(name);
  return value == nullptr ? Bytes() : hex(std::string_view(value->as_string()));
}

}  // namespace kartei::crypto
