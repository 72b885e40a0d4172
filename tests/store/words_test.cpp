#include "store/words.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "crypto/utf8.h"
#include "store/indexer.h"
#include "store/names.h"
#include "store/question.h"

namespace kartei::store {
namespace {

std::vector<std::string> folded(std::string_view text) {
  std::vector<std::string> out;
  for (const Word& word : words_of(text, 1000)) out.push_back(word.folded);
  return out;
}
using List = std::vector<std::string>;

TEST(Words, AreFoldedInEveryScriptWithCase) {
  EXPECT_EQ(folded("Größe Żółć ÉCOLE naïve"), (List{"grosse", "zolc", "ecole", "naive"}));
  EXPECT_EQ(folded("МОСКВА Ёлка"), (List{"москва", "елка"}));
  EXPECT_EQ(folded("ΑΘΗΝΑ Αθήνα"), (List{"αθηνα", "αθηνα"}));
  EXPECT_EQ(folded("e\u0301cole"), (List{"ecole"}));           // decomposed
  EXPECT_EQ(folded("ＡＢＣ１"), (List{"abc1"}));               // full width
  EXPECT_EQ(folded("مَكْتَبَة مكتبه"), (List{"مكتبه", "مكتبه"}));  // vowel signs, ta marbuta
}

TEST(Words, LoseWhatStandsBehindAnApostrophe) {
  EXPECT_EQ(folded("Maya's dog didn’t bark"), (List{"maya", "dog", "didn", "bark"}));
  EXPECT_EQ(folded("l'école"), (List{"l", "ecole"}));
}

TEST(Words, OfScriptsWithoutSpacesAreCharactersAndPairs) {
  EXPECT_EQ(folded("图书馆"), (List{"图", "图书", "书", "书馆", "馆"}));
  EXPECT_EQ(folded("도서 관"), (List{"도", "도서", "서", "관"}));
  EXPECT_EQ(folded("クルミ"), folded("くるみ"));
  EXPECT_EQ(folded("Maya住在Leipzig"), (List{"maya", "住", "住在", "在", "leipzig"}));
}

TEST(Words, TellWhereTheyStand) {
  const std::string text = "Zoë lives.";
  const auto words = words_of(text, 10);
  ASSERT_EQ(words.size(), 2U);
  EXPECT_EQ(text.substr(words[0].begin, words[0].end - words[0].begin), "Zoë");
  EXPECT_TRUE(words[0].capital);
  EXPECT_FALSE(words[1].capital);
}

TEST(Words, TheirTongueIsGuessedFromFunctionWords) {
  const auto guess = [](std::string_view text) { return guess_language(words_of(text, 100)); };
  EXPECT_EQ(guess("Where does she live now?"), Language::kEnglish);
  EXPECT_EQ(guess("Wo wohnt sie jetzt und warum?"), Language::kGerman);
  EXPECT_EQ(guess("¿Dónde está el perro de mi hermana?"), Language::kSpanish);
  EXPECT_EQ(guess("Où est le chien de ma sœur ?"), Language::kFrench);
  EXPECT_EQ(guess("Maya Leipzig"), Language::kEnglish);
}

TEST(Stemmer, JoinsTheFormsOfAWord) {
  Stemmer stemmer;
  const auto en = [&](std::string_view word) { return stemmer.stem(word, Language::kEnglish); };
  EXPECT_EQ(en("libraries"), en("library"));
  EXPECT_EQ(en("went"), en("going"));
  EXPECT_EQ(en("bought"), en("buying"));
  EXPECT_EQ(stemmer.stem("katzen", Language::kGerman), stemmer.stem("katze", Language::kGerman));
  // The script decides where the tongue of the text does not.
  EXPECT_EQ(stemmer.stem("библиотеке", Language::kEnglish),
            stemmer.stem("библиотека", Language::kEnglish));
  EXPECT_EQ(en("2025"), "2025");
}

TEST(Names, AreCapitalisedWordsThatAreNoFunctionWords) {
  List names;
  for (const NamedWord& name : names_in("The dog of Maya Berg met Zoë in Köln. She slept.", 20))
    names.push_back(name.folded);
  EXPECT_EQ(names, (List{"maya", "berg", "zoe", "koln"}));
  const auto opening = names_in("Yesterday Maya called.", 5);
  ASSERT_EQ(opening.size(), 2U);
  EXPECT_TRUE(opening[0].opens_sentence);
  EXPECT_FALSE(opening[1].opens_sentence);
}

TEST(Question, DropsFunctionWordsUnlessThereIsNothingElse) {
  Stemmer stemmer;
  const auto terms = [&](std::string_view query) {
    List out;
    for (const QuestionTerm& term : read_question(query, nullptr, stemmer).terms)
      out.push_back(term.word);
    return out;
  };
  EXPECT_EQ(terms("Where does Maya live now?"), (List{"maya", "live"}));
  EXPECT_EQ(terms("Wo wohnt Maya?"), (List{"wohnt", "maya"}));
  EXPECT_EQ(terms("Who am I?"), (List{"who", "am", "i"}));
  EXPECT_EQ(terms("图书馆"), (List{"图书", "书馆"}));  // pairs alone
  EXPECT_EQ(terms("猫"), (List{"猫"}));
}

// In each tongue that has a list: what is left is what the question is about.
TEST(Question, FunctionWordsOfEachTongueAreDropped) {
  const std::pair<const char*, List> kQuestions[] = {
      {"Where is my red bicycle?", {"red", "bicycle"}},
      {"Wo ist denn mein rotes Fahrrad?", {"rotes", "fahrrad"}},
      {"¿Dónde está mi bicicleta roja?", {"bicicleta", "roja"}},
      {"Où est mon vélo rouge ?", {"velo", "rouge"}},
      {"Dove è la mia bicicletta rossa?", {"bicicletta", "rossa"}},
      {"Onde está a minha bicicleta vermelha?", {"bicicleta", "vermelha"}},
      {"Waar is mijn rode fiets?", {"rode", "fiets"}},
      {"Gdzie jest mój czerwony rower?", {"czerwony", "rower"}},
      {"Kde je moje červené kolo?", {"cervene", "kolo"}},
      {"Где мой красный велосипед?", {"красный", "велосипед"}},
      {"私の自転車はどこ?", {"私の", "の自", "自転", "転車", "車は", "はど"}},
      {"我的自行车在哪里?", {"的自", "自行", "行车", "车在"}},
      {"내 자전거", {"내", "자전", "전거"}}};
  Stemmer stemmer;
  for (const auto& [query, expected] : kQuestions) {
    List terms;
    for (const QuestionTerm& term : read_question(query, nullptr, stemmer).terms)
      terms.push_back(term.word);
    EXPECT_EQ(terms, expected) << query;
  }
}

// Scripts without spaces: pairs that ask, point or join go; what is asked for stays.
TEST(Question, FunctionPairsAreDropped) {
  Stemmer stemmer;
  struct Case {
    const char* query;
    List gone, stays;
  };
  const Case kCases[] = {
      {"我的自行车在哪里？", {"我的", "哪里"}, {"自行", "行车"}},
      {"我的腳踏車在哪裡？", {"我的", "哪裡"}, {"腳踏", "踏車"}},
      {"自転車はどこですか？", {"どこ", "です", "すか"}, {"自転", "転車"}},
      {"자전거는 어디에 있습니까?", {"어디", "습니", "니까"}, {"자전", "전거"}},
  };
  for (const Case& one : kCases) {
    List words;
    for (const QuestionTerm& term : read_question(one.query, nullptr, stemmer).terms)
      words.push_back(term.word);
    for (const std::string& word : one.gone)
      EXPECT_EQ(std::count(words.begin(), words.end(), word), 0) << one.query << ' ' << word;
    for (const std::string& word : one.stays)
      EXPECT_EQ(std::count(words.begin(), words.end(), word), 1) << one.query << ' ' << word;
    EXPECT_FALSE(read_question(one.query, nullptr, stemmer).small_talk) << one.query;
  }
  for (const char* question : {"这个是什么", "これは何ですか", "누구입니까?"}) {
    EXPECT_FALSE(read_question(question, nullptr, stemmer).terms.empty()) << question;
    EXPECT_FALSE(read_question(question, nullptr, stemmer).small_talk) << question;
  }
  for (const char* greeting :
       {"谢谢！", "你好。", "ありがとうございます!", "おやすみ", "감사합니다.", "안녕"})
    EXPECT_TRUE(read_question(greeting, nullptr, stemmer).small_talk) << greeting;
}

TEST(Question, SmallTalkAsksForNothing) {
  Stemmer stemmer;
  for (const char* talk : {"thanks!", "ok", "Thank you so much!", "hi there", "Good morning",
                           "danke", "", "?!", "lol"})
    EXPECT_TRUE(read_question(talk, nullptr, stemmer).small_talk) << talk;
  for (const char* question :
       {"Who am I?", "coffee", "Where is my good coat?", "thanks, and Maya?"})
    EXPECT_FALSE(read_question(question, nullptr, stemmer).small_talk) << question;
}

TEST(Question, KnowsWhenThePastIsMeant) {
  Stemmer stemmer;
  const auto past = [&](std::string_view q) { return read_question(q, nullptr, stemmer).past; };
  EXPECT_TRUE(past("Where did Maya live before?"));
  EXPECT_TRUE(past("Where did Maya live?"));
  EXPECT_TRUE(past("What car did she used to drive?"));
  EXPECT_TRUE(past("Wo hat Maya früher gewohnt?"));
  EXPECT_FALSE(past("Where does Maya live?"));
  EXPECT_FALSE(past("What did Maya buy?"));
}

TEST(Question, ReadsMonthsAndYears) {
  Stemmer stemmer;
  const Question question = read_question("What happened in May 2023?", nullptr, stemmer);
  EXPECT_EQ(question.months, std::vector<int>{5});
  EXPECT_EQ(question.years, std::vector<int>{2023});
  EXPECT_TRUE(read_question("may I ask", nullptr, stemmer).months.empty());
}

TEST(Indexer, TokensHoldNoSigns) {
  Indexer indexer;
  const Indexed indexed = indexer.turn("Maya \"x\" OR", "a* NEAR(b) -c ^d {e}:f \\ ' \" \0 g", "");
  for (const char c : indexed.tokens) {
    const auto byte = static_cast<unsigned char>(c);
    EXPECT_TRUE(c == ' ' || byte >= 0x80 || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z')) << c;
  }
}

TEST(Indexer, NamesCannotBeForgedByText) {
  Indexer indexer;
  const std::string forged = std::string(kSubjectMark) + "maya";
  const Indexed indexed = indexer.card(forged, "", "Tomasz", "", "");
  EXPECT_EQ(BagView(indexed.bag).times(token_hash(forged)), 0U);
  EXPECT_EQ(BagView(indexed.bag).times(token_hash("maya")), 1U);
}

TEST(Indexer, BagsCountAndSurviveDamage) {
  Indexer indexer;
  const Indexed indexed = indexer.turn("Maya", "tea tea coffee", "");
  EXPECT_EQ(BagView(indexed.bag).times(token_hash("tea")), 2U);
  EXPECT_EQ(BagView(indexed.bag).times(token_hash("milk")), 0U);
  EXPECT_EQ(indexed.length, 4U);  // the speaker's name with them
  const Bytes cut(indexed.bag.begin(), indexed.bag.end() - 1);
  EXPECT_EQ(BagView(cut).times(token_hash("tea")), 0U);
}

RC_GTEST_PROP(Words, AnyBytesAreAcceptedAndStayInBounds, (const std::string& bytes)) {
  std::size_t last = 0;
  for (const Word& word : words_of(bytes, 100'000)) {
    RC_ASSERT(word.begin < word.end);
    RC_ASSERT(word.end <= bytes.size());
    RC_ASSERT(word.end >= last);
    RC_ASSERT(!word.folded.empty());
    RC_ASSERT(word.folded.size() <= kWordBytesMax);
    RC_ASSERT(word.folded.find_first_of("\"' \n\\*") == std::string::npos);
    last = word.begin;
  }
}

TEST(Utf8, BytesThatDoNotFitAreOneCodePointEach) {
  const std::string bad = "\xC3(\xE2\x82\xF0\x9F\x98\xED\xA0\x80\xC0\xAF\xFF";
  std::size_t at = 0;
  while (at < bad.size()) {
    const std::size_t before = at;
    const char32_t c = next_code_point(bad, at);
    EXPECT_TRUE(c == '(' || c == kReplacement);
    EXPECT_EQ(at, before + 1);
  }
  EXPECT_EQ(utf8_prefix("aé", 2), "a");
}

}  // namespace
}  // namespace kartei::store
