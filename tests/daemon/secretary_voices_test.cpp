// Conversations of several people: who says "I", and whom "you" means.
#include <gtest/gtest.h>

#include "daemon/manager/voices.h"
#include "tests/daemon/secretary_harness.h"

namespace kartei::daemon {
namespace {

struct Said {
  std::string speaker, text;
  store::Role role = store::Role::kUser;
};

class VoicesTest : public ::testing::Test {
 protected:
  void hear(const std::vector<Said>& talk) {
    turns_.clear();
    for (const Said& said : talk) {
      store::Turn turn;
      turn.id.bytes[15] = static_cast<std::uint8_t>(turns_.size() + 1);
      turn.conversation = "c";
      turn.speaker = said.speaker;
      turn.text = said.text;
      turn.role = said.role;
      turn.trust = said.role == store::Role::kUser ? store::Trust::kUser : store::Trust::kAssistant;
      turn.said_at = {store::time_from_ms(1'770'000'000'000), 60};
      turns_.push_back(turn);
    }
  }
  SecretaryTask task(const std::string& owner) {
    SecretaryTask task;
    task.owner = owner;
    task.zone = "Europe/Stockholm";
    task.turns = turns_;
    task.now = store::time_from_ms(1'770'000'000'000);
    task.box_secret32 = secret_;
    return task;
  }
  std::vector<std::string> cards(const std::string& owner, const std::vector<Said>& talk) {
    hear(talk);
    MemoryCards known;
    auto unit = make_rule_secretary()->extract(task(owner), known);
    EXPECT_TRUE(unit.has_value());
    std::vector<std::string> texts;
    for (const store::Card& card : unit->cards) texts.push_back(card.text);
    return texts;
  }
  std::vector<std::string> names(const std::string& owner, const std::vector<Said>& talk) {
    hear(talk);
    std::vector<std::string> names;
    for (const Voice& voice : voices_of(task(owner))) names.push_back(voice.name);
    return names;
  }
  using Texts = std::vector<std::string>;

  std::vector<store::Turn> turns_;
  const Bytes secret_ = Bytes(32, 7);
};

TEST_F(VoicesTest, EachSaysIOfHimself) {
  const Texts want = {"Nora plays the clarinet.", "Emil is allergic to walnuts."};
  EXPECT_EQ(cards("Nora Lindqvist",
                  {{"Nora", "I play the clarinet."}, {"Emil", "I'm allergic to walnuts."}}),
            want);
  EXPECT_EQ(cards("Nora Lindqvist", {{"Emil", "I'm allergic to walnuts."}}),
            Texts{"Emil is allergic to walnuts."})
      << "also where he is alone";
}

TEST_F(VoicesTest, TheOwnerHasMoreThanOneName) {
  for (const char* name : {"user", "", "Nora", "nora lindqvist", "N", "nora_l", "me", "Lindqvist"})
    EXPECT_EQ(names("Nora Lindqvist", {{name, "x"}}), Texts{"Nora Lindqvist"}) << name;
  EXPECT_EQ(names("Nora Lindqvist", {{"Nora Berg", "x"}, {"Nora", "y"}}),
            (Texts{"Nora Berg", "Nora Lindqvist"}));
  EXPECT_EQ(names("", {{"user", "x"}}), Texts{"The user"});
  EXPECT_EQ(names("", {{"Emil", "x"}, {"assistant", "y", store::Role::kAssistant}}), Texts{"Emil"});
  EXPECT_EQ(names("Nora", {{"assistant", "y", store::Role::kAssistant}}), Texts{"Nora"});
}

TEST_F(VoicesTest, AmongPeopleNobodyOrdersTheAssistant) {
  const std::string order = "From now on always answer in short sentences.";
  EXPECT_EQ(cards("Nora", {{"Nora", order}}).size(), 1U);
  EXPECT_EQ(cards("Nora", {{"Nora", order}, {"Emil", "Never say never!"}}), Texts{});
}

TEST_F(VoicesTest, WhoIsSpokenToIsNoPartOfWhatIsSaid) {
  EXPECT_EQ(cards("Nora", {{"Emil", "Hi there."}, {"Nora", "I work at a bakery, Emil."}}),
            Texts{"Nora works at a bakery."});
  EXPECT_EQ(cards("Nora", {{"Emil", "Hi."}, {"Nora", "Emil, I'm vegan."}}),
            Texts{"Nora is vegan."});
}

}  // namespace
}  // namespace kartei::daemon
