// How long a question takes by what is asked and how large the box is, alone and beside a client
// that writes as fast as it can; with the memory and the file that the rows take.
#include <atomic>
#include <cstdio>
#include <thread>

#include "tests/bench/fill.h"
#include "tests/bench/questions.h"
#include "tests/bench/scenarios.h"

namespace kartei::bench {

namespace json = boost::json;

namespace {

// Row number `n`'s id, 32 hex digits, never zero.
std::string row_id(std::size_t n) {
  char id[33];
  std::snprintf(id, sizeof id, "%032zx", n + 1);
  return id;
}

json::object turn_row(Words& words, std::size_t n, const std::string& drawer) {
  const bool user = n % 4 < 2;
  char time[32];
  std::snprintf(time, sizeof time, "2025-01-%02zuT%02zu:%02zu:00Z", n / 86'400 % 28 + 1,
                n / 3'600 % 24, n / 60 % 60);
  return {{"kind", "turn"},
          {"id", row_id(n)},
          {"conversation", "c" + std::to_string(n / 80)},
          {"speaker", user ? "Maya" : "assistant"},
          {"role", user ? "user" : "assistant"},
          {"trust", user ? "user" : "assistant"},
          {"text", words.prose(25)},
          {"time", time},
          {"drawer", drawer}};
}

json::object card_row(Words& words, std::size_t n, const std::string& drawer) {
  const std::string subject = words.name();
  return {{"kind", "card"},     {"id", row_id(n)},
          {"drawer", drawer},   {"colour", n % 8 == 0 ? "event" : "fact"},
          {"subject", subject}, {"text", subject + " " + words.prose(12)}};
}

double megabytes_of(const std::filesystem::path& folder) {
  double bytes = 0;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder, ignored))
    if (entry.is_regular_file(ignored)) bytes += static_cast<double>(entry.file_size(ignored));
  return bytes / 1e6;
}

Result<json::object> ask(BenchDevice& device, const Setting& setting, int rounds,
                         const std::vector<Asked>& kinds) {
  json::object out;
  for (const AskedName& asked : kAsked) {
    if (std::find(kinds.begin(), kinds.end(), asked.kind) == kinds.end()) continue;
    Words words(23);
    Samples samples;
    // What the client makes of the answer is not measured.
    harness::UnixClient client = device.process().client();
    for (int i = 0; i < rounds; ++i) {
      const std::string body = json::serialize(
          json::object{{"query", question(words, asked.kind)}, {"budget_tokens", 500}});
      const auto began = Clock::now();
      KARTEI_ASSIGN(const auto answer, client.call("POST", "/v1/recall", body));
      samples.add(us_since(began));
      if (answer.status != 200) return Error{Cause::kInternal, "recall: " + answer.body, {}};
    }
    out[asked.name] = samples.beside("loopback ping-pong", setting.ping_pong);
  }
  return out;
}

// What questions used goes back to the system some seconds after the last.
Result<double> resident_mb_at_rest(BenchDevice& device) {
  const auto began = Clock::now();
  KARTEI_TRY(device.wait(
      "rest", [&]() -> Result<bool> { return us_since(began) > 8e6; }, 60,
      std::chrono::milliseconds(100)));
  KARTEI_ASSIGN(const auto usage, device.process().usage());
  return usage.resident_mb;
}

// Turns, one a call, as fast as they are taken, until it goes.
class Writer {
 public:
  explicit Writer(BenchDevice& device)
      : client_(device.process().client()), thread_([this] { run(); }) {}
  ~Writer() { stop(); }
  std::size_t stop() {
    stopping_ = true;
    if (!thread_.joinable()) return written_;
    thread_.join();
    // Or its last turns would be read minutes later.
    static_cast<void>(client_.call("POST", "/v1/conversations/" + conversation() + "/end"));
    return written_;
  }

