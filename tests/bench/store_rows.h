// Made-up turns and cards put into a box without a daemon, and the model that ships.
#pragma once

#include <algorithm>
#include <filesystem>

#include "store/box.h"
#include "store/meaning/static_table.h"
#include "tests/bench/words.h"

namespace kartei::bench {

using namespace kartei::store;

inline constexpr std::size_t kRowsACommit = 64;

template <class IdType>
IdType id_number(std::uint64_t number) {
  IdType id;
  for (std::size_t i = 0; i < 8; ++i) id.bytes[15 - i] = static_cast<std::uint8_t>(number >> 8 * i);
  id.bytes[0] = 1;
  return id;
}

inline const DrawerId kDrawer = id_number<DrawerId>(1);

inline Turn make_turn(Words& words, std::uint64_t n) {
  Turn turn;
  turn.id = id_number<TurnId>(n);
  turn.external_id = "t" + std::to_string(n);
  turn.conversation = "c" + std::to_string(n / 40);
  turn.role = n % 2 == 0 ? Role::kUser : Role::kAssistant;
  turn.trust = n % 2 == 0 ? Trust::kUser : Trust::kAssistant;
  turn.speaker = n % 2 == 0 ? "Maya" : "assistant";
  turn.text = words.prose(25);
  turn.said_at.at = time_from_ms(1'600'000'000'000 + static_cast<std::int64_t>(n) * 60'000);
  turn.recorded_at = turn.said_at.at;
  turn.drawer = kDrawer;
  return turn;
}

inline CardEdited make_card(Words& words, std::uint64_t n) {
  CardEdited add;
  add.edit = id_number<EditId>(n);
  add.kind = EditKind::kAdd;
  add.drawer = kDrawer;
  Card card;
  card.id = id_number<CardId>(n);
  card.drawer = kDrawer;
  card.subject = words.name();
  card.text = card.subject + " " + words.prose(12);
  card.colour = n % 4 == 0 ? Colour::kEvent : Colour::kFact;
  card.sources = {id_number<TurnId>(n)};
  card.user_made = true;
  card.recorded_at = time_from_ms(1'600'000'000'000 + static_cast<std::int64_t>(n) * 60'000);
  add.card = std::move(card);
  return add;
}

inline Status store_turns(Box& box, Words& words, std::uint64_t from, std::uint64_t to) {
  for (std::uint64_t n = from; n < to; n += kRowsACommit) {
    KARTEI_ASSIGN(auto transaction, box.begin());
    for (std::uint64_t i = n; i < std::min(to, n + kRowsACommit); ++i)
      KARTEI_TRY(box.store_turn(make_turn(words, i), {}));
    KARTEI_TRY(transaction.commit(Box::Transaction::Durability::kLazy));
  }
  return {};
}

inline Status store_cards(Box& box, Words& words, std::uint64_t from, std::uint64_t to) {
  for (std::uint64_t n = from; n < to; n += kRowsACommit) {
    std::vector<Delta> deltas;
    for (std::uint64_t i = n; i < std::min(to, n + kRowsACommit); ++i)
      deltas.emplace_back(make_card(words, i));
    KARTEI_ASSIGN(auto transaction, box.begin());
    KARTEI_TRY(box.apply_local(deltas));
    KARTEI_TRY(transaction.commit(Box::Transaction::Durability::kLazy));
  }
  return {};
}

// Null: words and names alone.
inline std::shared_ptr<const Embedder> built_in_model() {
  const auto file = std::filesystem::read_symlink("/proc/self/exe").parent_path() /
                    "../share/kartei/multi256.kmodel";
  auto table = StaticTable::open(file);
  return table ? std::move(*table) : nullptr;
}

}  // namespace kartei::bench
