// Words for sorting, beside those of topic_words.h. Data; words are folded.
#pragma once

#include <array>
#include <string_view>
#include <utility>

namespace kartei::daemon::data {

// clang-format off
// Words that speak of other things as often: two of them make what one of the others makes alone.
inline constexpr std::array kWeakWords = std::to_array<std::string_view>({
    "abroad", "account", "address", "api", "app", "arbeit", "band", "bank", "bass", "beach", "bill",
    "blood", "boat", "book", "booked", "bug", "bulbs", "bus", "camera", "car", "card", "cash",
    "celebrate", "chapter", "city", "class", "classes", "client", "coach", "code", "coffee", "cold",
    "company", "computer", "contract", "cost", "course", "craft", "customer", "dance", "deadline",
    "dinner", "dish", "draw", "drink", "drive", "drove", "eat", "eating", "email", "engaged",
    "essen", "expensive", "fiction", "film", "fish", "flat", "flower", "food", "fruit", "function",
    "game", "gift", "horse", "house", "hurt", "ill", "interview", "invest", "island", "job",
    "journey", "kid", "kitchen", "language", "laptop", "lesen", "lesson", "library", "lunch",
    "manager", "map", "match", "meeting", "menu", "mountain", "move", "moved", "moving", "museum",
    "network", "office", "operation", "paint", "party", "password", "pay", "phone", "photo",
    "plane", "plant", "practice", "present", "price", "project", "promotion", "race", "rain",
    "raise", "read", "reading", "release", "report", "road", "room", "run", "running", "sail",
    "save", "school", "script", "series", "shift", "show", "sick", "sing", "sketch", "sleep",
    "snow", "spice", "station", "stock", "storm", "story", "street", "stress", "study", "surprise",
    "tablet", "tea", "teacher", "team", "test", "tired", "tour", "train", "training", "tree",
    "update", "visit", "work", "worked", "working", "zug"});

// What the other table has not, and what it puts elsewhere.
inline constexpr std::array kMoreWords = std::to_array<std::pair<std::string_view, std::string_view>>({
      {"aquarium", "pets"}, {"astronomy", "astronomy"}, {"beehive", "beekeeping"},
      {"beekeeping", "beekeeping"}, {"bees", "beekeeping"}, {"beet", "garden"},
      {"belay", "climbing"}, {"bike", "cycling"}, {"boulder", "climbing"},
      {"bouldering", "climbing"}, {"camera", "photography"}, {"chess", "chess"},
      {"climb", "climbing"}, {"climbed", "climbing"}, {"climbing", "climbing"},
      {"compost", "garden"}, {"crochet", "knitting"}, {"cycling", "cycling"},
      {"fahrrad", "cycling"}, {"fotografieren", "photography"}, {"gardening", "garden"},
      {"hive", "beekeeping"}, {"honey", "beekeeping"}, {"imker", "beekeeping"},
      {"jog", "running"}, {"jogging", "running"}, {"kiln", "pottery"}, {"klettern", "climbing"},
      {"knit", "knitting"}, {"knitting", "knitting"}, {"kredit", "money"},
      {"lens", "photography"}, {"marathon", "running"}, {"paint", "painting"},
      {"painting", "painting"}, {"photo", "photography"}, {"photography", "photography"},
      {"pottery", "pottery"}, {"run", "running"}, {"running", "running"}, {"schach", "chess"},
      {"seedling", "garden"}, {"sketch", "painting"}, {"ski", "skiing"}, {"skiing", "skiing"},
      {"soil", "garden"}, {"stricken", "knitting"}, {"swim", "swimming"},
      {"swimming", "swimming"}, {"telescope", "astronomy"}, {"tennis", "tennis"},
      {"tomaten", "garden"}, {"watercolour", "painting"}, {"wool", "knitting"},
      {"yarn", "knitting"}, {"yoga", "yoga"}});

// Words that name a whole kind: where its owner uses one of them, the drawer is called so.
inline constexpr std::array kNamingWords = std::to_array<std::string_view>({
    "astronomy", "beekeeping", "chess", "climbing", "cooking", "cycling", "family", "familie",
    "garden", "gardening", "garten", "health", "holiday", "house", "job", "klettern", "kochen",
    "knitting", "money", "music", "musik", "painting", "photography", "pottery", "reading", "reise",
    "running", "school", "studium", "study", "swimming", "travel", "trip", "university", "urlaub",
    "vacation", "work", "yoga"});
// clang-format on

}  // namespace kartei::daemon::data
