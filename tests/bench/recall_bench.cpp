// The store's own work, without daemon and socket: turns and cards stored in a second of processor
// time, and one recall of each kind of question. Prints one JSON object a line.
//
//   recall_bench [rows [rounds [file [kind [disk]]]]]
//
// With the built-in model, where its file lies beside the program. Half of the rows are turns, half
// cards. A box that is there already under `file` is only asked; `kind` of questions.h: only such
// questions. `disk`: what ranks a row is read from there, not from memory.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>

#include "store/box.h"
#include "store/facts_keeper.h"
#include "store/librarian.h"
#include "store/vectors.h"
#include "store/vocabulary.h"
#include "tests/bench/questions.h"
#include "tests/bench/stats.h"
#include "tests/bench/store_rows.h"

namespace {

using namespace kartei;
using namespace kartei::bench;
using namespace kartei::store;

double processor_s() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

Status make_vectors(Box& box, const Embedder& model) {
  const double began = processor_s();
  {
    KARTEI_ASSIGN(auto transaction, box.begin());
    KARTEI_TRY(box.vectors().load());
    KARTEI_TRY(box.vectors().want(model.model(), model.dims()));
    KARTEI_TRY(transaction.commit(Box::Transaction::Durability::kLazy));
  }
  std::size_t made = 0;
  for (;;) {
    KARTEI_ASSIGN(const VectorBatch batch, box.vectors().next(kRowsACommit));
    if (batch.texts.empty()) break;
    KARTEI_ASSIGN(const auto vectors, model.embed({batch.texts.begin(), batch.texts.end()}));
    KARTEI_ASSIGN(auto transaction, box.begin());
    KARTEI_TRY(box.vectors().put(batch, vectors));
    KARTEI_TRY(transaction.commit(Box::Transaction::Durability::kLazy));
    made += batch.texts.size();
  }
  if (made > 0)
    std::printf("{\"what\":\"vectors\",\"rows\":%zu,\"per_cpu_s\":%.0f}\n", made,
                static_cast<double>(made) / (processor_s() - began));
  return {};
}

Status fill(Box& box, std::uint64_t rows) {
  Drawer drawer;
  drawer.id = kDrawer;
  drawer.name = "home";
  {
    KARTEI_ASSIGN(auto transaction, box.begin());
    KARTEI_TRY(box.put_drawer(drawer));
    KARTEI_TRY(transaction.commit(Box::Transaction::Durability::kLazy));
  }
  Words words(1);
  const auto measured = [&](const char* what, auto store) -> Status {
    const double began = processor_s();
    KARTEI_TRY(store(box, words, std::uint64_t{1}, rows / 2 + 1));
    const double stored = processor_s();
    bool more = true;
    while (more) {
      KARTEI_ASSIGN(more, box.tidy());
    }
    const double tidied = processor_s();
    std::printf("{\"what\":\"%s\",\"rows\":%llu,\"stored_per_cpu_s\":%.0f,\"with_tidy\":%.0f}\n",
                what, static_cast<unsigned long long>(rows / 2),
                static_cast<double>(rows / 2) / (stored - began),
                static_cast<double>(rows / 2) / (tidied - began));
    std::fflush(stdout);
    return Status{};
  };
  KARTEI_TRY(measured("turns", store_turns));
  return measured("cards", store_cards);
}

Status ask(Box& box, const std::shared_ptr<const Embedder>& model, std::size_t rounds,
           std::string_view kind) {
  KARTEI_ASSIGN(auto librarian, Librarian::open(box));
  if (model) librarian->use_embedders({model});
  for (const AskedName& asked : kAsked) {
    if (!kind.empty() && kind != asked.name) continue;
    Words words(17);
    Samples wall, cpu;
    std::size_t items = 0;
    for (std::size_t i = 0; i < rounds; ++i) {
      RecallRequest request;
      request.query = question(words, asked.kind);
      request.now = time_from_ms(1'700'000'000'000);
      const auto began = Clock::now();
      const double cpu_began = processor_s();
      KARTEI_ASSIGN(const auto answer, librarian->recall(request));
      cpu.add((processor_s() - cpu_began) * 1e6);
      wall.add(us_since(began));
      items += answer.items.size();
    }
    std::printf(
        "{\"what\":\"recall "
        "%s\",\"cpu_p10_us\":%.0f,\"cpu_p50_us\":%.0f,\"cpu_p99_us\":%.0f,\"p50_us\":%.0f,"
        "\"p99_us\":%.0f,\"items\":%.1f}\n",
        asked.name, cpu.percentile(.1), cpu.percentile(.5), cpu.percentile(.99),
        wall.percentile(.5), wall.percentile(.99),
        static_cast<double>(items) / static_cast<double>(rounds));
    std::fflush(stdout);
  }
  return {};
}

Status load_facts(Box& box) {
  const double began = processor_s();
  KARTEI_TRY(box.facts().load());
  for (bool more = true; more;) {
    KARTEI_ASSIGN(more, read_piece_hashes(box));
  }
  std::printf("{\"what\":\"facts\",\"read_cpu_ms\":%.1f,\"bytes\":%zu}\n",
              (processor_s() - began) * 1e3, box.facts().index()->current()->bytes());
  return {};
}

Status run(std::uint64_t rows, std::size_t rounds, const std::filesystem::path& file,
           std::string_view kind, bool in_memory) {
  prepare_store();
  const bool there = std::filesystem::exists(file);
  BoxOptions options;
  options.file = file;
  KARTEI_ASSIGN(auto box, Box::open(options));
  if (!there) KARTEI_TRY(fill(*box, rows));
  const auto model = built_in_model();
  if (model) KARTEI_TRY(make_vectors(*box, *model));
  if (in_memory) KARTEI_TRY(load_facts(*box));
  return ask(*box, model, rounds, kind);
}

}  // namespace

int main(int argc, char** argv) {
  const std::uint64_t rows = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 10'000;
  const std::size_t rounds = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 300;
  char folder[] = "/tmp/kartei-recall-XXXXXX";
  std::filesystem::path file = argc > 3 ? argv[3] : "";
  if (file.empty()) {
    if (::mkdtemp(folder) == nullptr) return 1;
    file = std::filesystem::path(folder) / "box";
  }
  const Status done = run(rows, rounds, file, argc > 4 ? argv[4] : "", argc <= 5);
  std::error_code ignored;
  if (argc <= 3) std::filesystem::remove_all(folder, ignored);
  if (done.has_error()) std::fprintf(stderr, "recall_bench: %s\n", done.error().what.c_str());
  return done.has_error() ? 1 : 0;
}
