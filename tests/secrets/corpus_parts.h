// The parts of the corpus, a file each.
#pragma once

#include <vector>

#include "tests/secrets/corpus.h"

namespace kartei::secrets::corpus {

void add_told(std::vector<Secret>& out);
void add_keys(std::vector<Secret>& out);
void add_talk(std::vector<Harmless>& out);
void add_look_alikes(std::vector<Harmless>& out);

}  // namespace kartei::secrets::corpus
