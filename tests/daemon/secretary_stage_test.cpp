// The stages one by one: words, sentences and clauses, kinds, people, wording, the word lists.
#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>

#include "daemon/manager/kind.h"
#include "daemon/manager/lexicon_data.h"
#include "daemon/manager/lexicon_rules.h"
#include "daemon/manager/lexicon_tables.h"
#include "daemon/manager/people.h"
#include "daemon/manager/wording.h"

namespace kartei::daemon {
namespace {

std::string joined(const Words& words, const Range& range) {
  std::string out;
  for (std::size_t i = range.begin; i < range.end; ++i)
    out += (out.empty() ? "" : " ") + words[i].text;
  return out;
}

std::vector<std::string> sentences(std::string_view text) {
  const Words words = lift_asides(lex_words(text));
  std::vector<std::string> out;
  for (const Sentence& sentence : split_sentences(words)) out.push_back(joined(words, sentence));
  return out;
}

std::vector<std::string> clauses(std::string_view text) {
  const Lexicon lexicon;
  const Words words = lift_asides(lex_words(text));
  std::vector<std::string> out;
  for (const Sentence& sentence : split_sentences(words)) {
    for (const Clause& clause : split_clauses(words, sentence, lexicon))
      out.push_back(joined(words, clause));
  }
  return out;
}

Kind kind(std::string_view text) {
  const Words words = lex_words(text);
  return kind_of(words, split_sentences(words).at(0));
}

using Strings = std::vector<std::string>;

// Of the thread, however busy the machine is.
double seconds_to_lex(const std::string& text) {
  timespec begin{}, end{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
  EXPECT_TRUE(lex_words(text).back().secret);
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
  return static_cast<double>(end.tv_sec - begin.tv_sec) +
         static_cast<double>(end.tv_nsec - begin.tv_nsec) / 1e9;
}

// 16 times the text in 16 times the time; word by word for each secret it would be 256 times.
TEST(SecretaryWords, TakeALongListOfSecretsAsFastAsAShortOne) {
  std::string some;
  for (int i = 0; i < 1500; ++i) some += "my password is Kiln-48x" + std::to_string(i) + ". ";
  some.resize(some.size() - 2);
  std::string many = some;
  for (int i = 1; i < 16; ++i) many += ". " + some;
  EXPECT_LT(seconds_to_lex(many), 64 * seconds_to_lex(some));
}

TEST(SecretaryWords, UndoContractionsAndChatSpelling) {
  const Words words = lex_words("I’m sure u dont know Sam's cat");
  EXPECT_EQ(joined(words, {0, words.size()}), "I am sure you do not know Sam cat");
  EXPECT_TRUE(words[7].possessive);
}

TEST(SecretaryWords, KeepNumbersWhole) {
  const Words words = lex_words("80/20 mix, 3.75 litres, 0800 1234567, 1:05:30, +46 8 1234");
  EXPECT_EQ(words[0].text, "80/20");
  EXPECT_EQ(words[3].text, "3.75");
  EXPECT_EQ(words[6].text, "0800");
  EXPECT_EQ(words[9].text, "1:05:30");
}

TEST(SecretaryWords, TakeAnyBytes) {
  for (const char* text :
       {"", "\xff", "\xe2\x80", "''''", "\"", "?!?!?!", "....", "\n\n\n", "a\xc3", "🙂🙂"}) {
    const Words words = lex_words(text);
    for (const Word& word : words) EXPECT_LE(word.end, std::string_view(text).size());
  }
}

TEST(SecretarySentences, SurviveChat) {
  EXPECT_EQ(sentences("Dr. Falk at 4 p.m. in Kungsstr. 8. ok!! see you"),
            (Strings{"Dr. Falk at 4 p.m. in Kungsstr. 8", "ok", "see you"}));
  EXPECT_EQ(sentences("it's 2.5 km... fine"), (Strings{"it is 2.5 km", "fine"}));
  EXPECT_EQ(sentences("a kite (mine!!) and more"), (Strings{"a kite and more", "mine"}));
  EXPECT_EQ(sentences("my sister (Lea) sings"), (Strings{"my sister , Lea , sings"}));
}

TEST(SecretarySentences, FallApartIntoClauses) {
  EXPECT_EQ(clauses("I live in Lund and my wife works at a bank, so we commute"),
            (Strings{"I live in Lund", "my wife works at a bank", "we commute"}));
  EXPECT_EQ(clauses("Olle and I sing"), (Strings{"Olle and I sing"}));
  EXPECT_EQ(clauses("I like to swim and dance"), (Strings{"I like to swim and dance"}));
  EXPECT_EQ(clauses("heads up: I moved because I hate noise"),
            (Strings{"I moved", "I hate noise"}));
}

TEST(SecretaryKinds, AreToldApart) {
  EXPECT_EQ(kind("I live in Lund"), Kind::kStatement);
  EXPECT_EQ(kind("whats the speed of sound"), Kind::kQuestion);
  EXPECT_EQ(kind("may I use this?"), Kind::kQuestion);
  EXPECT_EQ(kind("if I were taller I'd play basketball"), Kind::kHypothetical);
  EXPECT_EQ(kind("oh great, I live for mondays"), Kind::kSarcasm);
  EXPECT_EQ(kind("I just ADORE paying taxes"), Kind::kSarcasm);
  EXPECT_EQ(kind("I really love hiking"), Kind::kStatement);
  EXPECT_EQ(kind("I am a potato 😂"), Kind::kJoke);
  EXPECT_EQ(kind("my boss said I am late"), Kind::kQuote);
  EXPECT_EQ(kind("in my novel I am a knight"), Kind::kFiction);
  EXPECT_EQ(kind("my password is abc"), Kind::kSecret);
  EXPECT_EQ(kind("key AKIAIOSFODNN7EXAMPLE"), Kind::kSecret);
  // What only the guard at the door knows: a card's number, a password in an address.
  EXPECT_EQ(kind("I pay with 4111 1111 1111 1111"), Kind::kSecret);
  EXPECT_EQ(kind("our shop is postgres://ida:quv4-Teln@db.example"), Kind::kSecret);
  EXPECT_EQ(kind("x = f(y)"), Kind::kMaterial);
}

TEST(SecretaryPeople, KeepNamesakesApart) {
  People people("Nora");
  Person work;
  work.name = "Pia";
  work.qualifier = "from work";
  const auto first = people.mention(work);
  people.set_other();
  Person cousin;
  cousin.name = "Pia";
  cousin.relation = "cousin";
  cousin.kind = "family";
  cousin.of = "Nora";
  const auto second = people.mention(cousin);
  EXPECT_NE(first, second);
  EXPECT_EQ(people.at(first).display(), "Pia from work");
  EXPECT_EQ(people.at(second).display(), "Nora's cousin Pia");
  EXPECT_NE(people.at(first).key(), people.at(second).key());
  EXPECT_EQ(people.by_name("pia"), second);
}

TEST(SecretaryPeople, PronounsFollowGenderAndFocus) {
  People people("Nora");
  Person sister;
  sister.name = "Elsa";
  sister.gender = Gender::kFemale;
  Person brother;
  brother.name = "Olle";
  brother.gender = Gender::kMale;
  const auto she = people.mention(sister), he = people.mention(brother);
  EXPECT_EQ(people.by_pronoun("she"), she);
  EXPECT_EQ(people.by_pronoun("him"), he);
  EXPECT_EQ(people.by_pronoun("it"), std::nullopt);
}

TEST(SecretaryWording, RefusesWhatNoCardMaySay) {
  EXPECT_TRUE(fit_to_write("Nora lives in Lund."));
  EXPECT_TRUE(fit_to_write("Nora likes the song \"My way\"."));
  for (const char* text :
       {"She lives in Lund.", "Nora likes my cat.", "Nora left yesterday.", "Nora flies next week.",
        "I live in Lund.", "It is late today.", "", "Nora."}) {
    EXPECT_FALSE(fit_to_write(text)) << text;
  }
}

TEST(SecretaryLexicon, ListsAreSorted) {
  auto sorted = [](std::span<const std::string_view> list) {
    return std::is_sorted(list.begin(), list.end());
  };
  for (std::size_t set = 0; set < static_cast<std::size_t>(Set::kCount); ++set)
    EXPECT_TRUE(sorted(words_in(static_cast<Set>(set)))) << set;
  for (const std::span<const std::string_view> list :
       std::initializer_list<std::span<const std::string_view>>{
           data::kSarcasms, data::kSayings, data::kMaterials, data::kEmptyTails})
    EXPECT_TRUE(sorted(list));
  for (const data::RuleTopic& topic : data::kRuleTopics) EXPECT_TRUE(sorted(topic.words));
  EXPECT_TRUE(std::is_sorted(std::begin(data::kRelatives), std::end(data::kRelatives),
                             [](const Relative& a, const Relative& b) { return a.word < b.word; }));
}

TEST(SecretaryLexicon, KnowsFormsOfVerbs) {
  const Lexicon lexicon;
  EXPECT_EQ(lexicon.verb("ran")->lemma, "run");
  EXPECT_EQ(lexicon.verb("ran")->form, Form::kPast);
  EXPECT_EQ(lexicon.verb("studies")->form, Form::kThird);
  EXPECT_EQ(lexicon.verb("swimming")->lemma, "swim");
  EXPECT_EQ(lexicon.participle("eaten")->lemma, "eat");
  EXPECT_TRUE(lexicon.participle("refurbished").has_value());
  EXPECT_FALSE(lexicon.verb("table").has_value());
  EXPECT_EQ(third_person("carry"), "carries");
  EXPECT_EQ(third_person("teach"), "teaches");
  EXPECT_EQ(third_person("play"), "plays");
}

}  // namespace
}  // namespace kartei::daemon
