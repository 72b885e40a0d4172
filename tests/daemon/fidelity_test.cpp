// Out and in again: an import into an empty home gives the export that it came from.
#include <gtest/gtest.h>

#include <sstream>

#include "store/export.h"
#include "tests/daemon/api_support.h"

namespace kartei::daemon {
namespace {
using namespace test;
namespace json = boost::json;
using store::CardState;

// A home whose box is reached directly, on the writer.
class Home {
 public:
  explicit Home(const std::filesystem::path& home) : daemon_(home), client_(daemon_.socket()) {}

  template <class Use>
  void use(Use use) {
    std::promise<Status> done;
    daemon_.hosts().with("default", [&](Result<std::shared_ptr<BoxHost>> host) {
      done.set_value(host ? use(**host) : Status{host.error()});
    });
    const Status status = done.get_future().get();
    ASSERT_TRUE(status) << status.error().what;
  }
  std::string exported() {
    std::string out;
    use([&](BoxHost& host) -> Status {
      const BoxSettings settings = host.settings();
      KARTEI_ASSIGN(const auto exporter,
                    store::Exporter::open(host.place(), {settings.owner, settings.said_zone}));
      return exporter->run([&](std::string_view line) {
        out.append(line).push_back('\n');
        return true;
      });
    });
    return out;
  }
  json::value import(const std::string& lines) {
    const auto answer = ask(client_, "POST", "/v1/import", lines);
    EXPECT_EQ(answer.status, 200) << json::serialize(answer.body);
    return answer.body;
  }
  RawClient& client() { return client_; }

 private:
  TestDaemon daemon_;
  RawClient client_;
};

// What an import does not keep (store/README.md): the drawers' ids, and with whom they were shared.
std::string comparable(const std::string& lines) {
  std::map<std::string, std::string> drawers;
  std::istringstream in(lines);
  std::string out;
  for (std::string line; std::getline(in, line);) {
    json::object object = json::parse(line).as_object();
    if (object["kind"] == "drawer") {
      const std::string name = "drawer " + std::string(object["name"].as_string());
      drawers[std::string(object["id"].as_string())] = name;
      object["id"] = name;
      object["shared"] = false;
      object["devices"] = json::array();
    } else if (object.contains("drawer")) {
      object["drawer"] = drawers[std::string(object["drawer"].as_string())];
    }
    out += json::serialize(object) + '\n';
  }
  return out;
}

// Content of all kinds, from a seed.
class Content {
 public:
  explicit Content(std::uint64_t seed) : random_(seed) {}

  Status fill(BoxHost& host) {
    if (chance(70))
      KARTEI_TRY(host.change_settings(
          {chance(50) ? "Maya Berg" : "茶 \"M\"", chance(50) ? "Europe/Oslo" : "Asia/Tokyo", {}}));
    for (const char* name : {"home", " ", "a \"drawer\" of\nmany words", "茶"}) {
      KARTEI_ASSIGN(const auto id, host.drawer_by_name(name));
      drawers_.push_back(id);
    }
    KARTEI_ASSIGN(auto transaction, host.box().begin());
    KARTEI_TRY(host.box().apply_local(turns()));
    KARTEI_TRY(host.box().apply_local(units()));
    KARTEI_TRY(host.box().apply_local(cards_of_users()));
    KARTEI_TRY(host.box().apply_local(edits()));
    return transaction.commit(store::Box::Transaction::Durability::kLazy);
  }

