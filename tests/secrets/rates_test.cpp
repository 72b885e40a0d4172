// Recall and precision on the corpus, by kind: the figures of store/secrets/README.md.
#include <gtest/gtest.h>

#include <cstdio>
#include <map>

#include "tests/secrets/corpus.h"

namespace kartei::secrets {
namespace {

struct Rate {
  std::size_t right = 0, all = 0;
  double share() const {
    return all == 0 ? 1 : static_cast<double>(right) / static_cast<double>(all);
  }
};
using Rates = std::map<std::string, Rate>;

// Found: one finding covers it.
bool is_found(const corpus::Secret& secret) {
  for (const Finding& one : find(secret.text))
    if (one.begin <= secret.begin && one.end >= secret.end) return true;
  return false;
}

Rate print(const char* title, const Rates& rates) {
  Rate all;
  std::printf("%s\n", title);
  for (const auto& [group, rate] : rates) {
    std::printf("  %-28s %4zu of %4zu  %.3f\n", group.c_str(), rate.right, rate.all, rate.share());
    all.right += rate.right;
    all.all += rate.all;
  }
  std::printf("  %-28s %4zu of %4zu  %.3f\n", "all", all.right, all.all, all.share());
  return all;
}

Rate measure(const std::vector<corpus::Secret>& secrets, const char* title) {
  Rates rates;
  for (const corpus::Secret& secret : secrets) {
    Rate& rate = rates[secret.group];
    ++rate.all;
    if (is_found(secret))
      ++rate.right;
    else
      std::printf("missed (%s): %s\n", secret.group.c_str(), secret.text.c_str());
  }
  return print(title, rates);
}

Rate measure(const std::vector<corpus::Harmless>& texts, const char* title) {
  Rates rates;
  for (const corpus::Harmless& one : texts) {
    Rate& rate = rates[one.group];
    ++rate.all;
    const auto found = find(one.text);
    rate.right += found.empty() ? 1 : 0;
    for (const Finding& wrong : found)
      std::printf("wrongly (%s as %s): %s\n", one.group.c_str(), wrong.what, one.text.c_str());
  }
  return print(title, rates);
}

double precision(const Rate& secrets, const Rate& harmless) {
  const auto wrong = static_cast<double>(harmless.all - harmless.right);
  const auto right = static_cast<double>(secrets.right);
  return right / (right + wrong);
}

TEST(SecretRates, Corpus) {
  const Rate found = measure(corpus::secrets(), "found");
  const Rate passed = measure(corpus::harmless(), "passed");
  std::printf("precision %.4f\n", precision(found, passed));
  EXPECT_EQ(found.right, 636U);
  EXPECT_EQ(found.all, 636U);
  EXPECT_EQ(passed.right, 1'609U);
  EXPECT_EQ(passed.all, 1'609U);
}

TEST(SecretRates, HeldOut) {
  const Rate found = measure(corpus::held_out_secrets(), "found, held out");
  const Rate passed = measure(corpus::held_out_harmless(), "passed, held out");
  std::printf("precision %.4f\n", precision(found, passed));
  EXPECT_EQ(found.right, 117U);
  EXPECT_EQ(found.all, 124U);
  EXPECT_EQ(passed.right, 166U);
  EXPECT_EQ(passed.all, 166U);
}

}  // namespace
}  // namespace kartei::secrets
