// kartei-exam: runs an exam file against a daemon of its own over the real socket. See README.md.
#include <signal.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <boost/json.hpp>
#include <chrono>
#include <cstdio>

#include "tests/exams/baseline.h"
#include "tests/exams/exam.h"
#include "tests/exams/played.h"
#include "tests/exams/score.h"
#include "tests/harness/daemon_process.h"
#include "tests/harness/json_call.h"

namespace kartei::exams {
namespace {

namespace json = boost::json;
using Clock = std::chrono::steady_clock;

struct Options {
  std::string data, karteid;
  std::size_t budget_tokens = 500;
  bool as_json = false, baseline = false;
};

double seconds_since(Clock::time_point began) {
  return std::chrono::duration<double>(Clock::now() - began).count();
}

// One line on stderr, drawn over; nothing where stderr is no terminal.
class Progress {
 public:
  Progress(std::string what, std::size_t total) : what_(std::move(what)), total_(total) {}
  ~Progress() {
    if (shown_) std::fputs("\r\033[K", stderr);
  }
  void step() {
    ++done_;
    if (::isatty(2) == 0) return;
    shown_ = true;
    const std::size_t filled = total_ == 0 ? 30 : 30 * done_ / total_;
    std::fprintf(stderr, "\r%s [%s%s] %zu/%zu", what_.c_str(), std::string(filled, '#').c_str(),
                 std::string(30 - filled, '.').c_str(), done_, total_);
  }

 private:
  std::string what_;
  std::size_t total_, done_ = 0;
  bool shown_ = false;
};

std::vector<Item> items_of(const json::object& answer) {
  std::vector<Item> items;
  for (const auto& i : answer.at("items").as_array()) {
    const auto& item = i.as_object();
    Item to{{std::string(item.at("id").as_string())}};
    if (const auto* sources = item.if_contains("sources");
        sources != nullptr && sources->is_array())
      for (std::size_t s = 0; s < std::min<std::size_t>(3, sources->get_array().size()); ++s)
        to.turns.emplace_back(sources->get_array()[s].as_string());
    items.push_back(std::move(to));
  }
  return items;
}

Result<Mark> ask(harness::UnixClient& client, const ExamQuestion& question, const std::string& box,
                 std::size_t budget_tokens, ContentWords& words) {
  json::object body{{"query", question.question}, {"budget_tokens", budget_tokens}};
  if (!question.now.empty()) body["now"] = question.now;
  const auto began = Clock::now();
  KARTEI_ASSIGN(const auto within, harness::json_call(client, "POST", "/v1/recall" + box, body));
  const double took_us = seconds_since(began) * 1e6;
  body["budget_tokens"] = 0;
  body["limit"] = 50;
  KARTEI_ASSIGN(const auto unlimited, harness::json_call(client, "POST", "/v1/recall" + box, body));
  Mark m = mark(question, items_of(within), std::string(within.at("text").as_string()),
                within.at("tokens").to_number<double>(), items_of(unlimited), words);
  m.took_us = took_us;
  return m;
}

Result<std::vector<Mark>> run_daemon(const Options& options,
                                     const std::vector<ExamConversation>& exam, Totals& totals) {
  KARTEI_ASSIGN(const auto daemon, harness::DaemonProcess::start(options.karteid, "exam"));
  auto client = daemon->client();
  ContentWords words;
  std::vector<Mark> marks;
  double storing_s = 0;
  std::size_t turns = 0;
  for (const auto& conversation : exam) {
    const std::string box = box_query(conversation);
    for (const auto& session : conversation.sessions) turns += session.turns.size();
    const auto began = Clock::now();
    KARTEI_TRY(play(client, conversation));
    storing_s += seconds_since(began);
    Progress progress(conversation.id, conversation.questions.size());
    for (const auto& question : conversation.questions) {
      KARTEI_ASSIGN(Mark m, ask(client, question, box, options.budget_tokens, words));
      marks.push_back(std::move(m));
      progress.step();
    }
  }
  totals.turns_per_s = storing_s > 0 ? static_cast<double>(turns) / storing_s : 0;
  KARTEI_ASSIGN(const auto usage, daemon->usage());
  totals.rss_mb = usage.resident_mb;
  return marks;
}

Result<std::vector<Mark>> run_baseline(const Options& options,
                                       const std::vector<ExamConversation>& exam) {
  ContentWords words;
  std::vector<Mark> marks;
  for (const auto& conversation : exam) {
    KARTEI_ASSIGN(auto baseline, Baseline::make(conversation));
    for (const auto& question : conversation.questions) {
      const auto began = Clock::now();
      KARTEI_ASSIGN(const auto answer, baseline.ask(question.question, options.budget_tokens));
      Mark m =
          mark(question, answer.within_budget, answer.text, answer.tokens, answer.unlimited, words);
      m.took_us = seconds_since(began) * 1e6;
      marks.push_back(std::move(m));
    }
  }
  return marks;
}

int run(const Options& options) {
  const auto fail = [](const Error& error) {
    std::fprintf(stderr, "kartei-exam: %s\n", error.what.c_str());
    return 1;
  };
  auto exam = read_exam(options.data);
  if (exam.has_error()) return fail(exam.error());
  Totals totals;
  totals.data = std::filesystem::path(options.data).filename().string() +
                (options.baseline ? " (baseline)" : "");
  totals.conversations = exam->size();
  auto marks = options.baseline ? run_baseline(options, *exam) : run_daemon(options, *exam, totals);
  if (marks.has_error()) return fail(marks.error());
  const bool table = !options.as_json && ::isatty(1) != 0;
  std::printf("%s\n", (table ? report_table(totals, *marks) : report_json(totals, *marks)).c_str());
  return 0;
}

}  // namespace
}  // namespace kartei::exams

int main(int argc, char** argv) {
  kartei::exams::Options options;
  std::error_code ignored;
  options.karteid =
      (std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path() / "karteid").string();
  CLI::App app{
      "Runs an exam file against a daemon of its own and prints how much of each answer it "
      "recalls."};
  app.add_option("--data", options.data, "exam file, .json or .json.gz (ours, or LongMemEval's)")
      ->required()
      ->check(CLI::ExistingFile);
  app.add_option("--budget", options.budget_tokens, "tokens that an answer may take")
      ->capture_default_str();
  app.add_flag("--json", options.as_json, "JSON also on a terminal");
  app.add_flag("--baseline", options.baseline, "plain FTS5 over whole turns instead of a daemon");
  app.add_option("--karteid", options.karteid,
                 "the daemon to start (default: beside this program)");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : 2;
  }
  return kartei::exams::run(options);
}
