// What one guess of a passphrase costs, with the cost that each class of device gives its wraps.
#include <benchmark/benchmark.h>

#include "crypto/keyring/passphrase.h"

namespace kartei::keyring {
namespace {

void guess(benchmark::State& state, bool phone) {
  const Stretch stretch = stretch_for(phone);
  Wrap wrap;
  wrap.backend = Backend::kPassphrase;
  wrap.stretch = stretch;
  PassphraseSource source(crypto::Secret(as_bytes("nine green bottles")), stretch);
  for (auto _ : state) benchmark::DoNotOptimize(source.key_of(wrap).value());
  state.counters["passes"] = stretch.passes;
  state.counters["MiB"] = stretch.memory_kib >> 10;
}
BENCHMARK_CAPTURE(guess, desktop_laptop, false)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(guess, phone, true)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace kartei::keyring

BENCHMARK_MAIN();
