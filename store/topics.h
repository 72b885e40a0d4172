// Everyday words that ask about a topic without naming it: "what shall I cook" is about food. The
// secretary tags its cards with the topics' names, so a question's word may also be found under its
// topic. A small table, data and no more; closeness of meaning in general is another leg's work.
#pragma once

#include <string_view>

namespace kartei::store {

// The tag of the topic that this word (folded) asks about; empty where there is none.
std::string_view topic_of(std::string_view folded);

}  // namespace kartei::store
