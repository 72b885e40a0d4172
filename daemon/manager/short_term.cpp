#include "daemon/manager/short_term.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "crypto/utf8.h"
#include "daemon/manager/topic_words.h"
#include "store/excerpt.h"
#include "store/pack.h"
#include "store/sentences.h"
#include "store/time_phrase.h"
#include "store/words.h"

namespace kartei::daemon {

namespace {

constexpr std::size_t kTextBytes = 8 << 10;  // looked at of one turn
constexpr std::size_t kSentencesMost = 60;
constexpr std::size_t kWordsMost = 1000;
constexpr std::size_t kTagsLeast = 3, kTagsMost = 7;
constexpr std::size_t kTagBytesLeast = 4;  // of a word that is no name

// What a sentence tells, by what it has.
constexpr double kWordWorth = 1, kNameWorth = 1.5, kNumberWorth = 1.5, kDateWorth = 2;
constexpr double kQuestionShare = 0.8;  // says less than a statement
constexpr std::size_t kWordsCounted = 10;

std::string_view text_of(const store::Turn& turn) {
  return utf8_prefix(turn.text.empty() ? turn.caption : turn.text, kTextBytes);
}

bool is_number(const store::Word& word) {
  return !word.folded.empty() && word.folded.front() >= '0' && word.folded.front() <= '9';
}

// Words that are no function words of their tongue.
std::vector<store::Word> words_with_content(std::string_view text) {
  std::vector<store::Word> words = store::words_of(text, kWordsMost);
  const store::Language language = store::guess_language(words);
  std::erase_if(words, [&](const store::Word& word) {
    if (word.gram) return word.pair ? store::is_function_pair(word.folded) : true;
    return store::is_stop_word(language, word.folded);
  });
  return words;
}

// A capital within a sentence.
bool is_name(std::string_view text, const store::Word& word) {
  if (!word.capital) return false;
  const std::size_t before = text.substr(0, word.begin).find_last_not_of(" \"'(");
  return before != std::string_view::npos &&
         std::string_view(".!?:\n").find(text[before]) == std::string_view::npos;
}

double worth_of_sentence(std::string_view sentence, const store::ZonedTime& said_at) {
  std::set<std::string_view> seen;
  double worth = 0;
  const std::vector<store::Word> words = words_with_content(sentence);
  for (const store::Word& word : words) {
    if (seen.size() == kWordsCounted) break;
    if (!seen.insert(word.folded).second) continue;
    worth += is_number(word) ? kNumberWorth : is_name(sentence, word) ? kNameWorth : kWordWorth;
  }
  if (!store::find_time_phrases(sentence, said_at).empty()) worth += kDateWorth;
  return sentence.ends_with('?') ? worth * kQuestionShare : worth;
}

std::string_view most_telling(std::string_view text, const store::ZonedTime& said_at) {
  std::string_view best;
  double best_worth = -1;
  for (const store::Sentence& at : store::sentences_of(text, kSentencesMost)) {
    std::string_view sentence = text.substr(at.begin, at.end - at.begin);
    while (!sentence.empty() && static_cast<unsigned char>(sentence.back()) <= ' ')
      sentence.remove_suffix(1);
    const double worth = worth_of_sentence(sentence, said_at);
    if (worth <= best_worth) continue;
    best = sentence;
    best_worth = worth;
  }
  return best;
}

// At most `most` bytes, of whole words where there are spaces.
std::string cut(std::string line, std::size_t most) {
  constexpr std::string_view kMore = " …";
  if (line.size() <= most) return line;
  std::string_view kept = utf8_prefix(line, most - kMore.size());
  const std::size_t space = kept.rfind(' ');
  if (space != std::string_view::npos && space > kept.size() / 2) kept = kept.substr(0, space);
  return std::string(kept) + std::string(kMore);
}

std::string told(const store::Turn& turn) {
  return store::with_dates(store::one_line(most_telling(text_of(turn), turn.said_at), true),
                           turn.said_at);
}

std::string_view topic_of_word(std::string_view folded) {
  const auto find = [](std::string_view word) {
    const auto* at =
        std::lower_bound(data::kTopicWords.begin(), data::kTopicWords.end(), word,
                         [](const auto& entry, std::string_view key) { return entry.first < key; });
    return at != data::kTopicWords.end() && at->first == word ? at->second : std::string_view();
  };
  const std::string_view topic = find(folded);
  if (!topic.empty() || !folded.ends_with('s')) return topic;
  return find(folded.substr(0, folded.size() - 1));
}

// The topics of these words, the one with most of them first; of equals the one that came first.
std::vector<std::string_view> topics_of(const std::vector<store::Word>& words) {
  std::vector<std::pair<std::string_view, std::size_t>> counts;
  for (const store::Word& word : words) {
    const std::string_view topic = topic_of_word(word.folded);
    if (topic.empty()) continue;
    const auto there = std::find_if(counts.begin(), counts.end(),
                                    [&](const auto& count) { return count.first == topic; });
    if (there == counts.end())
      counts.emplace_back(topic, 1);
    else
      ++there->second;
  }
  std::stable_sort(counts.begin(), counts.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  std::vector<std::string_view> topics;
  for (const auto& [topic, count] : counts) topics.push_back(topic);
  return topics;
}

std::vector<std::string> tags_of_turn(const store::Turn& turn,
                                      const std::vector<store::Word>& words,
                                      const std::vector<std::string_view>& topics) {
  std::vector<std::string> tags;
  const auto put = [&](std::string_view tag) {
    if (tag.empty() || tags.size() >= kTagsMost) return;
    if (std::find(tags.begin(), tags.end(), tag) == tags.end()) tags.emplace_back(tag);
  };
  constexpr std::size_t kTopicTags = 2;
  for (std::size_t i = 0; i < std::min(topics.size(), kTopicTags); ++i) put(topics[i]);
  for (const store::Word& word : words)
    if (is_name(text_of(turn), word)) put(word.folded);
  for (const store::Word& word : words)
    if (word.gram || (word.folded.size() >= kTagBytesLeast && !is_number(word))) put(word.folded);
  for (const std::string& spare :
       {store::folded_text(turn.speaker), std::string(to_text(turn.role)), std::string("turn")})
    if (tags.size() < kTagsLeast) put(spare);
  return tags;
}

}  // namespace

std::vector<Exchange> exchanges_of(std::span<const store::Turn> turns) {
  std::vector<Exchange> exchanges;
  std::set<std::string_view> spoken;  // who has, in the exchange that is under way
  for (std::size_t i = 0; i < turns.size(); ++i) {
    const store::Turn& turn = turns[i];
    const bool after_another = i > 0 && turns[i - 1].speaker != turn.speaker;
    const bool begins = turn.role == store::Role::kUser && i > 0 &&
                        (turns[i - 1].role != store::Role::kUser ||
                         (after_another && spoken.contains(turn.speaker)));
    if (i == 0 || begins) {
      exchanges.push_back({i, i});
      spoken.clear();
    }
    exchanges.back().end = i + 1;
    spoken.insert(turn.speaker);
  }
  return exchanges;
}

std::string summary_line(std::span<const store::Turn> exchange) {
  constexpr std::string_view kBetween = " / ";
  constexpr std::size_t kFirstBytes = (kLineBytes - kBetween.size()) * 3 / 5;
  if (exchange.empty()) return {};
  const store::Turn& first = exchange.front();
  const auto answer = std::find_if(exchange.begin(), exchange.end(), [&](const store::Turn& turn) {
    return turn.speaker != first.speaker && turn.role != store::Role::kTool;
  });
  std::string line = first.speaker + ": " + told(first);
  if (answer == exchange.end()) return cut(std::move(line), kLineBytes);
  line = cut(std::move(line), kFirstBytes) + std::string(kBetween);
  return line + cut(answer->speaker + ": " + told(*answer), kLineBytes - line.size());
}

TurnNotes notes_of(const store::Turn& turn) {
  const std::vector<store::Word> words = words_with_content(text_of(turn));
  const std::vector<std::string_view> topics = topics_of(words);
  TurnNotes notes;
  notes.tags = tags_of_turn(turn, words, topics);
  if (!topics.empty()) notes.sub_domain = topics.front();
  const store::TurnOpening opening = store::turn_opening(turn, turn.said_at.zone_min);
  notes.micro_context = cut(opening.who + ", " + opening.day + ": " + told(turn), kLineBytes);
  return notes;
}

}  // namespace kartei::daemon
