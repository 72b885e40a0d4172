// kartei-observed: plays conversations for which somebody wrote cards to a daemon of its own, and
// compares its secretary's cards with these. See README.md.
#include <CLI/CLI.hpp>
#include <boost/json.hpp>
#include <cmath>
#include <cstdio>

#include "tests/exams/observed.h"
#include "tests/exams/played.h"
#include "tests/harness/daemon_process.h"
#include "tests/harness/json_call.h"

namespace kartei::exams {
namespace {

namespace json = boost::json;

// All cards of the box, closed ones too.
Result<std::vector<WrittenCard>> cards_of(harness::UnixClient& client, const std::string& box) {
  std::vector<WrittenCard> cards;
  for (std::string cursor;;) {
    const std::string page = cursor.empty() ? "" : "&cursor=" + cursor;
    KARTEI_ASSIGN(const auto answer,
                  harness::json_call(client, "GET",
                                     "/v1/cards" + box + "&state=all&limit=500" + page, nullptr));
    for (const auto& item : answer.at("items").as_array()) {
      WrittenCard card{std::string(item.at("text").as_string()), {}};
      for (const auto& source : item.at("sources").as_array())
        card.sources.emplace_back(source.as_string());
      cards.push_back(std::move(card));
    }
    if (!answer.at("cursor").is_string()) return cards;
    cursor = std::string(answer.at("cursor").as_string());
  }
}

Result<Observed> observe(const std::string& karteid, const std::vector<ExamConversation>& exam) {
  KARTEI_ASSIGN(const auto daemon, harness::DaemonProcess::start(karteid, "observed"));
  auto client = daemon->client();
  ContentWords words;
  Observed observed;
  for (const ExamConversation& conversation : exam) {
    if (conversation.observations.empty()) continue;
    const std::string box = box_query(conversation);
    if (!conversation.speakers.empty())
      KARTEI_TRY(harness::json_call(client, "PUT", "/v1/box" + box,
                                    json::object{{"owner", conversation.speakers.front()}}));
    KARTEI_TRY(play(client, conversation));
    KARTEI_ASSIGN(const auto cards, cards_of(client, box));
    compare(conversation, cards, words, observed);
  }
  if (observed.observations == 0)
    return bad_input("This file has no observations to compare with.");
  return observed;
}

// To four places.
double mean(double sum, std::size_t count) {
  return count == 0 ? 0 : std::round(1e4 * sum / static_cast<double>(count)) / 1e4;
}

int run(const std::string& data, const std::string& karteid) {
  const auto fail = [](const Error& error) {
    std::fprintf(stderr, "kartei-observed: %s\n", error.what.c_str());
    return 1;
  };
  const auto exam = read_exam(data);
  if (exam.has_error()) return fail(exam.error());
  const auto observed = observe(karteid, *exam);
  if (observed.has_error()) return fail(observed.error());
  const Observed& o = *observed;
  const json::object out{
      {"data", std::filesystem::path(data).filename().string()},
      {"turns", o.turns},
      {"observations", o.observations},
      {"coverage", mean(o.covered, o.observations)},
      {"met", mean(static_cast<double>(o.met), o.observations)},
      {"cards", o.cards},
      {"cards_a_hundred_turns", mean(100 * static_cast<double>(o.cards), o.turns)},
      {"words_a_card", mean(static_cast<double>(o.words), o.cards)},
      {"begin_with_pronoun", mean(static_cast<double>(o.pronouns), o.cards)},
      {"hold_relative_date", mean(static_cast<double>(o.relative), o.cards)}};
  std::printf("%s\n", json::serialize(out).c_str());
  return 0;
}

}  // namespace
}  // namespace kartei::exams

int main(int argc, char** argv) {
  std::string data, karteid;
  std::error_code ignored;
  karteid =
      (std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path() / "karteid").string();
  CLI::App app{
      "Plays conversations to a daemon of its own and compares its secretary's cards with those "
      "that somebody else wrote from the same turns."};
  app.add_option("--data", data, "exam file with observations, .json or .json.gz")
      ->required()
      ->check(CLI::ExistingFile);
  app.add_option("--karteid", karteid, "the daemon to start (default: beside this program)");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : 2;
  }
  return kartei::exams::run(data, karteid);
}
