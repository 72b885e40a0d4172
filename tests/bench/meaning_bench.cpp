// What the built-in table costs: a sentence of a dozen words in several languages.
#include <benchmark/benchmark.h>

#include <filesystem>

#include "store/meaning/row_sum.h"
#include "store/meaning/static_table.h"

namespace kartei::store {
namespace {

std::filesystem::path model_file() {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path() /
         "../share/kartei/multi256.kmodel";
}

const std::vector<std::string_view>& sentences() {
  static const std::vector<std::string_view> all = {
      "We moved the piano to my sister's house before the winter came.",
      "Im Sommer hat mein Nachbar den alten Zaun im Garten neu gestrichen.",
      "El martes pasado encontramos las llaves perdidas detrás de la nevera.",
      "Вчера вечером мы долго разговаривали о нашей поездке на море.",
      "我们上个月在图书馆认识了一位来自荷兰的老师。",
      "W niedzielę babcia upiekła ciasto z jabłkami dla całej rodziny."};
  return all;
}

void open_table(benchmark::State& state) {
  const auto file = model_file();
  for (auto _ : state) benchmark::DoNotOptimize(StaticTable::open(file).value());
}
BENCHMARK(open_table);

void embed_sentences(benchmark::State& state) {
  const auto table = StaticTable::open(model_file()).value();
  std::vector<float> out(table->dims());
  std::size_t next = 0;
  for (auto _ : state) {
    table->embed_into(sentences()[next++ % sentences().size()], out.data());
    benchmark::DoNotOptimize(out.data());
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(embed_sentences);

void embed_longest_text(benchmark::State& state) {
  const auto table = StaticTable::open(model_file(), {4096, 4096}).value();
  std::string text;
  while (text.size() < 4096) text += std::string(sentences()[text.size() % 6]) + " ";
  std::vector<float> out(table->dims());
  for (auto _ : state) {
    table->embed_into(text, out.data());
    benchmark::DoNotOptimize(out.data());
  }
  state.SetBytesProcessed(state.iterations() * 4096);
}
BENCHMARK(embed_longest_text);

// The pages of the table come from the page cache again.
void embed_after_drop(benchmark::State& state) {
  const auto table = StaticTable::open(model_file()).value();
  std::vector<float> out(table->dims());
  for (auto _ : state) {
    table->drop_cache();
    table->embed_into(sentences()[0], out.data());
    benchmark::DoNotOptimize(out.data());
  }
}
BENCHMARK(embed_after_drop);

void verify_table(benchmark::State& state) {
  const auto table = StaticTable::open(model_file()).value();
  for (auto _ : state) benchmark::DoNotOptimize(table->verify().has_value());
}
BENCHMARK(verify_table);

}  // namespace
}  // namespace kartei::store

BENCHMARK_MAIN();
