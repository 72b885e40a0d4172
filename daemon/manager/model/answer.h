// What a model answered, read as strictly as it was asked: anything unknown, missing, too long or
// of another kind makes the whole answer wrong. It can only propose: there is no word in it that
// takes anything away. Pure; any bytes are accepted. (Fuzzed: tests/fuzz/model_answer_fuzz.cpp.)
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/manager/model/sheet.h"

namespace kartei::daemon {

inline constexpr std::size_t kProposalsMost = 12;  // cards of one answer
inline constexpr std::size_t kProposalSources = 3;
inline constexpr std::size_t kProposalTags = 5;
inline constexpr std::size_t kProposalTextBytes = 400;
inline constexpr std::size_t kProposalTagBytes = 48;

// A card that the model would write.
struct Proposal {
  std::string text;
  store::Colour colour = store::Colour::kFact;  // or kEvent
  std::vector<std::size_t> sources;             // places in the task's turns, each once
  store::Date from, to;
  std::optional<std::size_t> replaces;  // place among the sheet's cards
  std::vector<std::string> tags;
};

// What the endpoint put around it.
struct ChatAnswer {
  std::string content;
  std::uint64_t tokens = 0;  // of question and answer, as the endpoint counts; 0: it does not say
};
Result<ChatAnswer> read_chat_answer(std::string_view body);
// The content itself; ``` around it are let through. Errors never repeat what it says.
Result<std::vector<Proposal>> read_proposals(std::string_view content, const Sheet& sheet);

}  // namespace kartei::daemon
