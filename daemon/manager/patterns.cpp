#include "daemon/manager/patterns.h"

#include <algorithm>

#include "daemon/manager/lexicon.h"
#include "daemon/manager/words.h"

namespace kartei::daemon {
namespace {

constexpr Frame kFrames[] = {
    {"live", "with", "lives_with", true, "home", "home people", 0.6},
    {"live", "on", "lives_on", false, "life", "life", 0.5},
    {"live", "", "lives_in", true, "home", "home residence place", 0.9},
    {"reside", "", "lives_in", true, "home", "home residence place", 0.9},
    {"base", "", "lives_in", true, "home", "home residence place", 0.8},
    {"relocate", "", "lives_in", true, "home", "home residence place", 0.9},
    {"move", "", "lives_in", true, "home", "home residence place", 0.9},
    {"work", "on", "works_on", false, "work", "work project", 0.5},
    {"work", "out", "exercise", false, "health", "sport health", 0.4},
    {"work", "", "works", true, "work", "work job", 0.8},
    {"study", "", "studies", true, "education", "study education", 0.7},
    {"teach", "", "teaches", false, "work", "work teaching", 0.6},
    {"drive", "to", "commute", false, "habits", "commute travel", 0.4},
    {"drive", "", "drives", true, "possessions", "car vehicle", 0.5},
    {"own", "", "owns", false, "possessions", "possession", 0.5},
    {"have", "", "has", false, "life", "possession", 0.5},
    {"buy", "", "bought", false, "possessions", "purchase possession", 0.5},
    {"sell", "", "sold", false, "possessions", "sale possession", 0.5},
    {"like", "", "likes", false, "preferences", "likes preference", 0.5},
    {"love", "", "likes", false, "preferences", "likes preference", 0.5},
    {"enjoy", "", "likes", false, "preferences", "likes preference", 0.5},
    {"adore", "", "likes", false, "preferences", "likes preference", 0.5},
    {"prefer", "", "prefers", false, "preferences", "preference", 0.6},
    {"hate", "", "dislikes", false, "preferences", "dislikes preference", 0.5},
    {"dislike", "", "dislikes", false, "preferences", "dislikes preference", 0.5},
    {"detest", "", "dislikes", false, "preferences", "dislikes preference", 0.5},
    {"loathe", "", "dislikes", false, "preferences", "dislikes preference", 0.5},
    {"despise", "", "dislikes", false, "preferences", "dislikes preference", 0.5},
    {"eat", "", "eats", false, "food", "food diet", 0.6},
    {"drink", "", "drinks", false, "food", "drink food", 0.5},
    {"cook", "", "cooks", false, "food", "cooking food", 0.4},
    {"bake", "", "bakes", false, "food", "baking food", 0.4},
    {"smoke", "", "smokes", true, "health", "smoking health", 0.6},
    {"take", "", "takes", false, "health", "medication health", 0.6},
    {"play", "", "plays", false, "hobbies", "hobby music sport", 0.5},
    {"sing", "", "sings", false, "hobbies", "hobby music", 0.5},
    {"learn", "", "learns", false, "education", "learning hobby", 0.5},
    {"start", "", "started", false, "life", "beginning", 0.5},
    {"speak", "", "speaks", false, "education", "language", 0.6},
    {"run", "", "runs", false, "hobbies", "sport running", 0.5},
    {"swim", "", "swims", false, "hobbies", "sport swimming", 0.4},
    {"cycle", "", "cycles", false, "hobbies", "sport cycling", 0.4},
    {"climb", "", "climbs", false, "hobbies", "sport climbing", 0.4},
    {"marry", "", "marriage", false, "people", "marriage family", 0.9},
    {"divorce", "", "divorce", false, "people", "divorce family", 0.9},
    {"die", "", "died", true, "people", "death family", 0.9},
    {"bear", "", "born", true, "people", "birth family", 0.9},
    {"graduate", "", "graduated", false, "education", "graduation education", 0.7},
    {"break", "", "broke", false, "health", "injury health", 0.5},
    {"fly", "", "travels", false, "travel", "travel flight", 0.6},
    {"travel", "", "travels", false, "travel", "travel trip", 0.6},
    {"book", "", "booked", false, "travel", "booking travel", 0.6},
    {"commute", "", "commutes", true, "habits", "commute travel", 0.5},
    {"wear", "", "wears", false, "habits", "clothes", 0.4},
    {"weigh", "", "weight", true, "health", "weight health", 0.5},
    {"collect", "", "collects", false, "hobbies", "hobby collection", 0.4},
    {"volunteer", "", "volunteers", false, "hobbies", "volunteering", 0.5},
};

}  // namespace

Frame frame_of(std::string_view lemma, std::string_view preposition) {
  for (const Frame& frame : kFrames) {
    if (frame.lemma != lemma) continue;
    if (frame.preposition.empty() || frame.preposition == preposition) return frame;
  }
  Frame frame;
  frame.lemma = frame.relation = lemma;
  frame.domain = "life";
  frame.tags = "life";
  return frame;
}

std::vector<std::string> tags_of(const Frame& frame, std::string_view text) {
  constexpr std::size_t kMost = 6;
  std::vector<std::string> out;
  auto put = [&out](std::string tag) {
    if (out.size() < kMost && std::find(out.begin(), out.end(), tag) == out.end()) {
      out.push_back(std::move(tag));
    }
  };
  std::string_view left = frame.tags;
  while (!left.empty()) {
    const std::size_t space = left.find(' ');
    put(std::string(left.substr(0, space)));
    left = space == std::string_view::npos ? std::string_view{} : left.substr(space + 1);
  }
  for (const Word& word : lex_words(text)) {
    const bool tells = word.kind == WordKind::kWord && word.low.size() > 3 &&
                       !in(Set::kAdverb, word.low) && !in(Set::kPreposition, word.low) &&
                       !in(Set::kDeterminer, word.low) && !in(Set::kAux, word.low) &&
                       word.low != "than" && word.low != "when";
    if (tells) put(word.low);
  }
  for (std::string_view spare : {"personal", "card", "life"}) {
    if (out.size() < 3) put(std::string(spare));
  }
  return out;
}

}  // namespace kartei::daemon
