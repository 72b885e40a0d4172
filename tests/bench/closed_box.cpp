// What encryption costs: the same work on a box in the clear and on an encrypted one, in turns,
// without a daemon. Each measurement is a process of its own, so that none finds another's memory.
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <functional>

#include "crypto/random.h"
#include "store/encrypt.h"
#include "store/facts_keeper.h"
#include "store/librarian.h"
#include "store/vectors.h"
#include "store/vocabulary.h"
#include "tests/bench/questions.h"
#include "tests/bench/scenarios.h"
#include "tests/bench/store_rows.h"

namespace kartei::bench {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;
using Durability = Box::Transaction::Durability;

class Folder {
 public:
  Folder() {
    char name[] = "/tmp/kartei-closed-XXXXXX";
    if (::mkdtemp(name) != nullptr) path_ = name;
  }
  ~Folder() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

const crypto::Secret& bench_key() {
  static const crypto::Secret key(Bytes(32, 0x42));
  return key;
}

struct Kind {
  const char* name;
  const crypto::Secret* key() const { return sealed ? &bench_key() : nullptr; }
  bool sealed;
};
constexpr Kind kKinds[] = {{"plain", false}, {"encrypted", true}};

// Runs `work` in a child, which sends the samples that it adds.
Result<Samples> in_child(const std::function<Status(Samples&)>& work) {
  int ends[2];
  if (::pipe(ends) != 0) return Error{Cause::kIo, "no pipe", {}};
  const pid_t child = ::fork();
  if (child < 0) return Error{Cause::kIo, "no process", {}};
  if (child == 0) {
    ::close(ends[0]);
    Samples samples;
    const Status done = work(samples);
    if (done.has_error()) std::fprintf(stderr, "closed_box: %s\n", done.error().what.c_str());
    std::size_t at = 0;
    const std::size_t size = samples.us.size() * sizeof(double);
    const auto* bytes = reinterpret_cast<const char*>(samples.us.data());
    while (at < size) {
      const ssize_t sent = ::write(ends[1], bytes + at, size - at);
      if (sent <= 0) break;
      at += static_cast<std::size_t>(sent);
    }
    ::_exit(done.has_error() ? 1 : 0);
  }
  ::close(ends[1]);
  Samples samples;
  double sample = 0;
  while (::read(ends[0], &sample, sizeof sample) == sizeof sample) samples.add(sample);
  ::close(ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    return Error{Cause::kInternal, "a measurement failed", {}};
  return samples;
}

Status put_drawer(Box& box) {
  Drawer drawer;
  drawer.id = kDrawer;
  drawer.name = "home";
  KARTEI_ASSIGN(auto transaction, box.begin());
  KARTEI_TRY(box.put_drawer(drawer));
  return transaction.commit(Durability::kSynced);
}

Status bulk_insert(const fs::path& file, const Kind& kind, std::size_t rows, Samples& samples) {
  KARTEI_ASSIGN(auto box, Box::open({file, true, kind.key()}));
  KARTEI_TRY(put_drawer(*box));
  Words words(1);
  const auto began = Clock::now();
  KARTEI_TRY(store_turns(*box, words, 1, rows / 2 + 1));
  KARTEI_TRY(store_cards(*box, words, 1, rows / 2 + 1));
  KARTEI_TRY(box->sync());
  samples.add(us_since(began) / static_cast<double>(rows));
  return {};
}

Status durable_inserts(const fs::path& file, const Kind& kind, std::size_t times,
                       Samples& samples) {
  KARTEI_ASSIGN(auto box, Box::open({file, true, kind.key()}));
  KARTEI_TRY(put_drawer(*box));
  Words words(2);
  for (std::uint64_t n = 1; n <= times; ++n) {
    const Turn turn = make_turn(words, n);
    const auto began = Clock::now();
    KARTEI_ASSIGN(auto transaction, box->begin());
    KARTEI_TRY(box->store_turn(turn, {}));
    KARTEI_TRY(transaction.commit(Durability::kSynced));
    samples.add(us_since(began));
  }
  return {};
}

// ---- a box of many rows

Status make_vectors(Box& box, const Embedder& model) {
  {
    KARTEI_ASSIGN(auto transaction, box.begin());
    KARTEI_TRY(box.vectors().load());
    KARTEI_TRY(box.vectors().want(model.model(), model.dims()));
    KARTEI_TRY(transaction.commit(Durability::kLazy));
  }
  for (;;) {
    KARTEI_ASSIGN(const VectorBatch batch, box.vectors().next(kRowsACommit));
    if (batch.texts.empty()) return {};
    KARTEI_ASSIGN(const auto vectors, model.embed({batch.texts.begin(), batch.texts.end()}));
    KARTEI_ASSIGN(auto transaction, box.begin());
    KARTEI_TRY(box.vectors().put(batch, vectors));
    KARTEI_TRY(transaction.commit(Durability::kLazy));
  }
}

Status make_large(const fs::path& file, const Kind& kind, std::size_t rows, const Embedder* model) {
  KARTEI_ASSIGN(auto box, Box::open({file, true, kind.key()}));
  KARTEI_TRY(put_drawer(*box));
  Words words(1);
  KARTEI_TRY(store_turns(*box, words, 1, rows / 2 + 1));
  KARTEI_TRY(store_cards(*box, words, 1, rows / 2 + 1));
  for (bool more = true; more;) {
    KARTEI_ASSIGN(more, box->tidy());
  }
  if (model != nullptr) KARTEI_TRY(make_vectors(*box, *model));
  KARTEI_TRY(box->cut_log());
  return {};
}

// The kernel forgets what it holds of the file, as after a start of the machine.
void forget_file(const fs::path& file) {
  for (const std::string& name : {file.string(), file.string() + "-wal"}) {
    const int fd = ::open(name.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) continue;
    ::fdatasync(fd);
    ::posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
    ::close(fd);
  }
}

struct Large {
  fs::path file;
  std::shared_ptr<const Embedder> model;
};

// As the daemon has it: codes, and what ranks a row, are in memory.
Result<std::unique_ptr<Box>> open_large(const Large& large, const Kind& kind) {
  KARTEI_ASSIGN(auto box, Box::open({large.file, false, kind.key()}));
  {
    KARTEI_ASSIGN(auto transaction, box->begin());
    KARTEI_TRY(box->vectors().load());
    KARTEI_TRY(transaction.commit(Durability::kLazy));
  }
  KARTEI_TRY(box->facts().load());
  return box;
}

Status opening(const Large& large, const Kind& kind, bool cold, Samples& samples) {
  if (cold) forget_file(large.file);
  const auto began = Clock::now();
  KARTEI_ASSIGN(const auto box, open_large(large, kind));
  samples.add(us_since(began));
  return {};
}

Status ask(Librarian& librarian, Words& words, Samples* samples) {
  RecallRequest request;
  request.query = question(words, Asked::kMixed);
  request.now = time_from_ms(1'700'000'000'000);
  const auto began = Clock::now();
  KARTEI_TRY(librarian.recall(request));
  if (samples != nullptr) samples->add(us_since(began));
  return {};
}

Status warm_recall(const Large& large, const Kind& kind, std::size_t times, Samples& samples) {
  KARTEI_ASSIGN(auto box, open_large(large, kind));
  KARTEI_ASSIGN(auto librarian, Librarian::open(*box));
  if (large.model) librarian->use_embedders({large.model});
  Words words(17);
  for (std::size_t i = 0; i < times / 2; ++i) KARTEI_TRY(ask(*librarian, words, nullptr));
  for (std::size_t i = 0; i < times; ++i) KARTEI_TRY(ask(*librarian, words, &samples));
  return {};
}

// Each question by a connection that has read nothing, of a file that the kernel has not.
Status cold_recall(const Large& large, const Kind& kind, std::size_t times, Samples& samples) {
  KARTEI_ASSIGN(auto box, open_large(large, kind));
  Words words(18);
  for (std::size_t i = 0; i < times; ++i) {
    KARTEI_ASSIGN(auto librarian, Librarian::open(*box));
    if (large.model) librarian->use_embedders({large.model});
    forget_file(large.file);
    KARTEI_TRY(ask(*librarian, words, &samples));
  }
  return {};
}

using Measure = std::function<Status(const Kind&, Samples&)>;

// Both kinds in turns, so that what else the machine does meets both; medians of all samples.
Result<json::object> side_by_side(int rounds, const Measure& measure) {
  Samples all[2];
  json::array ratios;
  for (int round = 0; round < rounds; ++round) {
    double medians[2] = {};
    for (std::size_t i = 0; i < 2; ++i) {
      const std::size_t which = round % 2 == 0 ? i : 1 - i;
      KARTEI_ASSIGN(const Samples some,
                    in_child([&](Samples& samples) { return measure(kKinds[which], samples); }));
      medians[which] = some.percentile(.5);
      for (const double us : some.us) all[which].add(us);
    }
    ratios.emplace_back(medians[0] > 0 ? medians[1] / medians[0] : 0);
  }
  json::object out;
  out[kKinds[0].name] = all[0].report();
  out[kKinds[1].name] = all[1].report();
  const double plain = all[0].percentile(.5);
  out["ratio"] = plain > 0 ? all[1].percentile(.5) / plain : 0;
  out["ratios"] = std::move(ratios);
  return out;
}

Status insertions(const Setting& setting, const fs::path& folder, json::object& out) {
  const std::size_t rows = setting.quick ? 2'000 : 20'000, single = setting.quick ? 100 : 500;
  // Called in the child that measures.
  const auto fresh = [&](const char* what) {
    return folder / (std::string(what) + std::to_string(::getpid()));
  };
  KARTEI_ASSIGN(out["bulk_insert_a_row"],
                side_by_side(setting.quick ? 2 : 6, [&](const Kind& kind, Samples& samples) {
                  return bulk_insert(fresh("bulk"), kind, rows, samples);
                }));
  KARTEI_ASSIGN(out["durable_insert"],
                side_by_side(setting.quick ? 2 : 6, [&](const Kind& kind, Samples& samples) {
                  return durable_inserts(fresh("single"), kind, single, samples);
                }));
  return {};
}

Result<json::object> conversion(const fs::path& file) {
  std::error_code error;
  const auto bytes = fs::file_size(file, error);
  const auto began = Clock::now();
  KARTEI_TRY(encrypt_box(file, bench_key()));
  return json::object{{"seconds", us_since(began) / 1e6}, {"megabytes", bytes >> 20}};
}

}  // namespace

Result<json::object> closed_box(const Setting& setting) {
  const Folder folder;
  if (folder.path().empty()) return Error{Cause::kIo, "no temporary folder in /tmp", {}};
  prepare_store();
  json::object out;
  KARTEI_TRY(insertions(setting, folder.path(), out));
  const std::size_t rows = setting.quick ? 5'000 : 100'000;
  Large plain{folder.path() / "plain", built_in_model()},
      sealed{folder.path() / "sealed", plain.model};
  // Both are filled alike: one that was encrypted later lies closer together than it did before.
  KARTEI_TRY(make_large(plain.file, kKinds[0], rows, plain.model.get()));
  KARTEI_TRY(make_large(sealed.file, kKinds[1], rows, plain.model.get()));
  const fs::path converted = folder.path() / "converted";
  fs::copy_file(plain.file, converted);
  KARTEI_ASSIGN(out["encrypting"], conversion(converted));
  const auto of = [&](const Kind& kind) -> const Large& { return kind.sealed ? sealed : plain; };
  const int rounds = setting.quick ? 2 : 6;
  const std::size_t questions = setting.quick ? 100 : 400;
  out["rows"] = rows;
  KARTEI_ASSIGN(out["recall_warm"], side_by_side(rounds, [&](const Kind& kind, Samples& samples) {
                  return warm_recall(of(kind), kind, questions, samples);
                }));
  KARTEI_ASSIGN(out["recall_cold"], side_by_side(rounds, [&](const Kind& kind, Samples& samples) {
                  return cold_recall(of(kind), kind, questions / 10, samples);
                }));
  KARTEI_ASSIGN(out["open_warm"], side_by_side(rounds, [&](const Kind& kind, Samples& samples) {
                  return opening(of(kind), kind, false, samples);
                }));
  KARTEI_ASSIGN(out["open_cold"], side_by_side(rounds, [&](const Kind& kind, Samples& samples) {
                  return opening(of(kind), kind, true, samples);
                }));
  return out;
}

}  // namespace kartei::bench
