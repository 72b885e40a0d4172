// Any bytes as a talk: the secretary never fails on content, and its cards keep their rules.
#include <cstdlib>

#include "daemon/manager/secretary.h"

namespace {

using namespace kartei;

class NoCards : public daemon::CardLookup {
 public:
  Result<std::vector<store::Card>> open_cards(std::string_view) override {
    return std::vector<store::Card>{};
  }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 4096) return 0;
  static const std::unique_ptr<daemon::Secretary> secretary = daemon::make_rule_secretary();
  std::string_view left(reinterpret_cast<const char*>(data), size);
  std::vector<store::Turn> turns;
  // A zero byte parts the turns.
  while (turns.size() < 12) {
    const std::size_t end = left.find('\0');
    store::Turn turn;
    turn.text = left.substr(0, end);
    turn.speaker = "Nora";
    turn.said_at = {store::time_from_ms(1'773'824'400'000), 60};
    turn.id.bytes[0] = static_cast<std::uint8_t>(turns.size() + 1);
    turns.push_back(std::move(turn));
    if (end == std::string_view::npos) break;
    left.remove_prefix(end + 1);
  }
  daemon::SecretaryTask task;
  task.owner = "Nora Lindqvist";
  task.zone = "Europe/Stockholm";
  task.turns = turns;
  const Bytes secret(32, 7);
  task.box_secret32 = secret;
  NoCards cards;
  const auto unit = secretary->extract(task, cards);
  if (unit.has_error() || unit->sources.size() != turns.size()) std::abort();
  for (const store::Card& card : unit->cards) {
    if (card.text.empty() || card.sources.empty() || card.sources.size() > 3) std::abort();
    if (card.tags.size() > 7 || card.text.size() > 512) std::abort();
  }
  return 0;
}
