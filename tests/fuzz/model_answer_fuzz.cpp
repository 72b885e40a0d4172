// Any bytes as a model's answer, in its envelope or alone: nothing of what the built-in secretary
// wrote goes, and what is added keeps the rules of cards.
#include <algorithm>

#include "daemon/manager/model/merge.h"
#include "tests/fuzz/input.h"

namespace {

using namespace kartei;
using namespace kartei::daemon;

class TwoCards : public CardLookup {
 public:
  TwoCards() {
    for (std::uint8_t i = 0; i < 2; ++i) {
      store::Card card;
      card.id.bytes[0] = static_cast<std::uint8_t>(i + 1);
      card.subject = "nora lindqvist";
      card.text = i == 0 ? "Nora lives in Malmö." : "Nora has a cat called Pim.";
      card.user_made = i == 1;
      cards.push_back(card);
    }
  }
  Result<std::vector<store::Card>> open_cards(std::string_view subject) override {
    return subject == "nora lindqvist" ? cards : std::vector<store::Card>{};
  }
  std::vector<store::Card> cards;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 16384) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  std::vector<store::Turn> turns(2);
  turns[0].text = "I live in Umeå with my cat Pim since 2 May 2024, and Bo grows melons there.";
  turns[1].text = "Nice!";
  turns[1].role = store::Role::kAssistant;
  for (std::uint8_t i = 0; i < 2; ++i) {
    turns[i].speaker = "Nora";
    turns[i].said_at = {store::time_from_ms(1'773'824'400'000), 60};
    turns[i].id.bytes[0] = static_cast<std::uint8_t>(i + 1);
  }
  SecretaryTask task;
  task.owner = "Nora Lindqvist";
  task.zone = "Europe/Stockholm";
  task.turns = turns;
  const Bytes secret(32, 7);
  task.box_secret32 = secret;
  TwoCards cards;
  const auto related = related_cards(task, cards);
  const Sheet sheet = make_sheet(task, *related);
  const auto chat = read_chat_answer(bytes);
  const auto proposals = read_proposals(chat ? std::string_view(chat->content) : bytes, sheet);
  if (!proposals) return 0;
  static const std::unique_ptr<Secretary> secretary = make_rule_secretary();
  const auto before = secretary->extract(task, cards);
  fuzz::require(before.has_value());
  store::UnitFiled unit = *before;
  add_proposals(unit, *proposals, task, sheet, *related, "tiny");
  fuzz::require(unit.sources == before->sources && unit.cards.size() >= before->cards.size());
  fuzz::require(std::equal(before->cards.begin(), before->cards.end(), unit.cards.begin()));
  fuzz::require(std::equal(before->closes.begin(), before->closes.end(), unit.closes.begin()));
  for (std::size_t i = before->cards.size(); i < unit.cards.size(); ++i) {
    const store::Card& card = unit.cards[i];
    fuzz::require(!card.text.empty() && card.text.size() <= 404 && card.tags.size() <= 7);
    fuzz::require(card.colour != store::Colour::kRule && card.flags == 0 && !card.user_made);
    fuzz::require(card.sources == std::vector<store::TurnId>{turns[0].id});
    fuzz::require(card.trust == store::Trust::kUser);
  }
  for (std::size_t i = before->closes.size(); i < unit.closes.size(); ++i) {
    fuzz::require(unit.closes[i].card == cards.cards[0].id);
    fuzz::require(!(unit.closes[i].replaced_by == store::CardId{}));
  }
  return 0;
}
