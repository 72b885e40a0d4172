// A box and its librarian: cards and turns go in, questions are asked.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>

#include "store/librarian.h"
#include "tests/store/fixture.h"

namespace kartei::store {

inline Time day(const std::string& text) {
  return must(Date::parse(text)).begin();
}

class LibrarianTest : public ::testing::Test {
 protected:
  void SetUp() override { librarian_ = must(Librarian::open(*box_)); }

  // A card in the user's own words, in the local drawer.
  Card add(const std::string& text, const std::string& subject = {},
           const std::function<void(Card&)>& change = {}) {
    Card card = user_card(++count_, text);
    card.drawer = kLocalDrawer;
    card.subject = subject;
    if (change) change(card);
    box_.local({make_add(count_, card)});
    return card;
  }
  void hear(std::uint64_t n, const std::string& text, const std::string& speaker = "Maya",
            const std::function<void(Turn&)>& change = {}) {
    Turn turn = make_turn(n, text, kLocalDrawer);
    turn.external_id = "t" + std::to_string(n);
    turn.speaker = speaker;
    if (change) change(turn);
    box_.write([&](Box& box) -> Status {
      auto stored = box.store_turn(turn, {});
      return stored.has_error() ? Status{stored.error()} : Status{};
    });
  }
  void edit(EditKind kind, const Card& target,
            const std::function<void(CardEdited&)>& change = {}) {
    CardEdited edit = make_edit(1000 + ++count_, kind, target);
    if (change) change(edit);
    box_.local({edit});
  }
  Card replace(const Card& old, const std::string& text, const std::string& when) {
    Card card = user_card(++count_, text);
    card.drawer = kLocalDrawer;
    card.subject = old.subject;
    card.valid_from = must(Date::parse(when));
    edit(EditKind::kReplace, old, [&](CardEdited& edit) {
      edit.card = card;
      edit.valid_to = card.valid_from;
      edit.at = card.valid_from.begin();
    });
    return card;
  }
  RecallAnswer recall(const std::string& query,
                      const std::function<void(RecallRequest&)>& change = {}) {
    RecallRequest request;
    request.query = query;
    if (change) change(request);
    return must(librarian_->recall(request));
  }
  bool finds(const std::string& query, const std::string& text) {
    return recall(query).text.find(text) != std::string::npos;
  }

  TestBox box_;
  std::unique_ptr<Librarian> librarian_;
  std::uint64_t count_ = 0;
};

}  // namespace kartei::store
