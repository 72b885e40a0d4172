#include "tests/simulation/secretary.h"

#include <map>

namespace kartei::sim {

SecretaryHabits SecretaryHabits::drawn(Dice& dice) {
  SecretaryHabits h;
  h.same_words = dice.chance(0.3);
  h.batch_max = 1 + static_cast<std::size_t>(dice.below(3));
  h.closes = dice.chance(0.5) ? 0.15 : 0;
  return h;
}

std::vector<store::UnitFiled> Secretary::extract(const std::vector<store::Turn>& turns,
                                                 const std::vector<store::Card>& older,
                                                 const Hash32& card_secret, store::DeviceId device,
                                                 bool eager) {
  std::vector<store::UnitFiled> units;
  if (!eager && dice_.chance(habits_.idle)) return units;
  std::map<store::DrawerId, std::vector<store::Turn>> by_drawer;
  for (const store::Turn& turn : turns) by_drawer[turn.drawer].push_back(turn);
  for (const auto& [drawer, list] : by_drawer) {
    for (std::size_t i = 0; i < list.size();) {
      const std::size_t size = 1 + static_cast<std::size_t>(dice_.below(habits_.batch_max));
      const std::size_t end = std::min(list.size(), i + size);
      const std::vector<store::Turn> batch(list.begin() + static_cast<std::ptrdiff_t>(i),
                                           list.begin() + static_cast<std::ptrdiff_t>(end));
      i = end;
      if (!eager && dice_.chance(habits_.skip)) continue;
      store::UnitFiled unit = unit_of(batch, card_secret, device);
      if (!older.empty() && dice_.chance(habits_.closes)) {
        const store::Card& old = dice_.pick(older);
        if (old.drawer == drawer && !old.sources.empty())
          unit.closes.push_back({old.id, old.sources, store::card_key(old), {}, {}, "it changed"});
      }
      unit.unit = store::derive_unit_id(unit);
      units.push_back(std::move(unit));
    }
  }
  return units;
}

store::UnitFiled Secretary::unit_of(const std::vector<store::Turn>& turns,
                                    const Hash32& card_secret, store::DeviceId device) {
  store::UnitFiled unit;
  unit.drawer = turns.front().drawer;
  for (const store::Turn& turn : turns) {
    unit.sources.push_back(turn.id);
    if (turn.id.bytes[0] % 8 == 0) continue;  // small talk
    unit.cards.push_back(card({turn}, "likes", card_secret, device));
    if (turn.id.bytes[0] % 3 == 0)
      unit.cards.push_back(card({turn}, "works at", card_secret, device));
  }
  if (turns.size() > 1) unit.cards.push_back(card(turns, "in all", card_secret, device));
  return unit;
}

store::Card Secretary::card(const std::vector<store::Turn>& sources, const std::string& relation,
                            const Hash32& card_secret, store::DeviceId device) {
  const store::Turn& first = sources.front();
  // Two things can differ between devices: what is said (the key), and the words for it.
  const std::uint64_t what = habits_.same_words ? 0 : dice_.below(2);
  const std::uint64_t words = habits_.same_words ? 0 : dice_.below(2);
  store::Card c;
  c.subject = "s" + first.id.text().substr(0, 8);
  c.relation = relation;
  c.object = "o" + std::to_string(what);
  c.text = first.speaker + (words == 0 ? " says that " : " tells us that ") + first.text + " " +
           relation + " " + c.object + ".";
  c.drawer = first.drawer;
  c.micro_context = c.subject + " " + relation + " " + c.object;
  c.recorded_at = first.said_at.at;
  c.conversation = first.conversation;
  for (const store::Turn& turn : sources) c.sources.push_back(turn.id);
  c.said_by = first.speaker;
  c.app = first.app;
  c.device = device;
  c.tags = {"one", "two", "three"};
  c.id = store::derive_card_id(card_secret, c);
  return c;
}

}  // namespace kartei::sim
