#include "crypto/keyring/passphrase.h"

#include <gtest/gtest.h>

#include "tests/keyring/support.h"

namespace kartei::keyring {
namespace {

using crypto::Secret;
using crypto::SeededRandom;

Secret words(std::string_view text) {
  return Secret(as_bytes(text));
}

class Passphrase : public testing::Test {
 protected:
  PassphraseSource source(std::string_view text, bool phone = true) const {
    return {words(text), stretch_for(phone)};
  }

  SeededRandom random_{13};
  Steps steps_;
  PoorFiles files_{steps_};
};

TEST_F(Passphrase, opens_and_only_it_does) {
  auto right = source("nine green bottles"), wrong = source("nine green bottle");
  auto made = Keyring::make(files_, random_, right);
  ASSERT_TRUE(made) << made.error().what;
  EXPECT_TRUE(made->keyring.needs_passphrase());
  const auto key = made->keyring.unlock(right);
  ASSERT_TRUE(key);
  EXPECT_TRUE(same(*key, made->data_key));
  const auto refused = made->keyring.unlock(wrong);
  ASSERT_TRUE(refused.has_error());
  EXPECT_EQ(refused.error().cause, Cause::kForbidden);
  EXPECT_EQ(refused.error().what.find("nine"), std::string::npos);
}

// What it costs stands in the wrap: a device may be made a phone later.
TEST_F(Passphrase, costs_what_its_wrap_says) {
  auto made_as_phone = source("nine green bottles", true);
  auto made = Keyring::make(files_, random_, made_as_phone);
  ASSERT_TRUE(made);
  EXPECT_EQ(made->keyring.wraps()[0].stretch, (Stretch{2, 64 << 10}));
  auto as_desktop = source("nine green bottles", false);
  EXPECT_TRUE(made->keyring.unlock(as_desktop));
  ASSERT_TRUE(made->keyring.add(made->data_key, as_desktop));
  EXPECT_EQ(made->keyring.wraps()[0].stretch, (Stretch{3, 256 << 10}));
  EXPECT_TRUE(made->keyring.unlock(made_as_phone));
}

TEST_F(Passphrase, a_cost_out_of_bounds_is_not_paid) {
  Wrap wrap;
  wrap.backend = Backend::kPassphrase;
  for (const Stretch stretch : {Stretch{1, 8}, Stretch{3, 64 << 20}, Stretch{4000000, 64 << 10}}) {
    wrap.stretch = stretch;
    auto one = source("nine green bottles");
    const auto key = one.key_of(wrap);
    ASSERT_TRUE(key.has_error());
    EXPECT_EQ(key.error().cause, Cause::kCorrupt);
  }
}

TEST_F(Passphrase, a_new_one_must_be_typeable_and_not_too_short) {
  EXPECT_TRUE(check_new_passphrase(words("12345678")));
  EXPECT_TRUE(check_new_passphrase(
      words("\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc")));
  EXPECT_TRUE(check_new_passphrase(words(std::string(1024, 'x'))));
  EXPECT_FALSE(check_new_passphrase(words("")));
  EXPECT_FALSE(check_new_passphrase(words("1234567")));
  // Seven letters of two bytes each.
  EXPECT_FALSE(
      check_new_passphrase(words("\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc")));
  EXPECT_FALSE(check_new_passphrase(words(std::string(1025, 'x'))));
  EXPECT_FALSE(check_new_passphrase(words("two\nlines of it")));
  auto weak = source("short");
  const auto made = Keyring::make(files_, random_, weak);
  ASSERT_TRUE(made.has_error());
  EXPECT_EQ(made.error().cause, Cause::kBadInput);
  EXPECT_TRUE(files_.files.empty());
}

}  // namespace
}  // namespace kartei::keyring
