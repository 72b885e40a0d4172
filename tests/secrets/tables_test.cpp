// The tables have no dead entries: each row of keys and each telling word has a line in the corpus
// that it finds, and each word around one does what it is there for.
#include <gtest/gtest.h>

#include "store/secrets/plain_text.h"
#include "store/secrets/service_keys.h"
#include "store/secrets/shape.h"
#include "store/secrets/telling.h"
#include "store/secrets/words_around.h"
#include "tests/secrets/corpus.h"

namespace kartei::secrets {
namespace {

using Around = std::span<const std::string_view>;

std::string small(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = lower(c);
  return out;
}

// Each place of `word`.
template <class Take>
void each_place(std::string_view text, std::string_view word, const Take& take) {
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1))
    take(at);
}

bool is_found_by(const corpus::Secret& secret, std::size_t row) {
  const PlainText plain(secret.text);
  bool found = false;
  each_place(plain.view(), service_keys()[row].prefix, [&](std::size_t at) {
    const auto end = end_of_key(plain.view(), at, row);
    found = found || (end && plain.end_of(*end) >= secret.end);
  });
  return found;
}

bool is_found_by(const corpus::Secret& secret, const TellingWord& word) {
  const PlainText plain(secret.text);
  std::vector<Finding> findings;
  for (const std::string& spelling : spellings(word.text))
    each_place(small(plain.view()), spelling, [&](std::size_t at) {
      find_told(plain.view(), at, at + spelling.size(), word, findings);
    });
  return std::any_of(findings.begin(), findings.end(), [&](const Finding& one) {
    return plain.begin_of(one.begin) <= secret.begin && plain.end_of(one.end) >= secret.end;
  });
}

TEST(SecretTables, EachRowOfKeysFindsALineOfTheCorpus) {
  const auto corpus = corpus::secrets();
  for (std::size_t row = 0; row < service_keys().size(); ++row)
    EXPECT_TRUE(std::any_of(corpus.begin(), corpus.end(),
                            [&](const corpus::Secret& one) { return is_found_by(one, row); }))
        << service_keys()[row].prefix << service_keys()[row].form;
}

TEST(SecretTables, EachTellingWordFindsALineOfTheCorpus) {
  const auto corpus = corpus::secrets();
  for (const TellingWord& word : telling_words())
    EXPECT_TRUE(std::any_of(corpus.begin(), corpus.end(), [&](const corpus::Secret& one) {
      return is_found_by(one, word);
    })) << word.text;
}

bool finds(const std::string& text, std::string_view secret) {
  for (const Finding& one : find(text))
    if (text.substr(one.begin, one.end - one.begin) == secret) return true;
  return false;
}

// `frame` with each word in place of "@" tells `secret`, or does not; with `other` it is the other
// way round, so it is the word that matters.
void expect_each(Around words, const std::string& frame, std::string_view secret, bool tells,
                 std::string_view other = "zyx") {
  const auto with = [&](std::string_view word) {
    std::string text = frame;
    return text.replace(text.find('@'), 1, word);
  };
  EXPECT_NE(finds(with(other), secret), tells) << with(other);
  for (const std::string_view word : words) {
    EXPECT_EQ(finds(with(word), secret), tells) << with(word);
    EXPECT_EQ(std::string_view(".,;:)]}>'|*_").find(word.back()), std::string_view::npos)
        << word << ": is trimmed off before it is compared";
  }
}

TEST(SecretTables, EachWordThatTiesLeadsOrEnds) {
  expect_each(around::kCopulas, "my password @ kaffeebohne.", "kaffeebohne", true);
  expect_each(around::kFillers, "my password is @ kaffeebohne.", "kaffeebohne", true);
  expect_each(around::kGoesOn, "my password is kaffeebohne @ you know", "kaffeebohne", true);
  expect_each(around::kOwners, "@ password is kaffeebohne.", "kaffeebohne", true);
  expect_each(around::kThingsWithPins, "@ pin 4821.", "4821", true);
  expect_each(around::kBackCopulas, "Kaffee-2291 @ my password", "Kaffee-2291", true);
  expect_each(around::kBackOwners, "Kaffee-2291 is @ password", "Kaffee-2291", true);
  expect_each(around::kScriptTies, "密码@482057", "482057", true, "大");
  expect_each(around::kLogins, "note @ pass: Kaffee-2291", "Kaffee-2291", true);
}

TEST(SecretTables, EachWordThatMakesItSpeakOfSomethingElse) {
  expect_each(around::kOtherwise, "password @: Kaffee-2291", "Kaffee-2291", false);
  expect_each(around::kScriptOtherwise, "密码@是482057", "482057", false, "大");
  expect_each(around::kCode, "pin @ is 482057", "482057", false);
  expect_each(around::kLoose, "the password @ 2023", "2023", false, "is");
}

}  // namespace
}  // namespace kartei::secrets
