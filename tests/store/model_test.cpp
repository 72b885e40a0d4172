// The fold against a plain model of the rules: sets and maps, no SQL, as in the executable model
// that the rules were found with. Random entries, overlays and rollbacks; the same cards must show.
#include <rapidcheck.h>

#include <map>
#include <set>

#include "tests/store/fixture.h"

namespace kartei::store {
namespace {

using Sources = std::vector<std::uint64_t>;
// A card is its turns and what it says; a user's own has a number instead.
struct Said {
  Sources sources;
  std::string key;
  std::uint64_t user = 0;
  auto operator<=>(const Said&) const = default;
};
using Spot = std::pair<std::uint64_t, std::string>;  // turn and key

struct Model {
  std::map<Said, char> cards;  // 'x', 'm', 'u'
  std::set<std::uint64_t> edits, gone_turns;
  std::set<Said> dead, gone;
  std::set<Spot> dead_keys, gone_keys;

  static bool share(const Sources& a, const Sources& b) {
    for (std::uint64_t turn : a) {
      if (std::find(b.begin(), b.end(), turn) != b.end()) return true;
    }
    return false;
  }
  bool erased(const Said& card) const {
    if (gone.contains(card)) return true;
    if (card.user != 0) return false;
    for (std::uint64_t turn : card.sources) {
      if (gone_turns.contains(turn) || gone_keys.contains({turn, card.key})) return true;
    }
    return false;
  }
  bool gives_way(const Said& card) const {
    for (const auto& [other, kind] : cards) {
      if (kind == 'm' && other.key == card.key && !dead.contains(other) &&
          share(card.sources, other.sources)) {
        return true;
      }
    }
    return false;
  }
  bool shows(const Said& card) const {
    const auto found = cards.find(card);
    if (found == cards.end() || dead.contains(card) || gone.contains(card)) return false;
    if (card.user != 0) return true;
    for (std::uint64_t turn : card.sources) {
      if (dead_keys.contains({turn, card.key}) || gone_turns.contains(turn)) return false;
    }
    return found->second != 'x' || !gives_way(card);
  }
  void unit(const std::vector<Said>& said) {
    for (const Said& card : said) {
      if (!erased(card)) cards.emplace(card, 'x');
    }
  }
  void erase_turn(std::uint64_t turn) {
    gone_turns.insert(turn);
    std::erase_if(cards, [&](const auto& one) {
      const Sources& sources = one.first.sources;
      return std::find(sources.begin(), sources.end(), turn) != sources.end();
    });
  }
  void edit(std::uint64_t number, EditKind kind, const Said& card) {
    if (!edits.insert(number).second) return;
    if (kind == EditKind::kEraseTurn) return erase_turn(card.sources.front());
    if (kind == EditKind::kFlags) {
      if (!cards.contains(card) && !erased(card)) cards[card] = card.user != 0 ? 'u' : 'm';
      return;
    }
    if (kind == EditKind::kEraseCard) {
      cards.erase(card);
      gone.insert(card);
      for (std::uint64_t turn : card.sources) gone_keys.insert({turn, card.key});
      std::erase_if(cards, [&](const auto& one) { return one.second != 'u' && erased(one.first); });
      return;
    }
    dead.insert(card);
    for (std::uint64_t turn : card.sources) dead_keys.insert({turn, card.key});
    if (kind == EditKind::kReplace) {
      const Said mine{{}, "", 100 + number};
      if (!gone.contains(mine)) cards[mine] = 'u';
    }
  }
};

// The same thing for the box.
Card card_of(const Said& said) {
  if (said.user != 0) return user_card(said.user, "mine " + std::to_string(said.user));
  return make_card(said.sources, said.key);
}

struct Step {
  std::vector<Said> unit;  // or an edit
  Sources unit_of;
  std::uint64_t number = 0;
  EditKind kind = EditKind::kAdd;
  Said target;

