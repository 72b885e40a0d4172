// How many turns the built-in secretary reads in a second of one core, ten at a time, and the
// memory that it takes: the talks of its tests, which make cards in most of their turns, and the
// same with nine turns of everyday words between, as people talk. Prints one JSON object a line.
#include <malloc.h>

#include <cstdio>
#include <ctime>

#include "daemon/manager/secretary.h"
#include "tests/bench/words.h"
#include "tests/daemon/secretary_corpus_changes.h"
#include "tests/daemon/secretary_corpus_facts.h"
#include "tests/daemon/secretary_corpus_life.h"
#include "tests/daemon/secretary_corpus_silence.h"

namespace {

using namespace kartei;
using namespace kartei::daemon;

constexpr std::size_t kTurnsRead = 10;
constexpr int kRounds = 20;

double processor_s() {
  timespec time{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

class NoCards final : public CardLookup {
 public:
  Result<std::vector<store::Card>> open_cards(std::string_view) override {
    return std::vector<store::Card>{};
  }
};

store::Turn turn_of(std::string_view text, std::size_t number) {
  store::Turn turn;
  turn.text = text;
  turn.speaker = "Nora";
  turn.conversation = "talk";
  turn.said_at = *store::parse_rfc3339("2026-03-18T10:00:00+01:00");
  for (std::size_t byte = 0; byte < 4; ++byte)
    turn.id.bytes[byte] = static_cast<std::uint8_t>(number >> 8 * byte);
  return turn;
}

// `between`: turns of everyday words behind each of the tests'.
std::vector<store::Turn> turns(int between) {
  bench::Words words(5);
  std::vector<store::Turn> out;
  for (const auto* rows :
       {&corpus::facts(), &corpus::life(), &corpus::changes(), &corpus::silence()}) {
    for (const corpus::Row& row : *rows) {
      std::string_view left = row.talk;
      while (!left.empty()) {
        const std::size_t bar = std::min(left.find(" || "), left.size());
        out.push_back(turn_of(left.substr(0, bar), out.size()));
        left.remove_prefix(std::min(bar + 4, left.size()));
        for (int n = 0; n < between; ++n) out.push_back(turn_of(words.prose(15), out.size()));
      }
    }
  }
  return out;
}

int measure(const char* what, const std::vector<store::Turn>& all) {
  const auto secretary = make_rule_secretary();
  NoCards cards;
  const Bytes secret(32, 7);
  std::size_t read = 0, written = 0;
  const double began = processor_s();
  const auto memory = ::mallinfo2().uordblks;
  std::size_t most = memory;
  for (int round = 0; round < kRounds; ++round) {
    for (std::size_t at = 0; at < all.size(); at += kTurnsRead) {
      SecretaryTask task;
      task.owner = "Nora Lindqvist";
      task.zone = "Europe/Stockholm";
      task.turns = std::span(all).subspan(at, std::min(kTurnsRead, all.size() - at));
      task.now = task.turns.back().said_at.at;
      task.box_secret32 = secret;
      const auto unit = secretary->extract(task, cards);
      if (!unit) return 1;
      read += task.turns.size();
      written += unit->cards.size();
      most = std::max(most, ::mallinfo2().uordblks);
    }
  }
  std::printf(
      "{\"what\":\"%s\",\"turns\":%zu,\"cards\":%zu,\"turns_per_cpu_s\":%.0f,"
      "\"kept_kib\":%zu}\n",
      what, read, written, static_cast<double>(read) / (processor_s() - began),
      (most - memory) >> 10);
  return 0;
}

}  // namespace

int main() {
  constexpr int kEverydayTurns = 9;
  return measure("statements", turns(0)) + measure("talk", turns(kEverydayTurns));
}
