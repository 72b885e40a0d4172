// A task for a model, and what it may answer.
#pragma once

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include "daemon/manager/model/merge.h"
#include "tests/daemon/secretary_harness.h"

namespace kartei::daemon {

inline store::Card open_card(std::string text, std::string subject, std::uint8_t number) {
  store::Card card;
  card.id.bytes[0] = number;
  card.text = std::move(text);
  card.subject = store::normalised_text(subject);
  store::TurnId source;
  source.bytes[0] = static_cast<std::uint8_t>(0x80 + number);
  card.sources = {source};
  return card;
}

// One card of an answer; fields may be replaced or taken out.
inline boost::json::object proposed(std::string_view text, boost::json::array sources = {"T1"}) {
  boost::json::object card;
  card["text"] = text;
  card["colour"] = "fact";
  card["sources"] = std::move(sources);
  card["from"] = "";
  card["to"] = "";
  card["replaces"] = "";
  card["tags"] = boost::json::array{"life"};
  return card;
}

inline std::string answer_of(boost::json::array cards) {
  return boost::json::serialize(boost::json::object{{"cards", std::move(cards)}});
}

// Nora's turns, her cards, and the sheet that a model is shown of them.
class ModelDesk {
 public:
  explicit ModelDesk(const std::vector<std::string>& talk,
                     std::string_view time = "2026-03-18T10:00:00+01:00") {
    Desk desk;
    for (const std::string& text : talk) turns.push_back(desk.turn(text, time));
    task.owner = "Nora Lindqvist";
    task.zone = "Europe/Stockholm";
    task.turns = turns;
    task.now = turns.back().said_at.at;
    task.box_secret32 = secret;
  }
  Sheet sheet() {
    auto related = related_cards(task, cards);
    EXPECT_TRUE(related.has_value());
    return make_sheet(task, *related);
  }
  Result<std::vector<Proposal>> read(std::string_view content) {
    return read_proposals(content, sheet());
  }
  // What becomes of the answer, on top of what the built-in secretary wrote.
  store::UnitFiled merge(const boost::json::array& proposals) {
    auto unit = make_rule_secretary()->extract(task, cards);
    EXPECT_TRUE(unit.has_value());
    built_in = *unit;
    const Sheet shown = sheet();
    auto read = read_proposals(answer_of(proposals), shown);
    EXPECT_TRUE(read.has_value()) << (read ? "" : read.error().what);
    if (!read) return *unit;
    const auto known = related_cards(task, cards);
    merged = add_proposals(*unit, *read, task, shown, *known, "tiny");
    return *unit;
  }
  // Why the card is left out.
  Unfit why(std::string_view text, boost::json::array sources = {"T1"}) {
    merge({proposed(text, std::move(sources))});
    return merged.unfit.empty() ? Unfit::kNone : merged.unfit.begin()->first;
  }

  std::vector<store::Turn> turns;
  Bytes secret = Bytes(32, 7);
  SecretaryTask task;
  MemoryCards cards;
  store::UnitFiled built_in;
  Merged merged;
};

inline const store::Card* card_with(const store::UnitFiled& unit, std::string_view part) {
  for (const store::Card& card : unit.cards)
    if (card.text.find(part) != std::string::npos) return &card;
  return nullptr;
}

}  // namespace kartei::daemon
