#include "tests/forgetting/life.h"

#include <array>
#include <chrono>

namespace kartei::forgetting {

namespace {

using namespace std::chrono;

constexpr sys_days kFirstDay = sys_days(year(2026) / January / 5);  // a Monday
// Younger ones have not faded; of older ones some are asked for each time.
constexpr int kDatedYoungest = 150;
constexpr std::size_t kDatedAsked = 60;

constexpr std::array<const char*, 12> kMonths = {"January",   "February", "March",    "April",
                                                 "May",       "June",     "July",     "August",
                                                 "September", "October",  "November", "December"};

struct Fact {
  const char *said, *question, *word;
};
// Said in the first weeks, asked for ten years later.
constexpr Fact kFacts[] = {
    {"I'm allergic to hazelnuts.", "What is Maya allergic to?", "hazelnut"},
    {"My brother's name is Sam.", "What is the name of Maya's brother?", "Sam"},
    {"My sister's name is Ottilie.", "What is the name of Maya's sister?", "Ottilie"},
    {"I'm a vegetarian.", "Does Maya eat meat?", "vegetarian"},
    {"My shoe size is 39.", "What is Maya's shoe size?", "39"},
    {"My favourite colour is turquoise.", "What is Maya's favourite colour?", "turquoise"},
    {"I play the accordion.", "Which instrument does Maya play?", "accordion"},
    {"I was born in Visby.", "Where was Maya born?", "Visby"},
    {"My mother's name is Astrid.", "What is the name of Maya's mother?", "Astrid"},
    {"I love mushroom risotto.", "Which dish does Maya love?", "risotto"},
    {"I hate aubergines.", "Which vegetable does Maya hate?", "aubergine"},
    {"My blood type is AB negative.", "What is Maya's blood type?", "AB negative"},
    {"I studied biology in Lund.", "What did Maya study?", "biology"},
    {"I speak Estonian.", "Which languages does Maya speak?", "Estonian"},
    {"My doctor's name is Dr Halvorsen.", "Who is Maya's doctor?", "Halvorsen"},
    {"I collect old maps.", "What does Maya collect?", "maps"},
};

constexpr std::array<const char*, 6> kCities = {"Bremen", "Utrecht", "Leipzig",
                                                "Porto",  "Tartu",   "Ghent"};
constexpr std::array<const char*, 6> kJobs = {
    "bookbinder at Papierhaus Nord", "archivist at the Tidewater Library",
    "editor at Kranich Press",       "teacher at the Linden School",
    "curator at the Harbour House",  "translator at Verba Six"};
constexpr int kMoveEvery = 620, kNewJobEvery = 840;

constexpr std::array<const char*, 20> kAdjectives = {
    "maritime", "textile", "amber",  "puppet",  "railway", "lantern", "copper",
    "glass",    "herring", "winter", "organic", "antique", "botanic", "mosaic",
    "cobalt",   "velvet",  "clock",  "pepper",  "feather", "marble"};
constexpr std::array<const char*, 8> kPlaces = {"museum",  "market",  "garden",  "workshop",
                                                "gallery", "theatre", "harbour", "archive"};
constexpr std::array<const char*, 8> kTowns = {"Rotterdam", "Antwerp", "Malmo",  "Gdansk",
                                               "Lubeck",    "Delft",   "Bergen", "Turku"};

struct Routine {
  int weekday;  // 0: Monday
  int every;    // weeks
  const char* said;
};
constexpr Routine kRoutines[] = {
    {1, 1, "I went climbing with Bo today."},     {2, 2, "I visited Ida in the hospice today."},
    {4, 1, "I went swimming at the lido today."}, {5, 3, "I baked rye bread with Sam today."},
    {6, 2, "I went hiking in the dunes today."},  {6, 4, "I called aunt Berit today."},
};

// Now and then, without anything to remember.
constexpr std::array<const char*, 6> kChat = {"Can you convert 3 miles to kilometres?",
                                              "Thanks, that helps a lot.",
                                              "What rhymes with orange?",
                                              "Please make the text shorter.",
                                              "How do I boil an egg?",
                                              "Is it going to rain?"};

constexpr std::array<const char*, 8> kAsked = {
    "What is Maya allergic to?",  "Where does Maya live?",
    "Where does Maya work?",      "What shall I cook for Maya tonight?",
    "Who is Maya's doctor?",      "What does Maya do in her free time?",
    "Which dish does Maya love?", "Who goes climbing with Maya?"};

year_month_day date_of(int day) {
  return year_month_day(kFirstDay + days(day));
}

}  // namespace

const char* to_text(Probe::Kind kind) {
  static constexpr std::array<const char*, Probe::kKinds> kWords = {"old facts", "what holds now",
                                                                    "dated, faded"};
  return kWords[kind];
}

std::string day_in_words(int day) {
  const year_month_day date = date_of(day);
  return std::to_string(unsigned(date.day())) + " " + kMonths[unsigned(date.month()) - 1] + " " +
         std::to_string(int(date.year()));
}

std::int64_t evening_ms(int day) {
  return duration_cast<milliseconds>((kFirstDay + days(day) + hours(20)).time_since_epoch())
      .count();
}

std::string Life::outing(int day) {
  // Each one once: a step through all combinations that comes by none twice.
  const std::size_t all = kAdjectives.size() * kPlaces.size() * kTowns.size();
  const std::size_t number = outing_number_++ * 389 % all;
  Told told;
  told.day = day;
  told.what = std::string(kAdjectives[number % kAdjectives.size()]) + " " +
              kPlaces[number / kAdjectives.size() % kPlaces.size()];
  told.where = kTowns[number / kAdjectives.size() / kPlaces.size()];
  outings_.push_back(told);
  return "I visited the " + told.what + " in " + told.where + " today.";
}

std::vector<std::string> Life::say(int day) {
  std::vector<std::string> said;
  const int week = day / 7, weekday = day % 7;
  if (day % 2 == 0 && day / 2 < static_cast<int>(std::size(kFacts)))
    said.emplace_back(kFacts[day / 2].said);
  if (day % kMoveEvery == 1) {
    city_ = kCities[static_cast<std::size_t>(day / kMoveEvery) % kCities.size()];
    said.push_back("I live in " + city_ + " now.");
  }
  if (day % kNewJobEvery == 3) {
    job_ = kJobs[static_cast<std::size_t>(day / kNewJobEvery) % kJobs.size()];
    said.push_back("I work as " + std::string(job_[0] == 'a' || job_[0] == 'e' ? "an " : "a ") +
                   job_ + " now.");
  }
  for (const Routine& routine : kRoutines)
    if (weekday == routine.weekday && week % routine.every == 0 && pick(10) != 0)
      said.emplace_back(routine.said);
  if (pick(5) == 0) said.push_back(outing(day));
  if (pick(3) == 0) said.emplace_back(kChat[pick(kChat.size())]);
  return said;
}

std::string Life::ask(int day) {
  if (day % 3 != 0) return {};
  return kAsked[pick(kAsked.size())];
}

std::vector<Probe> Life::probes(int day) {
  std::vector<Probe> probes;
  for (const Fact& fact : kFacts)
    if (day > 2 * static_cast<int>(std::size(kFacts)))
      probes.push_back({Probe::kOldFact, fact.question, {fact.word}});
  probes.push_back({Probe::kNow, "Where does Maya live?", {city_}});
  probes.push_back({Probe::kNow, "Where does Maya work?", {job_.substr(job_.find(" at ") + 4)}});
  std::vector<const Told*> old;
  for (const Told& told : outings_)
    if (told.day + kDatedYoungest < day) old.push_back(&told);
  const std::size_t step = std::max<std::size_t>(1, old.size() / kDatedAsked);
  for (std::size_t i = 0; i < old.size(); i += step) {
    const std::string when = day_in_words(old[i]->day);
    probes.push_back({Probe::kDated, "What did Maya visit on " + when + "?", {old[i]->what}});
  }
  return probes;
}

}  // namespace kartei::forgetting
