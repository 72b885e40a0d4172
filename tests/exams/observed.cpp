#include "tests/exams/observed.h"

#include <algorithm>
#include <regex>

namespace kartei::exams {

namespace {

std::size_t words_in(const std::string& text) {
  static const std::regex kWord(R"(\S+)");
  return static_cast<std::size_t>(
      std::distance(std::sregex_iterator(text.begin(), text.end(), kWord), {}));
}

bool finds(std::string_view text, const std::regex& pattern) {
  return std::regex_search(text.begin(), text.end(), pattern);
}

bool is_from(const WrittenCard& card, const std::vector<std::string>& turns) {
  return std::any_of(card.sources.begin(), card.sources.end(), [&](const std::string& source) {
    return std::find(turns.begin(), turns.end(), source) != turns.end();
  });
}

double share_of(const std::set<std::string>& wanted, const std::set<std::string>& there) {
  if (wanted.empty()) return 0;
  const auto both = std::count_if(wanted.begin(), wanted.end(),
                                  [&](const std::string& word) { return there.contains(word); });
  return static_cast<double>(both) / static_cast<double>(wanted.size());
}

}  // namespace

bool begins_with_pronoun(std::string_view card) {
  static const std::regex kPronoun(
      R"(^\W*(i|he|she|it|they|we|you|his|her|its|their|our|my|this|that|these|those)\b)",
      std::regex::icase);
  return finds(card, kPronoun);
}

bool holds_relative_date(std::string_view card) {
  static const std::regex kRelative(
      R"(\b(yesterday|today|tomorrow|tonight|ago|(last|next|this) (night|morning|evening|week|weekend|month|year|spring|summer|autumn|fall|winter|monday|tuesday|wednesday|thursday|friday|saturday|sunday))\b)",
      std::regex::icase);
  return finds(card, kRelative);
}

void compare(const ExamConversation& conversation, const std::vector<WrittenCard>& cards,
             ContentWords& words, Observed& observed) {
  for (const ExamSession& session : conversation.sessions) observed.turns += session.turns.size();
  observed.cards += cards.size();
  std::vector<std::set<std::string>> card_words;
  for (const WrittenCard& card : cards) {
    card_words.push_back(words.of(card.text));
    observed.words += words_in(card.text);
    observed.pronouns += begins_with_pronoun(card.text) ? 1 : 0;
    observed.relative += holds_relative_date(card.text) ? 1 : 0;
  }
  for (const ExamObservation& observation : conversation.observations) {
    const std::set<std::string> wanted = words.of(observation.text);
    double best = 0;
    for (std::size_t i = 0; i < cards.size(); ++i)
      if (is_from(cards[i], observation.evidence))
        best = std::max(best, share_of(wanted, card_words[i]));
    ++observed.observations;
    observed.covered += best;
    observed.met += best > 0 ? 1 : 0;
  }
}

}  // namespace kartei::exams
