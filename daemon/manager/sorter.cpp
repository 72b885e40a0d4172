#include "daemon/manager/sorter.h"

#include <algorithm>
#include <set>

#include "crypto/utf8.h"
#include "daemon/manager/sorting_words.h"
#include "daemon/manager/topic_words.h"
#include "store/words.h"

namespace kartei::daemon {
namespace {

constexpr std::size_t kTextSorted = 2 << 10;  // bytes of a turn; what it is about it says early
constexpr std::size_t kWordsSorted = 300;
constexpr std::size_t kKindsMost = 192;  // what was taught included
constexpr std::size_t kWordsOfKind = 12;
constexpr std::size_t kTalksMost = 128;
constexpr std::size_t kCountMost = 1000;
constexpr std::size_t kPlain = 2;      // one word that means nothing else, or two others
constexpr std::size_t kLearned = 3;    // goes before what is built in
constexpr std::size_t kStaying = 1;    // of the kind that a conversation has
constexpr std::size_t kNameLeast = 4;  // bytes of a name or thing that is learned
constexpr std::string_view kThing = "about ";

template <std::size_t N>
std::string_view found_in(const std::array<std::pair<std::string_view, std::string_view>, N>& table,
                          std::string_view word) {
  const auto at =
      std::lower_bound(table.begin(), table.end(), word,
                       [](const auto& entry, std::string_view key) { return entry.first < key; });
  return at != table.end() && at->first == word ? at->second : std::string_view();
}

template <std::size_t N>
bool in_table(const std::array<std::string_view, N>& table, std::string_view word) {
  return std::find(table.begin(), table.end(), word) != table.end();
}

std::string_view singular(std::string_view word) {
  return word.ends_with('s') ? word.substr(0, word.size() - 1) : word;
}

std::string_view built_in_kind(std::string_view word) {
  for (const std::string_view form : {word, singular(word)}) {
    const std::string_view more = found_in(data::kMoreWords, form);
    const std::string_view kind = more.empty() ? found_in(data::kTopicWords, form) : more;
    if (!kind.empty()) return kind;
  }
  return {};
}

bool doubtful(std::string_view word) {
  return in_table(data::kWeakWords, word) || in_table(data::kWeakWords, singular(word));
}

struct Score {
  std::string kind;
  std::size_t points = 0;
};

void add_score(std::vector<Score>& scores, std::string_view kind, std::size_t points) {
  for (Score& score : scores) {
    if (score.kind != kind) continue;
    score.points += points;
    return;
  }
  scores.push_back({std::string(kind), points});
}

std::vector<store::Word> words_sorted(std::string_view text) {
  return store::words_of(utf8_prefix(text, kTextSorted), kWordsSorted);
}

std::vector<Score> scores_of(std::string_view text,
                             const std::map<std::string, Sorter::Kind>& known) {
  std::vector<Score> scores;
  std::set<std::string> seen;
  for (const store::Word& word : words_sorted(text)) {
    if (word.gram || !seen.insert(word.folded).second) continue;
    const std::string thing = std::string(kThing) + word.folded;
    if (known.contains(thing)) add_score(scores, thing, kLearned);
    const std::string_view kind = built_in_kind(word.folded);
    if (!kind.empty()) add_score(scores, kind, doubtful(word.folded) ? 1 : kPlain);
  }
  return scores;
}

// Plain: it leads by a word.
std::string plainest(const std::vector<Score>& scores) {
  const Score* best = nullptr;
  std::size_t second = 0;
  for (const Score& score : scores) {
    if (best == nullptr || score.points > best->points) {
      if (best != nullptr) second = std::max(second, best->points);
      best = &score;
    } else {
      second = std::max(second, score.points);
    }
  }
  return best != nullptr && best->points >= kPlain && best->points > second ? best->kind : "";
}

std::uint32_t talk_hash(std::string_view name) {
  std::uint32_t hash = 2166136261U;  // FNV-1a: the same on each start
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
  return hash;
}

template <class T>
void keep_some(std::vector<T>& list, T one) {
  if (list.size() >= kSpreadToMake || std::find(list.begin(), list.end(), one) != list.end())
    return;
  list.push_back(one);
}

// As its owner calls it: a word that names the whole of it, else the one used most.
std::string name_for(const Sorter::Kind& kind) {
  std::string best;
  std::pair<bool, std::size_t> best_worth{false, 0};
  for (const auto& [word, times] : kind.words) {
    const std::string folded = store::folded_text(word);
    const std::pair worth{in_table(data::kNamingWords, folded), times};
    if (worth <= best_worth || doubtful(folded) > worth.first) continue;
    best = word;
    best_worth = worth;
  }
  return best;
}

bool asks_only(std::string_view text) {
  const std::size_t end = text.find_last_not_of(" \n\t\"')");
  return end != std::string_view::npos && text[end] == '?';
}

bool begins_sentence(std::string_view text, std::size_t at) {
  const std::size_t before = text.substr(0, at).find_last_not_of(" \"'(");
  return before == std::string_view::npos ||
         std::string_view(".!?:\n").find(text[before]) != std::string_view::npos;
}

}  // namespace

std::string kind_of_text(std::string_view text) {
  return plainest(scores_of(text, {}));
}

std::string kind_of_name(std::string_view name) {
  const auto words = store::words_of(name, 2);
  return words.size() == 1 ? std::string(built_in_kind(words[0].folded)) : std::string();
}

void Sorter::set_drawers(std::span<const store::Drawer> drawers) {
  drawers_.assign(drawers.begin(), drawers.end());
}

const store::Drawer* Sorter::drawer(store::DrawerId id) const {
  for (const store::Drawer& one : drawers_)
    if (one.id == id && one.held) return &one;
  return nullptr;
}

bool Sorter::made_it(store::DrawerId id) const {
  return std::any_of(kinds_.begin(), kinds_.end(), [&](const auto& entry) {
    return entry.second.drawer == id && entry.second.origin == Origin::kMade;
  });
}

// Room for another: what was counted least goes, but nothing that has a drawer.
Sorter::Kind& Sorter::known(const std::string& kind) {
  if (const auto at = kinds_.find(kind); at != kinds_.end()) return at->second;
  if (kinds_.size() >= kKindsMost) {
    auto least = kinds_.begin();
    for (auto at = kinds_.begin(); at != kinds_.end(); ++at)
      if (std::pair(!at->second.drawer.is_zero(), at->second.exchanges) <
          std::pair(!least->second.drawer.is_zero(), least->second.exchanges))
        least = at;
    kinds_.erase(least);
  }
  return kinds_[kind];
}

Sorter::Talk& Sorter::talk_of(std::string_view conversation) {
  const std::uint32_t hash = talk_hash(conversation);
  const auto at = std::find_if(talks_.begin(), talks_.end(),
                               [&](const Talk& talk) { return talk.conversation == hash; });
  Talk talk;
  talk.conversation = hash;
  if (at != talks_.end()) {
    talk = std::move(*at);
    talks_.erase(at);
  }
  if (talks_.size() >= kTalksMost) talks_.pop_front();
  talks_.push_back(std::move(talk));
  return talks_.back();
}

// Another kind has to be plainer than what the conversation is about.
std::string Sorter::kind_here(std::string_view text, const Talk& talk) const {
  std::vector<Score> scores = scores_of(text, kinds_);
  const bool stays = std::any_of(scores.begin(), scores.end(),
                                 [&](const Score& score) { return score.kind == talk.kind; });
  if (stays) add_score(scores, talk.kind, kStaying);
  return plainest(scores);
}

void Sorter::count(const SortedTurn& turn, const std::string& name) {
  Kind& kind = known(name);
  kind.exchanges = std::min(kind.exchanges + 1, kCountMost);
  keep_some(kind.conversations, talk_hash(turn.conversation));
  keep_some(kind.days, turn.day);
  for (const store::Word& word : words_sorted(turn.text)) {
    if (word.gram || built_in_kind(word.folded) != name) continue;
    std::string written(turn.text.substr(word.begin, word.end - word.begin));
    if (word.capital && begins_sentence(turn.text, word.begin)) written = word.folded;
    const auto at = kind.words.find(written);
    if (at != kind.words.end())
      at->second = std::min(at->second + 1, kCountMost);
    else if (kind.words.size() < kWordsOfKind)
      kind.words.emplace(std::move(written), 1);
  }
  changed_ = true;
}

// The user's own word first, then a drawer of that name, then the sorter's.
Sorting Sorter::place(const std::string& name) {
  Sorting out;
  out.kind = name;
  const auto at = kinds_.find(name);
  const Kind* kind = at == kinds_.end() ? nullptr : &at->second;
  const store::Drawer* own = kind == nullptr ? nullptr : drawer(kind->drawer);
  if (own != nullptr && kind->origin == Origin::kTaught) {
    out.drawer = own->id;
    out.why = "a card of this kind was moved there";
    return out;
  }
  for (const store::Drawer& one : drawers_) {
    if (one.shared || !one.held || made_it(one.id) || kind_of_name(one.name) != name) continue;
    out.drawer = one.id;
    out.why = "its name says so";
    return out;
  }
  if (own != nullptr) {  // shared only where its owner shared what the sorter had made
    out.drawer = own->id;
    out.why = "made for this kind";
    return out;
  }
  const bool plain = own == nullptr && kind != nullptr && kind->exchanges >= kExchangesToMake &&
                     std::max(kind->conversations.size(), kind->days.size()) >= kSpreadToMake;
  if (!plain) return out;
  std::string called = name_for(*kind);
  const bool taken = std::any_of(drawers_.begin(), drawers_.end(),
                                 [&](const store::Drawer& one) { return one.name == called; });
  if (called.empty() || taken) return out;
  out.make = std::move(called);
  out.why = "said in " + std::to_string(kind->exchanges) + " exchanges";
  return out;
}

Sorting Sorter::sort(const SortedTurn& turn) {
  Talk& talk = talk_of(turn.conversation);
  if (!turn.by_user) return place(talk.kind);  // an answer follows what it answers
  const std::string kind = kind_here(turn.text, talk);
  if (kind.empty()) {
    if (!talk.kind.empty() && ++talk.without > kFollowing) talk.kind.clear();
    changed_ = true;
    return place(talk.kind);
  }
  talk.kind = kind;
  talk.without = 0;
  changed_ = true;
  if (!asks_only(turn.text) && !kind.starts_with(kThing)) count(turn, kind);
  return place(kind);
}

void Sorter::made(const std::string& kind, store::DrawerId drawer) {
  Kind& entry = known(kind);
  entry.drawer = drawer;
  entry.origin = Origin::kMade;
  changed_ = true;
}

std::string Sorter::teach(const store::Card& card, store::DrawerId drawer) {
  std::string kind = kind_of_text(card.text);
  if (kind.empty()) {
    const auto words = store::words_of(card.object, 8);
    for (const store::Word& word : words)
      if (kind.empty() && word.folded.size() >= kNameLeast && !store::stop_word_mask(word.folded))
        kind = std::string(kThing) + word.folded;
  }
  if (kind.empty()) return kind;
  Kind& entry = known(kind);
  entry.drawer = drawer;
  entry.origin = Origin::kTaught;
  changed_ = true;
  return kind;
}

bool Sorter::forget(const std::string& kind) {
  if (kinds_.erase(kind) == 0) return false;
  changed_ = true;
  return true;
}

}  // namespace kartei::daemon
