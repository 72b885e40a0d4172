// A secretary at work in a test: turns in, cards out, an in-memory box behind it.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/manager/secretary.h"

namespace kartei::daemon {

class MemoryCards : public CardLookup {
 public:
  Result<std::vector<store::Card>> open_cards(std::string_view subject) override {
    if (broken) return Error{Cause::kUnavailable, "the box is locked", {}};
    std::vector<store::Card> out;
    for (const store::Card& card : cards) {
      if (card.state == store::CardState::kOpen && card.subject == subject) out.push_back(card);
    }
    return out;
  }
  void apply(const store::UnitFiled& unit) {
    for (const store::Card& card : unit.cards) cards.push_back(card);
    for (const store::CardClose& close : unit.closes) {
      for (store::Card& card : cards) {
        if (card.id != close.card) continue;
        card.state = store::CardState::kClosed;
        card.valid_to = close.valid_to;
        card.replaced_by = close.replaced_by;
        card.why_closed = close.why;
      }
    }
  }
  const store::Card* find(std::string_view part) const {
    const auto at = std::find_if(cards.begin(), cards.end(), [&](const store::Card& card) {
      return card.text.find(part) != std::string::npos;
    });
    return at == cards.end() ? nullptr : &*at;
  }

  std::vector<store::Card> cards;
  bool broken = false;
};

// One person and their secretary.
class Desk {
 public:
  explicit Desk(std::string owner = "Nora Lindqvist", std::string zone = "Europe/Stockholm")
      : owner_(std::move(owner)), zone_(std::move(zone)), secretary_(make_rule_secretary()) {}

  // One conversation, its turns parted by " || "; "A: " begins one of the assistant, "T: " a
  // tool's.
  store::UnitFiled say(std::string_view talk, std::string_view time = "2026-03-18T10:00:00+01:00") {
    turns_.clear();
    std::size_t at = 0;
    while (at <= talk.size()) {
      const std::size_t bar = talk.find(" || ", at);
      turns_.push_back(turn(talk.substr(at, bar == std::string_view::npos ? bar : bar - at), time));
      if (bar == std::string_view::npos) break;
      at = bar + 4;
    }
    return extract({}, turns_);
  }
  store::Turn turn(std::string_view text, std::string_view time) {
    store::Turn out;
    if (text.starts_with("A: ") || text.starts_with("T: ")) {
      const bool tool = text[0] == 'T';
      out.role = tool ? store::Role::kTool : store::Role::kAssistant;
      out.trust = tool ? store::Trust::kWebPage : store::Trust::kAssistant;
      text.remove_prefix(3);
    }
    out.text = text;
    out.speaker = out.role == store::Role::kUser ? owner_.substr(0, owner_.find(' ')) : "other";
    out.conversation = "talk";
    const auto said = store::parse_rfc3339(time);
    EXPECT_TRUE(said.has_value()) << time;
    if (said.has_value()) out.said_at = *said;
    ++turns_made_;
    out.id.bytes[0] = static_cast<std::uint8_t>(turns_made_);
    out.id.bytes[1] = static_cast<std::uint8_t>(turns_made_ >> 8);
    return out;
  }
  store::UnitFiled extract(const std::vector<store::Turn>& context,
                           const std::vector<store::Turn>& turns) {
    SecretaryTask task;
    task.owner = owner_;
    task.zone = zone_;
    task.context = context;
    task.turns = turns;
    task.now = turns.empty() ? store::Time{} : turns.back().said_at.at;
    task.box_secret32 = secret_;
    auto unit = secretary_->extract(task, cards);
    EXPECT_TRUE(unit.has_value());
    if (unit.has_error()) return {};
    cards.apply(*unit);
    return std::move(*unit);
  }

  MemoryCards cards;

 private:
  std::string owner_, zone_;
  Bytes secret_ = Bytes(32, 7);
  std::unique_ptr<Secretary> secretary_;
  std::vector<store::Turn> turns_;
  std::uint32_t turns_made_ = 0;
};

}  // namespace kartei::daemon
