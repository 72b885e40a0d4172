// What the index of meaning costs: a scan with each form of its inner loop, an append, a score from
// an exact copy. Vectors of 256 dims; args: how many.
#include <benchmark/benchmark.h>

#include <memory>
#include <random>

#include "store/meaning/codes.h"
#include "store/meaning/exact_copy.h"

namespace kartei::store {
namespace {

constexpr std::size_t kDims = 256;

std::vector<float> random_vector(std::mt19937_64& random) {
  std::normal_distribution<float> normal;
  std::vector<float> vector(kDims);
  for (float& v : vector) v = normal(random);
  return vector;
}

// Filled up to the size asked for; kept from one measurement to the next.
const Codes& codes_of(std::size_t size) {
  static std::unique_ptr<Codes> codes;
  static std::mt19937_64 random(1);
  if (!codes || codes->size() > size) codes = std::make_unique<Codes>(kDims);
  while (codes->size() < size) {
    codes->append(static_cast<std::int64_t>(codes->size()), random_vector(random));
  }
  return *codes;
}

void scan(benchmark::State& state, CodeKernel kernel) {
  const Codes& codes = codes_of(static_cast<std::size_t>(state.range(0)));
  std::mt19937_64 random(2);
  const std::vector<float> query = random_vector(random);
  for (auto _ : state) benchmark::DoNotOptimize(codes.scan(query, 100, kernel));
  state.SetItemsProcessed(state.iterations() * state.range(0));
  state.counters["bytes_each"] =
      static_cast<double>(codes.memory_bytes()) / static_cast<double>(codes.size());
}

void append(benchmark::State& state) {
  std::mt19937_64 random(3);
  const std::vector<float> vector = random_vector(random);
  Codes codes(kDims);
  std::int64_t key = 0;
  for (auto _ : state) codes.append(key++, vector);
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(append)->Iterations(200'000);

void add_chunk(benchmark::State& state) {
  const Bytes stored = codes_of(10'000).chunk(0).value();
  for (auto _ : state) {
    Codes codes(kDims);
    benchmark::DoNotOptimize(codes.add_chunk(stored).has_value());
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(Codes::kChunkVectors));
}
BENCHMARK(add_chunk);

void score_exactly(benchmark::State& state) {
  std::mt19937_64 random(4);
  const Bytes copy = to_int8(random_vector(random));
  const std::vector<float> query = random_vector(random);
  for (auto _ : state) benchmark::DoNotOptimize(int8_dot(copy, query));
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(score_exactly);

const bool kScansAdded = [] {
  for (const std::int64_t size : {10'000, 100'000, 1'000'000}) {
    for (const CodeKernel& kernel : code_kernels()) {
      benchmark::RegisterBenchmark(("scan/" + std::string(kernel.name)).c_str(), scan, kernel)
          ->Arg(size)
          ->Unit(benchmark::kMillisecond);
    }
  }
  return true;
}();

}  // namespace
}  // namespace kartei::store

BENCHMARK_MAIN();
