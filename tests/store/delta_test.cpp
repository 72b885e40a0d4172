// Deltas there and back; whatever else comes is an error, never a crash.
#include "store/delta.h"

#include <rapidcheck.h>

#include <cmath>

#include "store/valid_utf8.h"
#include "tests/store/fixture.h"

namespace kartei::store {
namespace {

template <class IdType>
IdType any_id() {
  IdType id;
  for (auto& byte : id.bytes) byte = *rc::gen::arbitrary<std::uint8_t>();
  return id;
}
template <class IdType>
std::vector<IdType> any_ids() {
  std::vector<IdType> ids;
  for (int i = *rc::gen::inRange(0, 4); i > 0; --i) ids.push_back(any_id<IdType>());
  return ids;
}
std::string any_text() {
  static const char* const kPieces[] = {"a", "Zoë", "茶", "🍵", " ", "\n", "\"", "U+001F"};
  std::string text;
  for (int i = *rc::gen::inRange(0, 5); i > 0; --i) text += kPieces[*rc::gen::inRange(0, 8)];
  if (*rc::gen::inRange(0, 8) == 0) text.push_back('\0');
  return text;
}
std::vector<std::string> any_texts() {
  std::vector<std::string> texts;
  for (int i = *rc::gen::inRange(0, 4); i > 0; --i) texts.push_back(any_text());
  return texts;
}
Time any_time() {
  return time_from_ms(*rc::gen::inRange<std::int64_t>(-62'135'596'800'000, 253'402'300'799'999));
}
Date any_date() {
  Date date;
  const int precision = *rc::gen::inRange(0, 5);
  if (precision == 0) return date;
  date.year = *rc::gen::inRange<std::int16_t>(-400, 9999);
  if (date.year == 0) return Date{};
  date.zone_min = *rc::gen::inRange<std::int16_t>(-720, 840);
  if (precision >= 2) date.month = *rc::gen::inRange<std::uint8_t>(1, 13);
  if (precision >= 3) date.day = *rc::gen::inRange<std::uint8_t>(1, 32);
  if (precision >= 4) date.minute = *rc::gen::inRange<std::int16_t>(0, 1440);
  return date;
}
double any_share() {
  return *rc::gen::inRange(0, 1001) / 1000.0;
}

Turn any_turn() {
  Turn turn;
  turn.id = any_id<TurnId>();
  turn.external_id = any_text();
  turn.conversation = any_text();
  turn.speaker = any_text();
  turn.role = static_cast<Role>(*rc::gen::inRange(0, 3));
  turn.trust = static_cast<Trust>(*rc::gen::inRange(0, 4));
  turn.text = any_text();
  turn.caption = any_text();
  turn.said_at = {any_time(), *rc::gen::inRange<std::int16_t>(-720, 840)};
  turn.recorded_at = any_time();
  turn.drawer = any_id<DrawerId>();
  turn.app = any_text();
  turn.device = any_id<DeviceId>();
  return turn;
}

Card any_card() {
  Card card;
  card.id = any_id<CardId>();
  card.text = any_text();
  card.colour = static_cast<Colour>(*rc::gen::inRange(0, 3));
  card.drawer = any_id<DrawerId>();
  card.sub_domain = any_text();
  card.micro_context = any_text();
  card.subject = any_text();
  card.relation = any_text();
  card.object = any_text();
  card.valid_from = any_date();
  card.valid_to = any_date();
  card.recorded_at = any_time();
  card.closed_at = any_time();
  card.replaced_by = any_id<CardId>();
  card.why_closed = any_text();
  card.conversation = any_text();
  card.sources = any_ids<TurnId>();
  card.trust = static_cast<Trust>(*rc::gen::inRange(0, 4));
  card.said_by = any_text();
  card.app = any_text();
  card.device = any_id<DeviceId>();
  card.importance = any_share();
  card.flags = *rc::gen::arbitrary<std::uint32_t>();
  card.tags = any_texts();
  card.annotations = any_texts();
  card.times_used = *rc::gen::arbitrary<std::uint32_t>();
  card.last_used = any_time();
  card.state = static_cast<CardState>(*rc::gen::inRange(0, 6));
  card.user_made = *rc::gen::arbitrary<bool>();
  return card;
}

UnitFiled any_unit() {
  UnitFiled unit;
  unit.unit = any_id<UnitId>();
  unit.drawer = any_id<DrawerId>();
  unit.sources = any_ids<TurnId>();
  for (int i = *rc::gen::inRange(0, 3); i > 0; --i) unit.cards.push_back(any_card());
  for (int i = *rc::gen::inRange(0, 3); i > 0; --i) {
    unit.closes.push_back({any_id<CardId>(), any_ids<TurnId>(), any_text(), any_date(),
                           any_id<CardId>(), any_text(), any_time()});
  }
  for (int i = *rc::gen::inRange(0, 3); i > 0; --i) {
    unit.confirmed.push_back(any_id<CardId>());
    unit.confirmed_by.push_back(any_id<TurnId>());
  }
  return unit;
}

CardEdited any_edit() {
  CardEdited edit;
  edit.edit = any_id<EditId>();
  edit.kind = static_cast<EditKind>(*rc::gen::inRange(0, 15));
  edit.drawer = any_id<DrawerId>();
  edit.target = any_id<CardId>();
  edit.turn = any_id<TurnId>();
  edit.target_sources = any_ids<TurnId>();
  edit.target_key = any_text();
  if (*rc::gen::arbitrary<bool>()) edit.card = any_card();
  edit.flags = *rc::gen::arbitrary<std::uint32_t>();
  edit.importance = any_share();
  edit.note = any_text();
  edit.valid_to = any_date();
  edit.at = any_time();
  if (*rc::gen::arbitrary<bool>()) edit.run = any_id<RunId>();
  if (*rc::gen::arbitrary<bool>()) edit.stands_in = any_id<CardId>();
  return edit;
}

std::vector<Delta> any_deltas() {
  std::vector<Delta> deltas;
  for (int i = *rc::gen::inRange(0, 6); i > 0; --i) {
    switch (*rc::gen::inRange(0, 6)) {
      case 0:
        deltas.emplace_back(TurnHeard{any_turn()});
        break;
      case 1:
        deltas.emplace_back(TurnFiled{any_id<TurnId>(),
                                      {any_id<DeviceId>(), *rc::gen::arbitrary<std::uint32_t>(),
                                       *rc::gen::arbitrary<std::uint64_t>()},
                                      *rc::gen::arbitrary<std::uint64_t>(),
                                      any_id<DrawerId>()});
        break;
      case 2:
        deltas.emplace_back(any_unit());
        break;
      case 3:
        deltas.emplace_back(any_edit());
        break;
      case 4:
        deltas.emplace_back(UsageCounted{any_id<EditId>(), any_id<DrawerId>(), any_id<CardId>(),
                                         *rc::gen::arbitrary<std::uint32_t>(), any_time()});
        break;
      default:
        deltas.emplace_back(
            ConversationEnded{any_id<EditId>(), any_id<DrawerId>(), any_text(), any_time()});
    }
  }
  return deltas;
}

TEST(Delta, ThereAndBack) {
  EXPECT_TRUE(rc::check([] {
    const std::vector<Delta> deltas = any_deltas();
    const auto back = decode_deltas(encode(deltas));
    RC_ASSERT(back.has_value());
    RC_ASSERT(*back == deltas);
  }));
}

TEST(Delta, DamagedBytesNeverDecodeToSomethingOutOfRange) {
  EXPECT_TRUE(rc::check([] {
    Bytes bytes = encode(any_deltas());
    for (int i = *rc::gen::inRange(1, 6); i > 0 && !bytes.empty(); --i) {
      const auto at = *rc::gen::inRange<std::size_t>(0, bytes.size());
      bytes[at] = *rc::gen::arbitrary<std::uint8_t>();
    }
    if (*rc::gen::inRange(0, 4) == 0) bytes.resize(*rc::gen::inRange<std::size_t>(0, bytes.size()));
    const auto back = decode_deltas(bytes);
    // What is taken is sound: it goes there and back again.
    if (back.has_value()) RC_ASSERT(*decode_deltas(encode(*back)) == *back);
  }));
}

TEST(Delta, WhatIsEncodedDecodesWhateverTheCallerPutIn) {
  CardEdited edit = make_edit(1, EditKind::kImportance, make_card({1}, "tea"));
  edit.importance = std::nan("");
  edit.at = time_from_ms(INT64_MAX);
  edit.valid_to = Date{2026, 200, 200, 9999, 9999};
  UnitFiled unit = make_unit({1}, {make_card({1}, "tea")});
  unit.cards[0].importance = 17;
  unit.confirmed = {unit.cards[0].id};
  EXPECT_TRUE(decode_deltas(encode({edit, unit})).has_value());
}

TEST(Delta, BadTextAndEnumsAreRefused) {
  Turn turn = make_turn(1, "\xC0\xAF");
  EXPECT_EQ(decode_deltas(encode({TurnHeard{turn}})).error().cause, Cause::kCorrupt);
  turn.text = "fine";
  turn.role = static_cast<Role>(17);
  EXPECT_EQ(decode_deltas(encode({TurnHeard{turn}})).error().cause, Cause::kCorrupt);
  CardEdited edit = make_edit(1, EditKind::kClose, make_card({1}, "tea"));
  edit.kind = static_cast<EditKind>(99);
  EXPECT_EQ(decode_deltas(encode({edit})).error().cause, Cause::kCorrupt);
}

TEST(Delta, BoundsHold) {
  EXPECT_TRUE(decode_deltas({}).has_error());
  EXPECT_TRUE(decode_deltas(Bytes((4 << 20) + 1)).has_error());
  const ConversationEnded ended{edit_id(1), kShared, "c", time_from_ms(1)};
  EXPECT_TRUE(decode_deltas(encode(std::vector<Delta>(65'537, ended))).has_error());
  // A few bytes that unpack to very many.
  Bytes bomb{0, 0, 0, 0, 0xFF};
  for (int i = 0; i < 1000; ++i) bomb.insert(bomb.end(), {0, 255});
  EXPECT_TRUE(decode_deltas(bomb).has_error());
}

TEST(Delta, TheUnitsIdIsAHashOfTheRest) {
  UnitFiled unit = make_unit({1}, {make_card({1}, "tea")});
  const UnitId id = unit.unit;
  unit.unit = id_of<UnitId>(5);
  EXPECT_EQ(derive_unit_id(unit), id);
  unit.cards[0].tags = {"drink"};
  EXPECT_NE(derive_unit_id(unit), id);
}

TEST(Utf8, TellsGoodFromBad) {
  for (const char* good : {"", "a", "é", "茶", "🍵", "\xEF\xBF\xBD", "\xF4\x8F\xBF\xBF"}) {
    EXPECT_TRUE(valid_utf8(good)) << good;
  }
  for (const char* bad : {"\x80", "\xC0\x80", "\xC3", "\xE0\x80\x80", "\xED\xA0\x80", "\xE8\x8C",
                          "\xF0\x80\x80\x80", "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFF"}) {
    EXPECT_FALSE(valid_utf8(bad));
  }
}

}  // namespace
}  // namespace kartei::store
