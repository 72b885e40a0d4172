// What looking for secrets costs: chat as it is handed out, long texts, and texts made to be slow,
// beside a bare memchr over the same bytes.
#include <benchmark/benchmark.h>

#include <cstring>
#include <functional>
#include <string>

#include "store/secrets/secrets.h"

namespace kartei::secrets {
namespace {

constexpr std::size_t kHandedOut = 2'000;  // bytes of 500 tokens
constexpr std::size_t kLong = 1 << 20;

constexpr std::string_view kChat[] = {
    "- Maya: \"We moved to Utrecht on 1 June 2026, the flat is on the second floor.\"\n",
    "- Sam: \"Lund is cold in winter; bring the blue coat, and order 2 of those tea tins.\"\n",
    "- [fact, since 3 May 2025] Maya works as a bookbinder at Papierhaus Nord.\n",
    "- Maya: \"I forgot my password for the library again, it's 14:30 and they close at 5.\"\n",
    "- Noor: \"Das Rezept braucht 250 g Mehl, drei Eier und etwas Zitronenschale.\"\n",
    "- Li: \"我们周六去爬山吧，天气应该不错。\"\n",
    "- assistant: \"The build of 9fceb02 passed; the log has 1,204 lines and 3 warnings.\"\n"};

std::string chat(std::size_t size) {
  std::string text;
  for (std::size_t i = 0; text.size() < size; ++i) text += kChat[i % std::size(kChat)];
  text.resize(size);
  return text;
}

std::string repeated(std::string_view piece, std::size_t size) {
  std::string text;
  while (text.size() < size) text += piece;
  return text;
}

void look(benchmark::State& state, const std::string& text) {
  for (auto _ : state) benchmark::DoNotOptimize(find(text));
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * text.size()));
}

void floor_of(benchmark::State& state, const std::string& text) {
  for (auto _ : state) benchmark::DoNotOptimize(std::memchr(text.data(), 1, text.size()));
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * text.size()));
}

// What makes rules begin and give up: each as often as it fits in.
constexpr std::pair<const char*, std::string_view> kSlow[] = {
    {"prefixes", "sk-sk-xoxb-glpat-"},
    {"telling words", "password "},
    {"labels", "password: pin: token: "},
    {"pem", "-----BEGIN PRIVATE KEY-----"},
    {"jwt", "eyJ.eyJ eyJ"},
    {"jwt in a run", "eyJ_"},
    {"passwords", "password is "},
    {"addresses", "a://b:c"},
    {"digits", "4111 "},
    {"long digits", "41111111111111111111"},
    {"seed words", "abandon "},
    {"groups", "a1b2-"},
    {"foreign", "\xE2\x80\x8Bp\xC3\xA4ss"},
    {"scripts", "\xE5\xAF\x86\xE7\xA0\x81"},
    {"jwk", "\"d\":\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\""},
    {"backwards", "a is my password "}};

void add_all() {
  const std::string handed_out = chat(kHandedOut), all = chat(kLong);
  benchmark::RegisterBenchmark("handed_out_2kB", look, handed_out);
  benchmark::RegisterBenchmark("handed_out_2kB_memchr", floor_of, handed_out);
  benchmark::RegisterBenchmark("chat_1MB", look, all);
  benchmark::RegisterBenchmark("chat_1MB_memchr", floor_of, all);
  for (const auto& [name, piece] : kSlow)
    for (const std::size_t size : {kLong / 4, kLong})
      benchmark::RegisterBenchmark(
          (std::string("slow/") + name + "/" + std::to_string(size >> 10) + "kB").c_str(), look,
          repeated(piece, size))
          ->Unit(benchmark::kMillisecond);
}

}  // namespace
}  // namespace kartei::secrets

int main(int argc, char** argv) {
  kartei::secrets::add_all();
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
