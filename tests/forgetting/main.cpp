// Years of a made-up life, played through a daemon's API with a clock of the test's, once with
// forgetting as by its default policy and once without: how large the box gets, and whether it
// still answers. See README.md.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <fstream>
#include <map>

#include "tests/daemon/api_support.h"
#include "tests/forgetting/life.h"

namespace kartei::forgetting {
namespace {

using namespace daemon::test;
namespace json = boost::json;

constexpr int kYearDays = 365;
constexpr int kPatience = 30;  // times ten seconds
constexpr int kRunEvery = 7;   // days; a daemon that is up looks each day

struct Score {
  std::size_t asked = 0, right = 0;
  double share() const {
    return asked == 0 ? 1 : static_cast<double>(right) / static_cast<double>(asked);
  }
};

// At the end of a year.
struct Row {
  int year = 0;
  std::uint64_t turns = 0, open = 0, faded = 0, archived = 0, closed = 0, file_bytes = 0;
  std::map<Probe::Kind, Score> with_turns, cards_only;
  std::int64_t recall_us = 0;  // median
};

class Played {
 public:
  // `policy`: what differs from the default; its `on` says whether this one forgets.
  Played(std::uint64_t seed, const json::object& policy)
      : life_(seed), forgets_(policy.at("on").as_bool()) {
    send("PUT", "/v1/box", R"({"owner":"Maya Lindqvist","zone":"UTC"})");
    send("PUT", "/v1/forgetting", json::serialize(policy));
  }

  // The next one; what stands at its end.
  Row play_year() {
    const int first = year_++ * kYearDays;
    for (int day = first; day < first + kYearDays; ++day) live(day);
    return measure(first + kYearDays - 1, year_);
  }
  std::uint64_t most_open() const { return most_open_; }

 private:
  json::value send(const std::string& method, const std::string& target,
                   const std::string& body = {}) {
    client_.request(method, target, body);
    RawAnswer answer;
    // A busy machine is no fault.
    for (int tries = 0; tries < kPatience && answer.status == 0; ++tries) answer = client_.answer();
    if (answer.status < 200 || answer.status >= 300)
      throw std::runtime_error(method + " " + target + ": " + answer.body);
    boost::system::error_code error;
    return json::parse(answer.body, error);
  }

  void live(int day) {
    daemon_.clock.wall_ms = evening_ms(day);
    const std::vector<std::string> said = life_.say(day);
    if (!said.empty()) tell(day, said);
    if (const std::string question = life_.ask(day); !question.empty()) recall(question, true);
    if (day % kRunEvery != kRunEvery - 1) return;
    if (forgets_) send("POST", "/v1/forgetting/run?limit=1", "{}");
    const json::value state = send("GET", "/v1/forgetting");
    most_open_ = std::max(most_open_, state.at("cards").at("open").to_number<std::uint64_t>());
  }

  void tell(int day, const std::vector<std::string>& said) {
    const std::string conversation = "day-" + std::to_string(day);
    json::array turns;
    for (const std::string& text : said)
      turns.push_back({{"speaker", "Maya"},
                       {"role", "user"},
                       {"text", text},
                       {"time", store::format_rfc3339(daemon_.clock.wall())}});
    send("POST", "/v1/turns",
         json::serialize(json::object{{"conversation", conversation}, {"turns", turns}}));
    send("POST", "/v1/conversations/" + conversation + "/end");
    const auto all_read = [&] {
      return send("GET", "/v1/status").at("pending_extraction").to_number<int>() == 0;
    };
    bool read = false;
    for (int tries = 0; tries < kPatience && !read; ++tries) read = eventually(all_read);
    if (!read) throw std::runtime_error("the secretary does not come to an end");
  }

  json::value recall(const std::string& question, bool turns) {
    json::object body{{"query", question}, {"now", store::format_rfc3339(daemon_.clock.wall())}};
    if (!turns) body["include"] = json::array{"cards"};
    return send("POST", "/v1/recall", json::serialize(body));
  }

  static bool has(const std::string& text, const std::vector<std::string>& words) {
    const auto lower = [](std::string all) {
      for (char& c : all) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
      return all;
    };
    return std::all_of(words.begin(), words.end(), [&](const std::string& word) {
      return lower(text).find(lower(word)) != std::string::npos;
    });
  }

  Row measure(int day, int year) {
    Row row;
    row.year = year;
    std::vector<std::int64_t> took;
    for (const Probe& probe : life_.probes(day)) {
      for (const bool turns : {true, false}) {
        const json::value answer = recall(probe.question, turns);
        Score& score = (turns ? row.with_turns : row.cards_only)[probe.kind];
        ++score.asked;
        score.right += has(std::string(answer.at("text").as_string()), probe.words) ? 1 : 0;
        if (turns) took.push_back(answer.at("took_us").to_number<std::int64_t>());
      }
    }
    std::sort(took.begin(), took.end());
    row.recall_us = took.empty() ? 0 : took[took.size() / 2];
    const json::value forgetting = send("GET", "/v1/forgetting");
    const auto cards = [&](const char* name) {
      return forgetting.at("cards").at(name).to_number<std::uint64_t>();
    };
    row.open = cards("open");
    row.faded = cards("faded");
    row.archived = cards("archived");
    row.closed = cards("closed");
    const json::value status = send("GET", "/v1/status");
    row.turns = status.at("counts").at("turns").to_number<std::uint64_t>();
    row.file_bytes = status.at("counts").at("file_bytes").to_number<std::uint64_t>();
    return row;
  }

