#include "store/word_index.h"

namespace kartei::store {

Status prepare_word_index(sqlite3*) {
  return {};
}
std::vector<std::string> word_index_schema() {
  return {};
}
Status scrub_word_index(sqlite3*) {
  return {};
}

}  // namespace kartei::store
