// The parts of the corpus, a file each.
#pragma once

#include <vector>

#include "tests/secrets/corpus.h"

namespace kartei::secrets::corpus {

void add_told(std::vector<Secret>& out);
void add_keys(std::vector<Secret>& out);
void add_rare_keys(std::vector<Secret>& out);
void add_every_word(std::vector<Secret>& out);
void add_talk(std::vector<Harmless>& out);
void add_look_alikes(std::vector<Harmless>& out);

// In the sentence of that number, of some that have room for a secret.
std::string in_a_sentence(std::size_t number, const std::string& secret);

}  // namespace kartei::secrets::corpus