 private:
  std::uint64_t below(std::uint64_t n) { return random_.next_u64() % n; }
  bool chance(std::uint64_t percent) { return below(100) < percent; }
  template <class Id>
  Id id() {
    Id out;
    random_.fill(out.bytes);
    return out;
  }
  std::string words() {
    static const std::string kAll[] = {
        "tea",      "Maya Berg",        "a \"word\" \\ and \t more", "line\nline", "\x01\x1b[1m",
        "茶を飲む", "\xF0\x9F\x8D\xB5", std::string(300, 'x'),       "é è",        "0"};
    return kAll[below(std::size(kAll))];
  }
  std::string maybe() { return chance(30) ? "" : chance(10) ? " " : words(); }
  store::Time time() {
    return store::time_from_ms(1'600'000'000'000 +
                               static_cast<std::int64_t>(below(200'000'000'000)));
  }
  store::Date date() {
    static const char* kAll[] = {"2026", "2024-02", "2024-02-29", "2026-03-10T18:05:00+02:00"};
    return chance(30) ? store::Date{} : *store::Date::parse(kAll[below(4)]);
  }
  std::vector<std::string> list(std::uint64_t most) {
    std::vector<std::string> out;
    for (std::uint64_t n = below(most + 1); n > 0; --n) out.push_back(words() + std::to_string(n));
    return out;
  }
  store::DrawerId drawer() { return drawers_[below(drawers_.size())]; }

  std::vector<store::Delta> turns() {
    std::vector<store::Delta> out;
    const store::DeviceId devices[] = {id<store::DeviceId>(), id<store::DeviceId>()};
    for (std::uint64_t n = 5 + below(20); n > 0; --n) {
      store::Turn turn;
      turn.id = id<store::TurnId>();
      // The same app on two devices may use the same id for two turns.
      turn.external_id = chance(50) ? "" : "t" + std::to_string(below(6));
      turn.conversation = chance(10) ? " " : "c" + std::to_string(below(5));
      turn.speaker = chance(10) ? " " : words();
      turn.role = static_cast<store::Role>(below(3));
      turn.trust = static_cast<store::Trust>(below(4));
      turn.text = maybe();
      turn.caption = maybe();
      turn.said_at = {time(), static_cast<std::int16_t>(static_cast<int>(below(1'600)) - 800)};
      turn.recorded_at = time();
      turn.drawer = drawer();
      turn.app = maybe();
      turn.device = devices[below(2)];
      turns_.push_back(turn);
      out.emplace_back(store::TurnHeard{turn});
    }
    return out;
  }
  store::Card card() {
    store::Card card;
    card.id = id<store::CardId>();
    card.text = maybe();
    card.colour = static_cast<store::Colour>(below(3));
    card.drawer = drawer();
    for (std::string* text : {&card.sub_domain, &card.micro_context, &card.subject, &card.relation,
                              &card.object, &card.conversation, &card.said_by, &card.app})
      *text = maybe();
    card.valid_from = date();
    card.valid_to = date();
    card.recorded_at = time();
    for (std::uint64_t n = below(3); n > 0; --n)
      card.sources.push_back(chance(80) ? turns_[below(turns_.size())].id : id<store::TurnId>());
    card.trust = static_cast<store::Trust>(below(4));
    card.device = id<store::DeviceId>();
    card.importance = static_cast<double>(below(1001)) / 1000;
    card.flags = static_cast<std::uint32_t>(below(8));
    card.tags = list(20);
    const bool many = chance(10);  // more, and longer, than one edit brings
    card.annotations = list(many ? 300 : 3);
    for (std::string& note : card.annotations)
      if (many) note += std::string(300, 'y');
    card.state = static_cast<CardState>(below(5));
    cards_.push_back(card);
    return card;
  }
  std::vector<store::Delta> units() {
    std::vector<store::Delta> out;
    for (const store::Turn& turn : turns_) {
      if (chance(30)) continue;  // unread
      store::UnitFiled unit;
      unit.drawer = turn.drawer;
      unit.sources = {turn.id};
      for (std::uint64_t n = below(3); n > 0; --n) {
        unit.cards.push_back(card());
        unit.cards.back().drawer = turn.drawer;
        cards_.back().drawer = turn.drawer;
      }
      if (!cards_.empty() && chance(40)) {
        const store::Card& old = cards_[below(cards_.size())];
        store::CardClose close{old.id,  old.sources, store::card_key(old), date(), {},
                               maybe(), time()};
        if (chance(50) && !unit.cards.empty()) close.replaced_by = unit.cards.front().id;
        unit.closes.push_back(close);
      }
      unit.unit = store::derive_unit_id(unit);
      out.emplace_back(unit);
    }
    return out;
  }
  store::CardEdited edit_of(const store::Card& card, store::EditKind kind) {
    store::CardEdited edit;
    edit.edit = id<store::EditId>();
    edit.kind = kind;
    edit.drawer = card.drawer;
    edit.target = card.id;
    edit.at = time();
    return edit;
  }
  std::vector<store::Delta> cards_of_users() {
    std::vector<store::Delta> out;
    for (std::uint64_t n = 3 + below(12); n > 0; --n) {
      store::Card one = card();
      one.user_made = chance(70);
      one.times_used = static_cast<std::uint32_t>(below(5));
      if (one.times_used != 0) one.last_used = time();
      store::CardEdited add = edit_of(one, store::EditKind::kAdd);
      add.target = {};
      add.card = one;
      out.emplace_back(add);
    }
    return out;
  }
  std::vector<store::Delta> edits() {
    using store::EditKind;
    static constexpr EditKind kKinds[] = {
        EditKind::kReplace,    EditKind::kClose,   EditKind::kFlags,      EditKind::kAnnotate,
        EditKind::kImportance, EditKind::kArchive, EditKind::kReactivate, EditKind::kApprove,
        EditKind::kEraseCard,  EditKind::kFade};
    std::vector<store::Delta> out;
    for (std::uint64_t n = 5 + below(25); n > 0; --n) {
      const store::Card target = cards_[below(cards_.size())];
      store::CardEdited edit = edit_of(target, kKinds[below(std::size(kKinds))]);
      edit.target_sources = target.sources;
      edit.target_key = store::card_key(target);
      edit.note = maybe();
      edit.valid_to = date();
      edit.flags = static_cast<std::uint32_t>(below(8));
      edit.importance = 0.25;
      if (edit.kind == EditKind::kReplace) {
        edit.card = card();
        edit.card->drawer = cards_.back().drawer = target.drawer;
        edit.card->user_made = true;
      } else if (edit.kind != EditKind::kEraseCard && chance(50)) {
        edit.card = target;
      }
      out.emplace_back(edit);
    }
    for (const store::Card& used : cards_)
      if (chance(20))
        out.emplace_back(store::UsageCounted{id<store::EditId>(), used.drawer, used.id, 3, time()});
    return out;
  }

  crypto::SeededRandom random_;
  std::vector<store::DrawerId> drawers_;
  std::vector<store::Turn> turns_;
  std::vector<store::Card> cards_;
};

// One line in one box and not in the other says more than two long texts.
void expect_equal(const std::string& a, const std::string& b, std::uint64_t seed) {
  if (a == b) return;
  std::istringstream in_a(a), in_b(b);
  std::string line_a, line_b;
  for (int n = 1;; ++n) {
    const bool more_a = static_cast<bool>(std::getline(in_a, line_a));
    const bool more_b = static_cast<bool>(std::getline(in_b, line_b));
    if (!more_a) line_a.clear();
    if (!more_b) line_b.clear();
    if (line_a == line_b && more_a && more_b) continue;
    std::size_t at = 0;
    while (at < line_a.size() && at < line_b.size() && line_a[at] == line_b[at]) ++at;
    const std::size_t from = at < 60 ? 0 : at - 60;
    ADD_FAILURE() << "seed " << seed << ", line " << n << "\nwas ..." << line_a.substr(from, 200)
                  << "\nis  ..." << line_b.substr(from, 200);
    return;
  }
}

TEST(Fidelity, AnImportGivesTheExportThatItCameFrom) {
  for (std::uint64_t seed = 1; seed <= 15; ++seed) {
    TempFolder folder;
    std::string first;
    {
      Home home(folder.path() / "a");
      home.use([&](BoxHost& host) { return Content(seed).fill(host); });
      first = home.exported();
    }
    Home other(folder.path() / "b");
    other.import(first);
    const std::string second = other.exported();
    expect_equal(comparable(first), comparable(second), seed);
    const auto again = other.import(first);  // and once is enough
    EXPECT_EQ(again.at("cards"), 0) << seed;
    EXPECT_EQ(again.at("turns"), 0) << seed;
    expect_equal(second, other.exported(), seed);
  }
}

TEST(Fidelity, AnOwnerThatIsThereStays) {
  TempFolder folder;
  Home home(folder.path() / "home");
  ask(home.client(), "PUT", "/v1/box", R"({"owner":"Sam Berg"})");
  home.import(R"({"kind":"box","format":2,"owner":"Maya Berg","zone":"Europe/Oslo"})"
              "\n");
  EXPECT_EQ(ask(home.client(), "GET", "/v1/box").body.at("owner"), "Sam Berg");
}

// A box line says what its format is; only a higher one is a newer Kartei's.
TEST(Fidelity, TheFormatIsToldTruly) {
  TempFolder folder;
  Home home(folder.path() / "home");
  const auto said = [&](const std::string& line) {
    const auto answer = ask(home.client(), "POST", "/v1/import", line);
    return std::to_string(answer.status) + " " + std::string(answer.body.at("detail").as_string());
  };
  EXPECT_NE(said(R"({"kind":"box"})").find("`format` is missing"), std::string::npos);
  EXPECT_TRUE(said(R"({"kind":"box"})").starts_with("400"));
  EXPECT_NE(said(R"({"kind":"box","format":3})").find("newer Kartei"), std::string::npos);
  EXPECT_TRUE(said(R"({"kind":"box","format":0})").starts_with("400"));
}

// What waits for approval in one box does not come out of the other as said by its owner.
TEST(Fidelity, WhatWaitsForApprovalStillDoes) {
  TempFolder folder;
  Home home(folder.path() / "home");
  const std::string id(32, '1');
  home.import(
      R"({"kind":"box","format":2})"
      "\n"
      R"({"kind":"drawer","id":"dddddddddddddddddddddddddddddddd","name":"home"})"
      "\n"
      R"({"kind":"card","id":")" +
      id +
      R"(","text":"Sam's door code is 12.","drawer":"dddddddddddddddddddddddddddddddd","trust":)"
      R"("web_page","state":"quarantined","user_made":false})"
      "\n");
  const auto card = ask(home.client(), "GET", "/v1/cards/" + id).body;
  EXPECT_EQ(card.at("state"), "quarantined");
  EXPECT_EQ(card.at("trust"), "web_page");
}

// ---- erasing what was moved

class MovedTest : public ::testing::Test {
 protected:
  std::string call(const std::string& method, const std::string& target,
                   const std::string& body = {}) {
    const auto answer = ask(home_.client(), method, target, body);
    EXPECT_LT(answer.status, 300) << json::serialize(answer.body);
    const auto* id = answer.body.as_object().if_contains("id");
    return id == nullptr ? "" : std::string(id->as_string());
  }
  std::string move(const std::string& id, const std::string& to) {
    return call("PATCH", "/v1/cards/" + id, R"({"drawer":")" + to + "\"}");
  }
  std::size_t cards() {
    return ask(home_.client(), "GET", "/v1/cards?state=all").body.at("items").as_array().size();
  }
  TempFolder folder_;
  Home home_{folder_.path() / "home"};
};

TEST_F(MovedTest, ErasingACardErasesWhatItWasElsewhere) {
  const auto first = call("POST", "/v1/cards", R"({"text":"Sam likes tea.","drawer":"home"})");
  call("POST", "/v1/cards", R"({"text":"Sam likes tea.","drawer":"home"})");  // another card
  const auto second = move(first, "kitchen"), third = move(second, "home");
  EXPECT_EQ(cards(), 4U);
  call("DELETE", "/v1/cards/" + third);
  EXPECT_EQ(cards(), 1U);
}

TEST_F(MovedTest, ErasingWhatItWasErasesTheCard) {
  const auto first = call("POST", "/v1/cards", R"({"text":"Sam likes tea.","drawer":"home"})");
  const auto second = move(first, "kitchen");
  move(second, "garden");
  call("DELETE", "/v1/cards/" + first);
  EXPECT_EQ(cards(), 0U);
}

TEST_F(MovedTest, ACopyErasedElsewhereTakesItsOriginalAlong) {
  const auto first = call("POST", "/v1/cards", R"({"text":"Sam likes tea.","drawer":"home"})");
  const auto second = move(first, "kitchen");
  home_.use([&](BoxHost& host) -> Status {  // as another device would: the copy alone
    KARTEI_ASSIGN(const auto card, host.box().card(*store::CardId::from_text(second)));
    store::CardEdited erase;
    erase.kind = store::EditKind::kEraseCard;
    erase.drawer = card->drawer;
    erase.target = card->id;
    KARTEI_TRY(host.engine().edit(erase, host.now()));
    host.settle();
    return {};
  });
  EXPECT_TRUE(eventually([&] { return cards() == 0; }));
}

TEST_F(MovedTest, AMovedCardIsWhatItWas) {
  const auto first = call("POST", "/v1/cards", R"({"text":"Sam likes tea.","drawer":"home"})");
  call("POST", "/v1/cards/" + first + "/close", R"({"why":"coffee now","valid_to":"2026-03"})");
  const auto was = ask(home_.client(), "GET", "/v1/cards/" + first).body.as_object();
  const auto is =
      ask(home_.client(), "GET", "/v1/cards/" + move(first, "kitchen")).body.as_object();
  for (const char* field : {"text", "state", "closed_at", "why_closed", "valid_to", "recorded_at"})
    EXPECT_EQ(was.at(field), is.at(field)) << field;
}

}  // namespace
}  // namespace kartei::daemon