  TempFolder folder_;
  TestDaemon daemon_{folder_.path() / "home"};
  RawClient client_{daemon_.socket()};
  Life life_;
  const bool forgets_;
  int year_ = 0;
  std::uint64_t most_open_ = 0;
};

double share(const std::map<Probe::Kind, Score>& scores, Probe::Kind kind) {
  const auto found = scores.find(kind);
  return found == scores.end() ? 1 : found->second.share();
}

void print(const std::vector<Row>& rows, const char* name) {
  std::printf(
      "\n| %s: year | turns | open | faded | archived | closed | file, MB | old facts | "
      "what holds now | dated, faded | the same by cards alone | recall, us |\n"
      "|---|---|---|---|---|---|---|---|---|---|---|---|\n",
      name);
  for (const Row& row : rows) {
    const auto of = [&](Probe::Kind kind) { return share(row.with_turns, kind); };
    const auto alone = [&](Probe::Kind kind) { return share(row.cards_only, kind); };
    std::printf(
        "| %d | %llu | %llu | %llu | %llu | %llu | %.1f | %.2f | %.2f | %.2f | %.2f / %.2f "
        "/ %.2f | %lld |\n",
        row.year, static_cast<unsigned long long>(row.turns),
        static_cast<unsigned long long>(row.open), static_cast<unsigned long long>(row.faded),
        static_cast<unsigned long long>(row.archived), static_cast<unsigned long long>(row.closed),
        static_cast<double>(row.file_bytes) / 1e6, of(Probe::kOldFact), of(Probe::kNow),
        of(Probe::kDated), alone(Probe::kOldFact), alone(Probe::kNow), alone(Probe::kDated),
        static_cast<long long>(row.recall_us));
  }
}

void write_csv(const std::string& file, const Row& row, bool forgets) {
  if (file.empty()) return;
  std::ofstream out(file, std::ios::app);
  Score all;
  for (const auto& [kind, score] : row.with_turns) {
    all.asked += score.asked;
    all.right += score.right;
  }
  out << (forgets ? "on," : "off,") << row.year << ',' << row.open << ',' << row.faded << ','
      << row.archived << ',' << row.file_bytes << ',' << all.asked << ',' << all.share() << ','
      << row.recall_us << '\n';
}

// What must hold, whatever the machine.
int check(const Played& played, const std::vector<Row>& on, const std::vector<Row>& off,
          std::uint64_t most) {
  int failed = 0;
  const auto claim = [&](bool holds, const std::string& what) {
    std::printf("%s %s\n", holds ? "ok  " : "FAIL", what.c_str());
    failed += holds ? 0 : 1;
  };
  claim(played.most_open() <= most, "never more than " + std::to_string(most) +
                                        " cards were open (" + std::to_string(played.most_open()) +
                                        ")");
  claim(on.back().faded + on.back().archived > on.back().open, "most cards were put away");
  claim(on.back().open * 2 < off.back().open, "less than half as many are open as without");
  for (std::size_t i = 0; i < on.size(); ++i) {
    for (int kind = 0; kind < Probe::kKinds; ++kind) {
      const auto which = static_cast<Probe::Kind>(kind);
      claim(share(on[i].with_turns, which) >= share(off[i].with_turns, which),
            "year " + std::to_string(on[i].year) + ", " + to_text(which) +
                ": as many are right as without");
    }
  }
  return failed;
}

int play(int years, std::uint64_t seed, const std::string& csv, std::uint64_t most,
         const json::object& policy) {
  Played forgetting(seed, policy), keeping(seed, {{"on", false}});
  std::vector<Row> on, off;
  if (!csv.empty())
    std::ofstream(csv) << "forgetting,year,open,faded,archived,file_bytes,probes,right,recall_us\n";
  for (int year = 0; year < years; ++year) {
    on.push_back(forgetting.play_year());
    off.push_back(keeping.play_year());
    write_csv(csv, on.back(), true);
    write_csv(csv, off.back(), false);
    print({on.back()}, "forgetting");
    print({off.back()}, "without");
    std::fflush(stdout);
  }
  std::printf("\nAll years\n");
  print(on, "forgetting");
  print(off, "without");
  return check(forgetting, on, off, most) == 0 ? 0 : 1;
}

// "archive_after_days=730", "delete_archived=true".
json::object read_policy(const std::vector<std::string>& given) {
  json::object policy{{"on", true}};
  for (const std::string& one : given) {
    const std::size_t equals = one.find('=');
    if (equals == std::string::npos) throw std::runtime_error("No value in " + one);
    policy[one.substr(0, equals)] = json::parse(one.substr(equals + 1));
  }
  return policy;
}

}  // namespace
}  // namespace kartei::forgetting

int main(int argc, char** argv) {
  CLI::App app("Years of a made-up life, with forgetting and without.");
  int years = 10;
  std::uint64_t seed = 1, most = 2000;
  std::string csv;
  std::vector<std::string> policy;
  app.add_option("--years", years, "So many")->check(CLI::Range(1, 50));
  app.add_option("--seed", seed, "Of the life");
  app.add_option("--csv", csv, "Also writes the figures here");
  app.add_option("--most", most, "So many cards may be open, by the policy");
  app.add_option("--policy", policy, "key=value, where it differs from the default");
  CLI11_PARSE(app, argc, argv);
  try {
    return kartei::forgetting::play(years, seed, csv, most,
                                    kartei::forgetting::read_policy(policy));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