 private:
  void run() {
    Words words(29);
    while (!stopping_) {
      const json::object turn{
          {"speaker", "Maya"}, {"role", "user"}, {"drawer", "home"}, {"text", words.prose(25)}};
      const json::object body{{"conversation", conversation()}, {"turns", json::array{turn}}};
      const auto answer = client_.call("POST", "/v1/turns", json::serialize(body));
      if (!answer) return;
      if (answer->status < 400) ++written_;
    }
  }
  std::string conversation() const { return "w" + std::to_string(written_ / 40); }

  std::atomic<bool> stopping_ = false;
  std::size_t written_ = 0;  // read once the thread is joined
  harness::UnixClient client_;
  std::thread thread_;
};

}  // namespace

Status fill(BenchDevice& device, const std::string& drawer, std::size_t from, std::size_t n,
            bool turns) {
  Words words(from + 1);
  const std::size_t step = 2'000;
  const std::string drawer_id(32, 'd');
  const std::string head =
      "{\"kind\":\"box\",\"format\":1}\n" +
      json::serialize(json::object{{"kind", "drawer"}, {"id", drawer_id}, {"name", drawer}}) + "\n";
  for (std::size_t at = from; at < from + n; at += step) {
    std::string lines = head;
    for (std::size_t i = at; i < std::min(from + n, at + step); ++i) {
      const bool turn = turns && i % 2 == 0;
      lines +=
          json::serialize(turn ? turn_row(words, i, drawer_id) : card_row(words, i, drawer_id));
      lines += '\n';
    }
    auto client = device.process().client();
    KARTEI_ASSIGN(const auto answer, client.call("POST", "/v1/import", lines));
    if (answer.status >= 400) return Error{Cause::kBadInput, "import: " + answer.body, {}};
  }
  return {};
}

Result<json::object> recall_at_size(const Setting& setting) {
  KARTEI_ASSIGN(auto device, BenchDevice::start(setting.karteid, "laptop", 0, {}));
  KARTEI_ASSIGN(const auto empty, device->process().usage());
  json::object out{{"resident_mb_empty", empty.resident_mb}};
  std::size_t held = 0;
  for (std::size_t size : {1'000, 10'000, 100'000, 1'000'000}) {
    if ((setting.quick && size > 10'000) || (!setting.large && size > 100'000)) break;
    const auto filling = Clock::now();
    KARTEI_TRY(fill(*device, "home", held, size - held, true));
    const double fill_s = us_since(filling) / 1e6;
    KARTEI_TRY(until_idle(*device));
    const int rounds = setting.quick ? 100 : 200;
    json::object row{{"rows_stored_per_s", static_cast<double>(size - held) / fill_s}};
    KARTEI_ASSIGN(row["alone"],
                  ask(*device, setting, rounds,
                      {Asked::kMixed, Asked::kCommon, Asked::kRare, Asked::kNames,
                       Asked::kFunctionWords, Asked::kNoHit, Asked::kLong, Asked::kManyRare,
                       Asked::kManyCommon, Asked::kOneLetter, Asked::kAllScripts, Asked::kQuotes}));
    KARTEI_ASSIGN(const auto usage, device->process().usage());
    row["resident_mb"] = usage.resident_mb;
    KARTEI_ASSIGN(const double at_rest, resident_mb_at_rest(*device));
    row["resident_mb_at_rest"] = at_rest;
    row["resident_bytes_a_row"] = (at_rest - empty.resident_mb) * 1e6 / static_cast<double>(size);
    row["file_mb"] = megabytes_of(device->process().home());
    Writer writer(*device);
    const auto writing = Clock::now();
    KARTEI_ASSIGN(row["beside_a_writer"],
                  ask(*device, setting, rounds, {Asked::kMixed, Asked::kCommon, Asked::kNames}));
    row["turns_written_per_s"] = static_cast<double>(writer.stop()) / (us_since(writing) / 1e6);
    out[std::to_string(size)] = std::move(row);
    held = size;
  }
  return out;
}

}  // namespace kartei::bench