  static std::string text(const Said& said) {
    std::string out = said.user != 0 ? "own " + std::to_string(said.user) : said.key;
    for (std::uint64_t turn : said.sources) out += " " + std::to_string(turn);
    return out;
  }
  std::string text() const {
    if (unit.empty())
      return "edit " + std::to_string(static_cast<int>(kind)) + " of " + text(target);
    std::string out = "unit:";
    for (const Said& said : unit) out += " (" + text(said) + ")";
    return out;
  }
  void apply(Model& model) const {
    if (unit.empty()) {
      model.edit(number, kind, target);
    } else {
      model.unit(unit);
    }
  }
  Delta delta() const {
    if (!unit.empty()) {
      std::vector<Card> cards;
      for (const Said& said : unit) cards.push_back(card_of(said));
      return make_unit(unit_of, cards);
    }
    if (kind == EditKind::kEraseTurn) return erase_turn(number, target.sources.front());
    CardEdited edit = make_edit(number, kind, card_of(target));
    if (kind == EditKind::kReplace) edit.card = card_of({{}, "", 100 + number});
    return edit;
  }
};

Said some_said(bool or_user) {
  if (or_user && *rc::gen::inRange(0, 6) == 0) {
    return {{}, "", 100 + *rc::gen::inRange<std::uint64_t>(1, 8)};
  }
  std::set<std::uint64_t> turns;
  for (int i = *rc::gen::inRange(1, 4); i > 0; --i) {
    turns.insert(*rc::gen::inRange<std::uint64_t>(1, 5));
  }
  return {{turns.begin(), turns.end()}, *rc::gen::arbitrary<bool>() ? "tea" : "coffee", 0};
}

Step some_step(std::uint64_t number) {
  Step step;
  if (*rc::gen::inRange(0, 3) == 0) {
    for (int i = *rc::gen::inRange(1, 4); i > 0; --i) step.unit.push_back(some_said(false));
    // Which turns it was made of is the writer's matter: a fresh one keeps each unit apart.
    step.unit_of = {1000 + number};
    return step;
  }
  static const EditKind kKinds[] = {EditKind::kFlags,   EditKind::kFlags,     EditKind::kClose,
                                    EditKind::kReplace, EditKind::kEraseCard, EditKind::kEraseTurn};
  step.number = number;
  step.kind = kKinds[*rc::gen::inRange(0, 6)];
  const bool or_user = step.kind != EditKind::kEraseTurn;
  step.target = some_said(or_user);
  // Nothing replaces itself.
  if (step.target.user == 100 + number && step.kind == EditKind::kReplace) {
    step.kind = EditKind::kClose;
  }
  return step;
}

void expect_same(TestBox& box, const Model& model) {
  std::set<CardId> shown, wanted;
  CardFilter filter;
  filter.limit = 500;
  for (const Card& card : must(box->cards(filter)).cards) shown.insert(card.id);
  for (const auto& [said, kind] : model.cards) {
    RC_ASSERT(must(box->card(card_of(said).id)).has_value());
    if (model.shows(said)) wanted.insert(card_of(said).id);
  }
  RC_ASSERT(shown == wanted);
  filter.state.reset();
  RC_ASSERT(must(box->cards(filter)).cards.size() <= model.cards.size());
}

TEST(Model, TheSameCardsShowAfterEveryStep) {
  EXPECT_TRUE(rc::check([] {
    TestBox box;
    std::vector<Model> states(1);
    const auto count = *rc::gen::inRange<std::uint64_t>(1, 25);
    for (std::uint64_t number = 1; number <= count; ++number) {
      if (states.size() > 2 && *rc::gen::inRange(0, 8) == 0) {  // a branch loses
        const auto height = *rc::gen::inRange<std::size_t>(0, states.size() - 1);
        RC_LOG() << "back to " << height << '\n';
        box.undo_to(height);
        states.resize(height + 1);
        expect_same(box, states.back());
      }
      const Step step = some_step(number);
      RC_LOG() << number << ": " << step.text() << '\n';
      if (*rc::gen::inRange(0, 3) == 0) {  // shown first, filed later
        RC_LOG() << "  shown before" << '\n';
        Model over = states.back();
        step.apply(over);
        box.overlay({step.delta()});
        expect_same(box, over);
      }
      states.push_back(states.back());
      step.apply(states.back());
      box.entry({step.delta()});
      expect_same(box, states.back());
    }
    // Two of the same make no difference.
    RC_ASSERT(must(box->check()).empty());
  }));
}

// Where the model does not care about order, neither does the box: edits and units that commute.
TEST(Model, OrderOfAUnitAndTheEditsOfItsCardsMakesNoDifference) {
  EXPECT_TRUE(rc::check([] {
    std::vector<Step> steps;
    const auto count = *rc::gen::inRange<std::uint64_t>(2, 8);
    for (std::uint64_t number = 1; number <= count; ++number) {
      Step step = some_step(number);
      // A flag brings a card back only where there is none: it does not commute with its unit.
      if (step.unit.empty() && step.kind == EditKind::kFlags) step.kind = EditKind::kClose;
      steps.push_back(step);
    }
    const auto shown_after = [](const std::vector<Step>& order) {
      TestBox box;
      for (const Step& step : order) box.entry({step.delta()});
      std::set<CardId> shown;
      CardFilter filter;
      filter.limit = 500;
      for (const Card& card : must(box->cards(filter)).cards) shown.insert(card.id);
      return shown;
    };
    std::vector<Step> other = steps;
    for (std::size_t i = other.size(); i > 1; --i) {
      std::swap(other[i - 1], other[*rc::gen::inRange<std::size_t>(0, i)]);
    }
    RC_ASSERT(shown_after(other) == shown_after(steps));
  }));
}

}  // namespace
}  // namespace kartei::store
