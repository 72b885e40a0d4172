// Reading, drawers and settings, records, snapshots, export.
#include <algorithm>
#include <set>

#include "store/export.h"
#include "store/fold_tables.h"
#include "store/records.h"
#include "store/rows.h"
#include "store/sql.h"
#include "tests/store/fixture.h"

namespace kartei::store {
namespace {

TEST(Turns, AreStoredOnce) {
  TestBox box;
  Turn turn = make_turn(1);
  turn.external_id = "d1:3";
  box.write([&](Box& b) -> Status {
    EXPECT_TRUE(must(b.store_turn(turn, origin_of(1))));
    EXPECT_FALSE(must(b.store_turn(turn, origin_of(1))));
    Turn again = turn;
    again.id = turn_id(2);  // the app says it again
    EXPECT_FALSE(must(b.store_turn(again, origin_of(2))));
    again.conversation = "c2";
    EXPECT_TRUE(must(b.store_turn(again, origin_of(2))));
    Turn elsewhere = turn;
    elsewhere.id = turn_id(3);  // said on another device: its ledger names it by this id
    elsewhere.device = id_of<DeviceId>(2, 0xDE);
    EXPECT_TRUE(must(b.store_turn(elsewhere, origin_of(1, 2))));
    return {};
  });
  Turn newest = make_turn(9);
  newest.external_id = "d1:3";
  newest.conversation = "c3";
  box.hear(newest, 9);
  EXPECT_EQ(must(box->turn_by_external("d1:3"))->id, turn_id(9));
  EXPECT_FALSE(must(box->turn_by_external("")));
  EXPECT_EQ(must(box->turn(turn_id(1))), turn);
}

TEST(Turns, OnesThatAreNotFiledCanBeDropped) {
  TestBox box;
  box.hear(make_turn(1), 1);
  box.hear(make_turn(2), 2);
  box.entry({filed(1)});
  box.overlay({erase_turn(1, 2)});
  box.write([](Box& b) { return b.drop_unfiled_turn(turn_id(1)); });
  box.write([](Box& b) { return b.drop_unfiled_turn(turn_id(2)); });
  box.overlay({});
  EXPECT_TRUE(must(box->turn(turn_id(1))));
  EXPECT_FALSE(must(box->turn(turn_id(2))));
}

TEST(Turns, NeighboursAndConversations) {
  TestBox box;
  for (std::uint64_t n : {3, 1, 2, 5, 4}) box.hear(make_turn(n), n);
  Turn other = make_turn(6);
  other.conversation = "c2";
  box.hear(other, 6);
  const auto ids = [](const std::vector<Turn>& turns) {
    std::vector<TurnId> out;
    for (const Turn& turn : turns) out.push_back(turn.id);
    return out;
  };
  EXPECT_EQ(ids(must(box->turns_around(turn_id(3), 1))),
            (std::vector<TurnId>{turn_id(2), turn_id(3), turn_id(4)}));
  EXPECT_EQ(ids(must(box->turns_around(turn_id(1), 1))),
            (std::vector<TurnId>{turn_id(1), turn_id(2)}));
  EXPECT_EQ(ids(must(box->conversation("c1", 2))), (std::vector<TurnId>{turn_id(4), turn_id(5)}));
  EXPECT_TRUE(must(box->turns_around(turn_id(99), 1)).empty());
  EXPECT_EQ(must(box->counts()).turns, 6u);
  EXPECT_EQ(must(box->counts()).conversations, 2u);
}

TEST(Turns, LocalOnesWaitForTheSecretaryByThemselves) {
  TestBox box;
  box.local({TurnHeard{make_turn(1, "private", kLocalDrawer)}});
  box.hear(make_turn(2), 2);
  box.entry({filed(2)});
  ASSERT_EQ(must(box->unextracted(true, 9)).size(), 1u);
  EXPECT_EQ(must(box->unextracted(true, 9))[0].id, turn_id(1));
  ASSERT_EQ(must(box->unextracted(false, 9)).size(), 1u);
  EXPECT_EQ(must(box->unextracted_count()), 2u);
  const Hash32 shared = box.digest();
  const Card card = make_card({1}, "private tea", kLocalDrawer);
  box.local({make_unit({1}, {card}, kLocalDrawer)});
  box.local({make_unit({1}, {make_card({1}, "twice", kLocalDrawer)}, kLocalDrawer)});
  EXPECT_TRUE(must(box->unextracted(true, 9)).empty());
  EXPECT_EQ(must(box->cards({})).cards.size(), 1u);
  EXPECT_EQ(box.digest(), shared);  // not others' business
  box.undo_to(0);
  EXPECT_TRUE(box.shown(card));
  // Its own edits work as in the ledger.
  box.local({make_edit(1, EditKind::kClose, card)});
  EXPECT_FALSE(box.shown(card));
  box.local({make_edit(2, EditKind::kReactivate, card)});
  EXPECT_TRUE(box.shown(card));
}

TEST(Cards, ListsFilterAndPage) {
  TestBox box;
  std::vector<Card> cards;
  for (std::uint64_t n = 1; n <= 7; ++n) {
    Card card = make_card({n}, "card number " + std::to_string(n));
    card.recorded_at = time_from_ms(static_cast<std::int64_t>(n / 2));  // some at the same time
    card.colour = n == 3 ? Colour::kRule : Colour::kFact;
    cards.push_back(card);
  }
  box.entry({make_unit({1, 2, 3, 4, 5, 6, 7}, cards)});
  CardFilter filter;
  filter.limit = 3;
  std::set<CardId> seen;
  int pages = 0;
  do {
    const CardPage page = must(box->cards(filter));
    for (const Card& card : page.cards) EXPECT_TRUE(seen.insert(card.id).second);
    filter.cursor = page.cursor;
    ++pages;
  } while (!filter.cursor.empty() && pages < 9);
  EXPECT_EQ(seen.size(), 7u);
  EXPECT_EQ(pages, 3);
  filter = {};
  filter.colour = Colour::kRule;
  EXPECT_EQ(must(box->cards(filter)).cards.size(), 1u);
  filter = {};
  filter.q = "NUMBER 3";
  EXPECT_EQ(must(box->cards(filter)).cards.size(), 1u);
  filter = {};
  filter.since = time_from_ms(3);
  EXPECT_EQ(must(box->cards(filter)).cards.size(), 2u);
  filter = {};
  filter.drawer = kLocalDrawer;
  EXPECT_TRUE(must(box->cards(filter)).cards.empty());
  filter = {};
  filter.cursor = "17";
  EXPECT_EQ(box->cards(filter).error().field, "cursor");
  box.entry({make_edit(1, EditKind::kClose, cards[0])});
  filter = {};
  filter.state = CardState::kClosed;
  EXPECT_EQ(must(box->cards(filter)).cards.size(), 1u);
  filter.state.reset();
  EXPECT_EQ(must(box->cards(filter)).cards.size(), 7u);
  EXPECT_EQ(must(box->counts()).cards_open, 6u);
  EXPECT_EQ(must(box->counts()).cards_closed, 1u);
}

TEST(Cards, AllFieldsComeBack) {
  TestBox box;
  Card card = make_card({1}, "Maya moved to Berlin.");
  card.colour = Colour::kEvent;
  card.sub_domain = "home";
  card.micro_context = "Maya: Berlin";
  card.subject = "Maya";
  card.relation = "lives in";
  card.object = "Berlin";
  card.valid_from = Date{2026, 3, 10, 1005, 120};
  card.valid_to = Date{2027, 0, 0, -1, 0};
  card.conversation = "c1";
  card.said_by = "Maya";
  card.app = "chat";
  card.importance = 0.75;
  card.flags = kPersistent;
  card.tags = {"home", "move", "Berlin"};
  card.annotations = {"check"};
  box.entry({make_unit({1}, {card})});
  EXPECT_EQ(box.card(card), card);
  EXPECT_EQ(must(box->open_cards_after("MAYA", 0, 9)).cards, std::vector<Card>{card});
  EXPECT_TRUE(must(box->open_cards_after("may", 0, 9)).cards.empty());
}

TEST(Cards, OfASubjectComeAPartAtATime) {
  TestBox box;
  std::vector<Card> cards;
  for (int i = 0; i < 10; ++i) {
    Card card = make_card({1}, "Maya likes tea " + std::to_string(i) + ".");
    card.subject = i == 4 ? "Bo" : "Maya";
    cards.push_back(card);
  }
  box.entry({make_unit({1}, cards)});
  box.entry({make_edit(1, EditKind::kClose, cards[7])});
  std::vector<std::string> found;
  std::int64_t after = 0;
  int parts = 0;
  for (bool more = true; more; ++parts) {
    const OpenCards part = must(box->open_cards_after("MAYA", after, 3));
    EXPECT_LE(part.cards.size(), 3u);
    for (const Card& card : part.cards) found.push_back(card.text);
    after = part.last;
    more = part.more;
  }
  EXPECT_EQ(parts, 4);
  std::vector<std::string> whole;
  for (const int i : {0, 1, 2, 3, 5, 6, 8, 9})
    whole.push_back(cards[static_cast<std::size_t>(i)].text);
  EXPECT_EQ(found, whole);
  EXPECT_FALSE(must(box->open_cards_after("", 0, 3)).more);
}

TEST(Cards, HistoryRunsFromTheFirstToTheLast) {
  TestBox box;
  Card first = make_card({1}, "Berlin"), second = user_card(2, "Rome"),
       third = user_card(3, "Oslo");
  second.recorded_at = first.recorded_at + std::chrono::hours(1);
  third.recorded_at = first.recorded_at + std::chrono::hours(2);
  CardEdited to_rome = make_edit(1, EditKind::kReplace, first);
  to_rome.card = second;
  CardEdited to_oslo = make_edit(2, EditKind::kReplace, second);
  to_oslo.card = third;
  box.entry({make_unit({1}, {first}), to_rome, to_oslo});
  for (const Card& card : {first, second, third}) {
    const auto history = must(box->history(card.id));
    ASSERT_EQ(history.size(), 3u);
    EXPECT_EQ(history[0].id, first.id);
    EXPECT_EQ(history[1].id, second.id);
    EXPECT_EQ(history[2].id, third.id);
  }
  EXPECT_EQ(box->history(id_of<CardId>(99)).error().cause, Cause::kNotFound);
  // Two that replace each other do not loop.
  CardEdited back = make_edit(3, EditKind::kReplace, third);
  back.card = first;
  box.entry({back});
  EXPECT_LE(must(box->history(second.id)).size(), 4u);
}

TEST(Settings, DrawersAndMeta) {
  TestBox box;
  Drawer drawer = *must(box->drawer(kShared));
  EXPECT_EQ(must(box->drawer("work"))->id, kShared);
  EXPECT_FALSE(must(box->drawer("nothing")));
  drawer.name = "office";
  drawer.devices = {id_of<DeviceId>(1), id_of<DeviceId>(2)};
  drawer.held = false;
  box.write([&](Box& b) { return b.put_drawer(drawer); });
  EXPECT_EQ(*must(box->drawer(kShared)), drawer);
  EXPECT_EQ(must(box->drawers()).size(), 2u);
  box.write([](Box& b) { return b.put_meta("seen", as_bytes("1")); });
  box.write([](Box& b) { return b.put_meta("seen", as_bytes("2")); });
  EXPECT_EQ(must(box->meta("seen")), to_bytes(as_bytes("2")));
  box.write([](Box& b) { return b.erase_meta("seen"); });
  EXPECT_FALSE(must(box->meta("seen")));
}

TEST(Settings, ARemovedDrawerIsGoneWithAllThatItHolds) {
  TestBox box;
  box.local({TurnHeard{make_turn(1, "private", kLocalDrawer)},
             make_unit({1}, {make_card({1}, "private", kLocalDrawer)}, kLocalDrawer)});
  box.write([](Box& b) { return b.remove_drawer(kLocalDrawer); });
  EXPECT_EQ(must(box->counts()).turns, 0u);
  EXPECT_EQ(must(box->counts()).cards_open, 0u);
  EXPECT_EQ(must(box->counts()).drawers, 1u);
  EXPECT_TRUE(must(box->check()).empty());
}

// ---- records

StoredRecord record(std::uint64_t seq, const std::string& bytes, std::uint64_t device = 1) {
  StoredRecord one;
  one.feed = feed_of(device);
  one.seq = seq;
  one.hash[0] = static_cast<std::uint8_t>(seq);
  one.kind = 3;
  one.bytes = to_bytes(as_bytes(bytes));
  return one;
}

TEST(RecordRows, AppendReadDropSkip) {
  TestBox box;
  Records& records = box->records();
  box.write([&](Box&) -> Status {
    for (std::uint64_t seq = 0; seq < 5; ++seq) KARTEI_TRY(records.append(record(seq, "12345")));
    return records.append(record(0, "other", 2));
  });
  box.write([&](Box&) -> Status {
    EXPECT_EQ(records.append(record(7, "gap")).error().cause, Cause::kConflict);
    EXPECT_EQ(records.append(record(4, "again")).error().cause, Cause::kConflict);
    return {};
  });
  ASSERT_EQ(must(records.feeds()).size(), 2u);
  EXPECT_EQ(must(records.feeds())[0].end, 5u);
  const auto got = must(records.get(feed_of(), 3));
  ASSERT_TRUE(got);
  EXPECT_EQ(got->seq, 3u);
  EXPECT_EQ(got->hash[0], 3);
  EXPECT_EQ(got->kind, 3);
  EXPECT_EQ(as_text(got->bytes), "12345");
  EXPECT_FALSE(must(records.get(feed_of(), 5)));
  EXPECT_FALSE(must(records.get(feed_of(7), 0)));
  EXPECT_EQ(must(records.range(feed_of(), 1, 4, 1000)).size(), 3u);
  EXPECT_EQ(must(records.range(feed_of(), 1, 99, 10)).size(), 2u);
  EXPECT_EQ(must(records.range(feed_of(), 1, 99, 1)).size(), 1u);
  EXPECT_TRUE(must(records.range(feed_of(), 5, 9, 10)).empty());
  box.write([&](Box&) { return records.replace_bytes(feed_of(), 2, as_bytes("x")); });
  EXPECT_EQ(as_text(must(records.get(feed_of(), 2))->bytes), "x");
  box.write([&](Box&) { return records.drop_before(feed_of(), 2); });
  EXPECT_EQ(must(records.feeds())[0].start, 2u);
  EXPECT_FALSE(must(records.get(feed_of(), 1)));
  EXPECT_EQ(must(records.range(feed_of(), 0, 99, 1000)).size(), 3u);
  box.write([&](Box&) { return records.drop_before(feed_of(), 1); });
  EXPECT_EQ(must(records.feeds())[0].start, 2u);
  EXPECT_TRUE(must(box->check()).empty());
  box.write([&](Box&) { return records.skip_to(feed_of(), 40); });
  EXPECT_EQ(must(records.feeds())[0].start, 40u);
  EXPECT_EQ(must(records.feeds())[0].end, 40u);
  box.write([&](Box&) { return records.append(record(40, "on")); });
  EXPECT_TRUE(must(records.get(feed_of(2), 0)));
  box.write([&](Box&) { return records.skip_to(feed_of(9), 3); });
  EXPECT_EQ(must(records.feeds()).size(), 3u);
  EXPECT_TRUE(must(box->check()).empty());
}

TEST(RecordRows, TheNewestHeadOfEachDevice) {
  TestBox box;
  Records& records = box->records();
  const auto device = id_of<DeviceId>(1);
  box.write([&](Box&) -> Status {
    KARTEI_TRY(records.put_head(device, as_bytes("1")));
    return records.put_head(device, as_bytes("2"));
  });
  ASSERT_EQ(must(records.heads()).size(), 1u);
  EXPECT_EQ(as_text(must(records.heads())[0].second), "2");
}

// ---- snapshots

TEST(Snapshot, BringsANewcomerToTheSameState) {
  TestBox old;
  for (std::uint64_t n = 1; n < 4; ++n) old.hear(make_turn(n), n);
  const Card a = make_card({1}, "tea"), b = make_card({2}, "coffee"), c = make_card({2, 3}, "Tea.");
  UnitFiled unit = make_unit({2}, {b});
  unit.closes = {{a.id, a.sources, card_key(a), {}, b.id, "changed", {}}};
  unit.confirmed = {b.id};
  unit.confirmed_by = {turn_id(3)};
  old.entry({filed(1), filed(2), make_unit({1}, {a}), unit});
  old.entry({make_edit(1, EditKind::kFlags, c), make_edit(2, EditKind::kEraseCard, a),
             UsageCounted{edit_id(3), kShared, b.id, 2, time_from_ms(4)},
             make_add(4, user_card(1, "mine"))});
  const Hash32 at_two = old.digest();
  old.entry({make_edit(5, EditKind::kClose, b)});
  old.overlay({make_edit(6, EditKind::kClose, c)});

  const Hash32 shown = old.digest();
  const std::vector<DrawerId> may_hold{kShared};
  const Bytes dump = must(old->dump_fold(2, may_hold));
  EXPECT_EQ(old.digest(), shown);  // only looked at

  TestBox fresh;
  fresh.local({TurnHeard{make_turn(50, "private", kLocalDrawer)}});
  fresh.hear(make_turn(60, "pending"), 60);
  fresh.entry({make_add(9, user_card(9, "of a branch that is void"))});
  fresh.write([&](Box& box) { return box.load_fold(2, dump); });
  EXPECT_EQ(fresh.digest(), at_two);
  EXPECT_EQ(fresh->tip_height(), 2u);
  EXPECT_EQ(must(fresh->turn(turn_id(1))), make_turn(1));
  EXPECT_FALSE(must(fresh->turn(turn_id(3))));  // not filed
  EXPECT_TRUE(must(fresh->turn(turn_id(50))));
  EXPECT_TRUE(must(fresh->turn(turn_id(60))));
  // From here on both go the same way.
  old.overlay({});
  old.undo_to(2);
  for (TestBox* box : {&old, &fresh}) {
    box->entry({make_edit(7, EditKind::kClose, c), make_unit({3}, {make_card({3}, "tea")})});
  }
  EXPECT_EQ(fresh.digest(), old.digest());
  EXPECT_TRUE(must(fresh->check()).empty());
}

TEST(Snapshot, LeavesOutWhatTheNewcomerMayNotHold) {
  TestBox box;
  box.entry({make_unit({1}, {make_card({1}, "tea")})});
  const Bytes dump = must(box->dump_fold(1, {}));
  TestBox fresh;
  fresh.write([&](Box& b) { return b.load_fold(1, dump); });
  EXPECT_TRUE(must(fresh->cards({})).cards.empty());
  EXPECT_EQ(fresh->tip_height(), 1u);
}

TEST(Snapshot, DamagedOnesAreRefusedAndChangeNothing) {
  TestBox box;
  box.hear(make_turn(1), 1);
  box.entry({filed(1), make_unit({1}, {make_card({1}, "tea")})});
  const std::vector<DrawerId> may_hold{kShared};
  const Bytes dump = must(box->dump_fold(1, may_hold));
  const auto refused = [](const Bytes& bytes) {
    TestBox fresh;
    auto transaction = fresh->begin();
    return fresh->load_fold(1, bytes).has_error();
  };
  EXPECT_FALSE(refused(dump));
  for (std::size_t size = 0; size < dump.size(); size += 7) {
    EXPECT_TRUE(refused(Bytes(dump.begin(), dump.begin() + static_cast<std::ptrdiff_t>(size))));
  }
  Bytes longer = dump;
  longer.push_back(0);
  EXPECT_TRUE(refused(longer));
  // Rows of a drawer that is this device's own.
  TestBox theirs;
  theirs.write([](Box& b) {
    Drawer drawer;
    drawer.id = kLocalDrawer;
    drawer.shared = true;
    return b.put_drawer(drawer);
  });
  theirs.entry({make_unit({1}, {make_card({1}, "planted", kLocalDrawer)}, kLocalDrawer)});
  const std::vector<DrawerId> planted{kLocalDrawer};
  EXPECT_TRUE(refused(must(theirs->dump_fold(1, planted))));
}

// The list of tables says what the tables are.
TEST(FoldTables, MatchTheSchema) {
  TestBox box;
  Db db(box->writer());
  std::vector<FoldTable> tables(kFoldTables.begin(), kFoldTables.end());
  tables.push_back(kTurnsTable);
  for (const FoldTable& table : tables) {
    Query query = db.query("SELECT name, pk FROM pragma_table_info(?)", table.name);
    std::string columns;
    int keys = 0;
    for (int at = 0; query.next(); ++at) {
      const bool key = query.integer(1) > 0;
      EXPECT_TRUE(!key || query.integer(1) == at + 1) << table.name;
      if (key) ++keys;
      if (table.rid && at == 0) continue;
      columns += (columns.empty() ? "" : ", ") + std::string(query.text(0));
    }
    EXPECT_EQ(columns, table.columns) << table.name;
    EXPECT_EQ(keys, table.key_columns) << table.name;
    const auto count = 1 + std::count(columns.begin(), columns.end(), ',');
    EXPECT_EQ(std::string_view(table.types).size(), static_cast<std::size_t>(count)) << table.name;
  }
}

TEST(Rows, DatesPackInOrder) {
  const Date dates[] = {{-44, 3, 15, -1, 0}, {2025, 12, 31, 1439, 0}, {2026, 0, 0, -1, 0},
                        {2026, 3, 0, -1, 0}, {2026, 3, 10, -1, 0},    {2026, 3, 10, 0, -720}};
  std::int64_t before = INT64_MIN;
  for (const Date& date : dates) {
    EXPECT_EQ(unpack_date(pack_date(date)), date);
    EXPECT_LT(before, pack_date(date));
    before = pack_date(date);
  }
  EXPECT_FALSE(unpack_date(pack_date({})).known());
}

TEST(Export, IsOneJsonObjectALine) {
  TestBox box;
  box.hear(make_turn(1, "say \"tea\"\n\x01 茶"), 1);
  box.entry({filed(1), make_unit({1}, {make_card({1}, "tea")})});
  Db db(box->writer());
  std::vector<std::string> lines;
  must(write_export(db, [&](std::string_view line) {
    lines.emplace_back(line);
    return true;
  }));
  ASSERT_EQ(lines.size(), 5u);
  EXPECT_EQ(lines[0], R"({"kind":"box","format":2})");
  EXPECT_NE(lines[3].find(R"("text":"say \"tea\"\n\u0001 茶")"), std::string::npos) << lines[3];
  EXPECT_NE(lines[4].find(R"("kind":"card")"), std::string::npos);
  int some = 0;
  must(write_export(db, [&](std::string_view) { return ++some < 2; }));
  EXPECT_EQ(some, 2);
}

TEST(Export, ReadsOneMomentBesideTheWriter) {
  TempDir dir;
  TestBox box(dir.path() / "box");
  for (std::uint64_t n = 1; n <= 20; ++n) box.hear(make_turn(n), n);
  const auto exporter = must(Exporter::open({dir.path() / "box", nullptr}));
  std::size_t lines = 0;
  must(exporter->run([&](std::string_view) {
    box.hear(make_turn(100 + lines), 100 + lines);  // while it is written
    ++lines;
    return true;
  }));
  EXPECT_EQ(lines, 1u + 2u + 20u);
  std::size_t later = 0;
  must(exporter->run([&](std::string_view) { return ++later > 0; }));
  EXPECT_EQ(later, 1u + 2u + 20u + lines);
  EXPECT_TRUE(Exporter::open({dir.path() / "elsewhere", nullptr}).has_error());
}

TEST(Export, InPartsIsTheSameMomentAndTheSameLines) {
  TempDir dir;
  TestBox box(dir.path() / "box");
  for (std::uint64_t n = 1; n <= 20; ++n) box.hear(make_turn(n), n);
  std::string whole;
  must(must(Exporter::open({dir.path() / "box", nullptr}))->run([&](std::string_view line) {
    whole.append(line).push_back('\n');
    return true;
  }));
  const auto exporter = must(Exporter::open({dir.path() / "box", nullptr}));
  std::string parts;
  std::size_t count = 0;
  for (bool more = true; more; ++count) {
    std::string part;
    more = must(exporter->next(part, 500));
    EXPECT_TRUE(!more || (part.size() >= 500 && part.back() == '\n'));
    parts += part;
    box.hear(make_turn(100 + count), 100 + count);
  }
  EXPECT_GT(count, 3u);
  EXPECT_EQ(parts, whole);
}

}  // namespace
}  // namespace kartei::store
