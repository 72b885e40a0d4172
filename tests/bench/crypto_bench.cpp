// What crypto/ costs. Records are of 300 bytes, as in the other measurements of this project.
#include <benchmark/benchmark.h>

#include "crypto/cpace.h"
#include "crypto/hash.h"
#include "crypto/identity.h"
#include "crypto/noise.h"
#include "crypto/sealed.h"

namespace kartei::crypto {
namespace {

constexpr std::size_t kRecordSize = 300;

void seal_records(benchmark::State& state) {
  SystemRandom random;
  const Secret key = Secret::random(32, random);
  const Bytes ad(64), body(static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(seal(key, ad, body, random));
  state.SetItemsProcessed(state.iterations());
  state.SetBytesProcessed(state.iterations() * state.range(0));
}
BENCHMARK(seal_records)->Arg(kRecordSize)->Arg(16384);

void open_records(benchmark::State& state) {
  SystemRandom random;
  const Secret key = Secret::random(32, random);
  const Bytes ad(64), body(static_cast<std::size_t>(state.range(0)));
  const Bytes sealed = seal(key, ad, body, random);
  for (auto _ : state) benchmark::DoNotOptimize(open(key, ad, sealed).value());
  state.SetItemsProcessed(state.iterations());
  state.SetBytesProcessed(state.iterations() * state.range(0));
}
BENCHMARK(open_records)->Arg(kRecordSize)->Arg(16384);

void hash_records(benchmark::State& state) {
  const Bytes body(kRecordSize);
  for (auto _ : state) benchmark::DoNotOptimize(hash("bench", {body}));
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(hash_records);

void sign_records(benchmark::State& state) {
  SystemRandom random;
  const Identity me = Identity::generate(random);
  const Bytes body(kRecordSize);
  for (auto _ : state) benchmark::DoNotOptimize(me.sign(body));
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(sign_records);

void verify_records(benchmark::State& state) {
  SystemRandom random;
  const Identity me = Identity::generate(random);
  const Bytes body(kRecordSize);
  const Signature signature = me.sign(body);
  for (auto _ : state) benchmark::DoNotOptimize(verify(me.pub().sign_key, body, signature));
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(verify_records);

void key_boxes(benchmark::State& state) {
  SystemRandom random;
  const Identity me = Identity::generate(random);
  const Secret key = Secret::random(32, random);
  for (auto _ : state) {
    benchmark::DoNotOptimize(open_key(me, {}, seal_key(me.pub().box_key, {}, key, random)).value());
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(key_boxes);

void secrets_made(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(Secret(32));
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(secrets_made);

void noise_handshakes(benchmark::State& state) {
  SystemRandom random;
  const Identity first = Identity::generate(random), second = Identity::generate(random);
  for (auto _ : state) {
    NoiseConfig ours, theirs;
    ours.local_static = first.box_secret().copy();
    ours.remote_static = second.pub().box_key;
    theirs.role = NoiseRole::kResponder;
    theirs.local_static = second.box_secret().copy();
    const auto a = NoiseHandshake::create(std::move(ours), random).value();
    const auto b = NoiseHandshake::create(std::move(theirs), random).value();
    b->read(a->write({}).value()).value();
    a->read(b->write({}).value()).value();
    benchmark::DoNotOptimize(a->split().value());
    benchmark::DoNotOptimize(b->split().value());
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(noise_handshakes);

void noise_messages(benchmark::State& state) {
  SystemRandom random;
  const Secret key = Secret::random(32, random), other = Secret::random(32, random);
  NoiseTransport sender(key.copy(), other.copy()), receiver(other.copy(), key.copy());
  const Bytes plain(static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) {
    benchmark::DoNotOptimize(receiver.decrypt(sender.encrypt(plain).value()).value());
  }
  state.SetItemsProcessed(state.iterations());
  state.SetBytesProcessed(state.iterations() * state.range(0));
}
BENCHMARK(noise_messages)->Arg(kRecordSize)->Arg(kNoisePlainMax);

void cpace_runs(benchmark::State& state) {
  SystemRandom random;
  const ByteView text = as_bytes("code");
  for (auto _ : state) {
    Cpace a(text, text, text, {}, random), b(text, text, text, {}, random);
    benchmark::DoNotOptimize(a.finish(b.share(), {}, true).value());
    benchmark::DoNotOptimize(b.finish(a.share(), {}, false).value());
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(cpace_runs);

}  // namespace
}  // namespace kartei::crypto

BENCHMARK_MAIN();
