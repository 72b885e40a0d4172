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
#include "store/meaning/static_table.h"
#include "store/vectors.h"
#include "store/vocabulary.h"
#include "tests/bench/questions.h"
#include "tests/bench/stats.h"

namespace {

using namespace kartei;
using namespace kartei::bench;
using namespace kartei::store;

constexpr std::size_t kRowsACommit = 64;

double processor_s() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

template <class IdType>
IdType id_number(std::uint64_t number) {
  IdType id;
  for (std::size_t i = 0; i < 8; ++i) id.bytes[15 - i] = static_cast<std::uint8_t>(number >> 8 * i);
  id.bytes[0] = 1;
  return id;
}

const DrawerId kDrawer = id_number<DrawerId>(1);

Turn make_turn(Words& words, std::uint64_t n) {
  Turn turn;
  turn.id = id_number<TurnId>(n);
  turn.external_id = "t" + std::to_string(n);
  turn.conversation = "c" + std::to_string(n / 40);
  turn.role = n % 2 == 0 ? Role::kUser : Role::kAssistant;
  turn.trust = n % 2 == 0 ? Trust::kUser : Trust::kAssistant;
  turn.speaker = n % 2 == 0 ? "Maya" : "assistant";
  turn.text = words.prose(25);
  turn.said_at.at = time_from_ms(1'600'000'000'000 + static_cast<std::int64_t>(n) * 60'000);
  turn.recorded_at = turn.said_at.at;
  turn.drawer = kDrawer;
  return turn;
}

CardEdited make_card(Words& words, std::uint64_t n) {
  CardEdited add;
  add.edit = id_number<EditId>(n);
  add.kind = EditKind::kAdd;
  add.drawer = kDrawer;
  Card card;
  card.id = id_number<CardId>(n);
  card.drawer = kDrawer;
  card.subject = words.name();
  card.text = card.subject + " " + words.prose(12);
  card.colour = n % 4 == 0 ? Colour::kEvent : Colour::kFact;
  card.sources = {id_number<TurnId>(n)};
  card.user_made = true;
  card.recorded_at = time_from_ms(1'600'000'000'000 + static_cast<std::int64_t>(n) * 60'000);
  add.card = std::move(card);
  return add;
}

Status store_turns(Box& box, Words& words, std::uint64_t from, std::uint64_t to) {
  for (std::uint64_t n = from; n < to; n += kRowsACommit) {
    KARTEI_ASSIGN(auto transaction, box.begin());
    for (std::uint64_t i = n; i < std::min(to, n + kRowsACommit); ++i)
      KARTEI_TRY(box.store_turn(make_turn(words, i), {}));
    KARTEI_TRY(transaction.commit(Box::Transaction::Durability::kLazy));
  }
  return {};
}

Status store_cards(Box& box, Words& words, std::uint64_t from, std::uint64_t to) {
  for (std::uint64_t n = from; n < to; n += kRowsACommit) {
    std::vector<Delta> deltas;
    for (std::uint64_t i = n; i < std::min(to, n + kRowsACommit); ++i)
      deltas.emplace_back(make_card(words, i));
    KARTEI_ASSIGN(auto transaction, box.begin());
    KARTEI_TRY(box.apply_local(deltas));
    KARTEI_TRY(transaction.commit(Box::Transaction::Durability::kLazy));
  }
  return {};
}

// Null: words and names alone.
std::shared_ptr<const Embedder> built_in_model() {
  const auto file = std::filesystem::read_symlink("/proc/self/exe").parent_path() /
                    "../share/kartei/multi256.kmodel";
  auto table = StaticTable::open(file);
  return table ? std::move(*table) : nullptr;
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
  KARTEI_TRY(read_piece_hashes(box));
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
