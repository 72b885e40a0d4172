#include "tests/secrets/corpus_parts.h"

namespace kartei::secrets::corpus {

std::vector<Secret> secrets() {
  std::vector<Secret> out;
  add_keys(out);
  add_told(out);
  add_rare_keys(out);
  add_every_word(out);
  return out;
}

std::vector<Harmless> harmless() {
  std::vector<Harmless> out;
  add_talk(out);
  add_look_alikes(out);
  return out;
}

}  // namespace kartei::secrets::corpus
