// What is embedded of a turn or a card: the beginning of a long text says what it is about, and a
// vector of all of it would blur.
#pragma once

#include <string>
#include <string_view>

namespace kartei::store {

inline constexpr std::size_t kMeaningWords = 80, kMeaningBytes = 800;

// "speaker: the first words [caption]".
std::string meaning_text_of_turn(std::string_view speaker, std::string_view text,
                                 std::string_view caption);
std::string meaning_text_of_card(std::string_view text);

}  // namespace kartei::store
