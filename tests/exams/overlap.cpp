// kartei-overlap FILE.json.gz...: what the codes of store/meaning/ lose on the vectors of exams.
// All turns and their sentences are one collection, embedded by the table that ships; each question
// asks for its 10 closest: those of an exact search, and those of the codes, scored again from the
// exact copies. Prints one JSON object.
#include <algorithm>
#include <boost/json.hpp>
#include <cstdio>
#include <numeric>
#include <set>
#include <string>

#include "store/meaning/codes.h"
#include "store/meaning/exact_copy.h"
#include "store/meaning/static_table.h"
#include "tests/exams/exam.h"

namespace kartei::exams {
namespace {

using Vector = std::vector<float>;
constexpr std::size_t kTop = 10;

struct Collection {
  std::set<Vector> seen;  // equal texts are one
  std::vector<Vector> vectors, queries;
};

std::vector<std::string> sentences_of(const std::string& text) {
  std::vector<std::string> sentences(1);
  for (std::size_t i = 0; i < text.size(); ++i) {
    sentences.back() += text[i];
    const bool ends =
        text[i] == '\n' || (std::string_view(".!?").find(text[i]) != std::string::npos &&
                            i + 1 < text.size() && text[i + 1] == ' ');
    if (ends) sentences.emplace_back();
  }
  return sentences;
}

Vector embedded(const store::StaticTable& table, const std::string& text) {
  Vector vector(table.dims());
  table.embed_into(text, vector.data());
  return vector;
}

void collect(const store::StaticTable& table, const ExamConversation& conversation,
             Collection& into) {
  const auto add = [&](const std::string& text) {
    Vector vector = embedded(table, text);
    const bool zero = std::all_of(vector.begin(), vector.end(), [](float v) { return v == 0; });
    if (!zero && into.seen.insert(vector).second) into.vectors.push_back(std::move(vector));
  };
  for (const ExamSession& session : conversation.sessions) {
    for (const ExamTurn& turn : session.turns) {
      add(turn.speaker + ": " + turn.text);
      for (const std::string& sentence : sentences_of(turn.text)) add(sentence);
    }
  }
  for (const ExamQuestion& question : conversation.questions) {
    into.queries.push_back(embedded(table, question.question));
  }
}

using Scored = std::vector<std::pair<double, std::size_t>>;

std::set<std::size_t> top_of(Scored scored) {
  const std::size_t top = std::min(kTop, scored.size());
  std::partial_sort(scored.begin(), scored.begin() + static_cast<std::ptrdiff_t>(top), scored.end(),
                    std::greater<>());
  std::set<std::size_t> keys;
  for (std::size_t i = 0; i < top; ++i) keys.insert(scored[i].second);
  return keys;
}

double dot(const Vector& a, const Vector& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

boost::json::object measure(const Collection& all) {
  store::Codes codes(all.vectors.at(0).size());
  std::vector<Bytes> copies;
  for (std::size_t i = 0; i < all.vectors.size(); ++i) {
    codes.append(static_cast<std::int64_t>(i), all.vectors[i]);
    copies.push_back(store::to_int8(all.vectors[i]));
  }
  const std::vector<std::size_t> counts = {kTop, 20, 30, 50, 100, 200};
  std::vector<double> by_copies(counts.size()), by_floats(counts.size());
  for (const Vector& query : all.queries) {
    Scored exact;
    for (std::size_t i = 0; i < all.vectors.size(); ++i) {
      exact.emplace_back(dot(query, all.vectors[i]), i);
    }
    const std::set<std::size_t> right = top_of(exact);
    const auto share = [&](const Scored& found) {
      double hits = 0;
      for (const std::size_t key : top_of(found)) hits += static_cast<double>(right.count(key));
      return hits / static_cast<double>(right.size() * all.queries.size());
    };
    for (std::size_t c = 0; c < counts.size(); ++c) {
      Scored copied, floats;
      for (const auto& hit : codes.scan(query, counts[c]).hits) {
        const auto at = static_cast<std::size_t>(hit.key);
        copied.emplace_back(store::int8_dot(copies[at], query).value_or(0), at);
        floats.push_back(exact[at]);
      }
      by_copies[c] += share(copied);
      by_floats[c] += share(floats);
    }
  }
  boost::json::object out{{"vectors", all.vectors.size()},
                          {"queries", all.queries.size()},
                          {"bytes_each", static_cast<double>(codes.memory_bytes()) /
                                             static_cast<double>(codes.size())}};
  for (std::size_t c = 0; c < counts.size(); ++c) {
    out["rescored_" + std::to_string(counts[c])] =
        boost::json::object{{"int8", by_copies[c]}, {"float", by_floats[c]}};
  }
  return out;
}

Result<boost::json::object> run(const std::filesystem::path& program,
                                const std::vector<std::filesystem::path>& files) {
  KARTEI_ASSIGN(const auto table, store::StaticTable::open(program.parent_path() /
                                                           "../share/kartei/multi256.kmodel"));
  Collection all;
  for (const auto& file : files) {
    KARTEI_ASSIGN(const auto conversations, read_exam(file));
    for (const ExamConversation& conversation : conversations) collect(*table, conversation, all);
  }
  if (all.vectors.empty() || all.queries.empty()) return bad_input("the files hold no questions");
  return measure(all);
}

}  // namespace
}  // namespace kartei::exams

int main(int argc, char** argv) {
  const std::vector<std::filesystem::path> files(argv + 1, argv + argc);
  if (files.empty()) {
    std::fputs("usage: kartei-overlap FILE.json.gz...\n", stderr);
    return 2;
  }
  const auto found = kartei::exams::run(argv[0], files);
  if (found.has_error()) {
    std::fprintf(stderr, "kartei-overlap: %s\n", found.error().what.c_str());
    return 1;
  }
  std::printf("%s\n", boost::json::serialize(*found).c_str());
  return 0;
}
