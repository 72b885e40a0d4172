// Keys of endpoints, kept sealed; how the configuration names them, and what its errors do not
// show.
#include "daemon/kept_keys.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "daemon/circuit_breaker.h"
#include "daemon/config.h"
#include "tests/daemon/support.h"

namespace kartei::daemon {
namespace {
using namespace test;

class KeptKeys : public ::testing::Test {
 protected:
  crypto::Secret secret(std::string_view text) { return crypto::Secret(as_bytes(text)); }

  TempFolder folder_;
  crypto::SystemRandom random_;
  crypto::Secret data_key_ = crypto::Secret::random(32, random_);
};

TEST_F(KeptKeys, OpenWithTheDataKeyAlone) {
  const auto home = folder_.path();
  ASSERT_TRUE(keep_key(home, "mine", secret("sk-of-mine"), &data_key_, random_));
  const auto read = read_kept_key(home, "mine", &data_key_);
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(as_text(read->view()), "sk-of-mine");
  const crypto::Secret other = crypto::Secret::random(32, random_);
  EXPECT_EQ(read_kept_key(home, "mine", &other).error().cause, Cause::kCorrupt);
  EXPECT_EQ(read_kept_key(home, "mine", nullptr).error().cause, Cause::kLocked);
  EXPECT_EQ(read_kept_key(home, "yours", &data_key_).error().cause, Cause::kNotFound);
  std::ifstream file(home / "keys" / "mine", std::ios::binary);
  std::stringstream bytes;
  bytes << file.rdbuf();
  EXPECT_EQ(bytes.str().find("of-mine"), std::string::npos);
  // Under another name it is not the one that was given.
  std::filesystem::copy(home / "keys" / "mine", home / "keys" / "yours");
  EXPECT_EQ(read_kept_key(home, "yours", &data_key_).error().cause, Cause::kCorrupt);
}

TEST_F(KeptKeys, AreListedReplacedAndDropped) {
  const auto home = folder_.path();
  EXPECT_TRUE(kept_keys(home).empty());
  ASSERT_TRUE(keep_key(home, "b", secret("1"), &data_key_, random_));
  ASSERT_TRUE(keep_key(home, "a", secret("1"), &data_key_, random_));
  ASSERT_TRUE(keep_key(home, "a", secret("2"), &data_key_, random_));
  EXPECT_EQ(kept_keys(home), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(as_text(read_kept_key(home, "a", &data_key_)->view()), "2");
  ASSERT_TRUE(drop_kept_key(home, "a"));
  EXPECT_EQ(drop_kept_key(home, "a").error().cause, Cause::kNotFound);
  EXPECT_EQ(kept_keys(home), std::vector<std::string>{"b"});
  for (const char* name : {"", "../keyring", "a/b", ".a", "a b", "\xc3\xa4"}) {
    EXPECT_TRUE(keep_key(home, name, secret("1"), &data_key_, random_).has_error()) << name;
    EXPECT_TRUE(read_kept_key(home, name, &data_key_).has_error()) << name;
    EXPECT_TRUE(drop_kept_key(home, name).has_error()) << name;
  }
}

TEST(ModelConfig, IsRead) {
  const auto config = parse_config(R"([secretary]
base_url = "https://models.example/v1"
model = "tiny"
key = "keyring:mine"
tokens_per_day = 5000
timeout_s = 20
drawers = ["home", "club/home"]
ca_file = "/ca.pem"
unix_socket = "/run/model"
)",
                                   "f");
  ASSERT_TRUE(config.has_value());
  const ModelConfig& model = config->secretary;
  EXPECT_EQ(model.base_url, "https://models.example/v1");
  EXPECT_EQ(model.model, "tiny");
  EXPECT_EQ(model.key, "keyring:mine");
  EXPECT_EQ(model.tokens_per_day, 5000);
  EXPECT_EQ(model.timeout_s, 20);
  EXPECT_EQ(model.drawers, (std::vector<std::string>{"home", "club/home"}));
  EXPECT_EQ(model.ca_file, "/ca.pem");
  EXPECT_EQ(model.unix_socket, "/run/model");
  EXPECT_TRUE(parse_config("", "f")->secretary.base_url.empty());
}

TEST(ModelConfig, AKeyThatStandsThereIsRefusedAndNotShown) {
  for (const char* key : {"sk-live-4711", "env:", "keyring:", "file:sk-live-4711"}) {
    const auto config =
        parse_config("[secretary]\nbase_url = \"http://127.0.0.1/v1\"\nmodel = \"m\"\nkey = \"" +
                         std::string(key) + "\"\n",
                     "f");
    ASSERT_TRUE(config.has_error()) << key;
    EXPECT_NE(config.error().what.find("`key`"), std::string::npos);
    EXPECT_EQ(config.error().what.find("4711"), std::string::npos) << config.error().what;
  }
}

TEST(ModelConfig, WhatCannotBeIsRefused) {
  for (const char* line : {"base_url = \"http://x/v1\"", "model = \"m\"", "timeout_s = 0",
                           "timeout_s = 601", "tokens_per_day = -1", "drawers = \"home\"",
                           "drawers = [\"\"]", "drawers = [1]", "temperature = 1", "key = 7"})
    EXPECT_TRUE(parse_config("[secretary]\n" + std::string(line) + "\n", "f").has_error()) << line;
  EXPECT_TRUE(parse_config("secretary = 1\n", "f").has_error());
}

TEST(CircuitBreakerRules, OthersThanTheUsual) {
  CircuitBreaker breaker(CircuitBreaker::Rules{1, 10'000, 15'000});
  breaker.failed(0);
  EXPECT_FALSE(breaker.lets_through());
  EXPECT_EQ(breaker.next_try_ms(), 10'000);
  EXPECT_FALSE(breaker.take_try(9'999));
  ASSERT_TRUE(breaker.take_try(10'000));
  breaker.tried(false, 10'000);
  EXPECT_EQ(breaker.next_try_ms(), 25'000) << "twice as long, but no longer than that";
  ASSERT_TRUE(breaker.take_try(25'000));
  breaker.tried(true, 25'000);
  breaker.failed(25'000);
  EXPECT_FALSE(breaker.lets_through()) << "the rules stay after a success";
  EXPECT_EQ(breaker.next_try_ms(), 35'000);
}

}  // namespace
}  // namespace kartei::daemon
