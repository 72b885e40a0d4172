#include "tests/bench/scenarios.h"

#include <thread>

#include "tests/bench/devices.h"
#include "tests/bench/fill.h"
#include "tests/bench/words.h"

namespace kartei::bench {

namespace json = boost::json;

namespace {

json::object turn(const std::string& id, const std::string& text) {
  return {{"id", id}, {"speaker", "Maya"}, {"role", "user"}, {"drawer", "home"}, {"text", text}};
}

json::object turns(const std::string& conversation, json::array list) {
  return {{"conversation", conversation}, {"turns", std::move(list)}};
}

// Phone and laptop, paired, with the drawer "home" shared and known on both.
struct Pair {
  std::unique_ptr<BenchDevice> phone, laptop;
};

Result<Pair> make_pair(const Setting& setting) {
  KARTEI_ASSIGN(const int phone_port, free_port());
  KARTEI_ASSIGN(const int laptop_port, free_port());
  Pair pair_of;
  KARTEI_ASSIGN(pair_of.phone,
                BenchDevice::start(setting.karteid, "phone", phone_port, {laptop_port}));
  KARTEI_ASSIGN(pair_of.laptop,
                BenchDevice::start(setting.karteid, "laptop", laptop_port, {phone_port}));
  KARTEI_TRY(pair(*pair_of.phone, *pair_of.laptop));
  KARTEI_TRY(share(*pair_of.phone, "home"));
  KARTEI_TRY(pair_of.laptop->wait("the shared drawer is known", [&]() -> Result<bool> {
    KARTEI_ASSIGN(const auto drawers, pair_of.laptop->call("GET", "/v1/drawers"));
    for (const auto& drawer : drawers.at("items").as_array())
      if (drawer.at("name").as_string() == "home") return true;
    return false;
  }));
  return pair_of;
}

}  // namespace

Status until_idle(BenchDevice& device) {
  return device.wait(
      "nothing left to do",
      [&]() -> Result<bool> {
        KARTEI_ASSIGN(const auto status, device.call("GET", "/v1/status"));
        return status.at("pending_extraction").to_number<std::int64_t>() == 0 &&
               status.at("meaning").at("waiting").to_number<std::int64_t>() == 0;
      },
      600, std::chrono::milliseconds(20));
}

Result<json::object> turn_to_202(const Setting& setting) {
  KARTEI_ASSIGN(auto device, BenchDevice::start(setting.karteid, "laptop", 0, {}));
  Samples samples;
  Words words(7);
  const int rounds = setting.quick ? 200 : 2'000;
  for (int i = 0; i < rounds; ++i) {
    const auto body =
        turns("c" + std::to_string(i / 50), {turn("t" + std::to_string(i), words.sentence(20))});
    const auto began = Clock::now();
    KARTEI_TRY(device->call("POST", "/v1/turns", body));
    samples.add(us_since(began));
  }
  json::object out = samples.beside("fdatasync append", setting.append);
  out["ratio_to_sqlite_insert"] = samples.percentile(.5) / setting.sqlite.percentile(.5);
  return out;
}

Result<json::object> phone_to_laptop(const Setting& setting) {
  KARTEI_ASSIGN(auto devices, make_pair(setting));
  BenchDevice& phone = *devices.phone;
  BenchDevice& laptop = *devices.laptop;
  Samples turn_found, turn_recalled, card_found;
  Words words(9);
  const int rounds = setting.quick ? 30 : 200;
  for (int i = 0; i < rounds; ++i) {
    const std::string id = "p" + std::to_string(i), name = "Vexlor" + std::to_string(i);
    KARTEI_TRY(phone.call("POST", "/v1/turns",
                          turns("c" + id, {turn(id, "I own a boat called " + name + ".")})));
    const auto acknowledged = Clock::now();
    KARTEI_TRY(laptop.wait("the turn on the laptop", [&]() -> Result<bool> {
      KARTEI_ASSIGN(const int status, laptop.status_of("GET", "/v1/turns/" + id));
      return status == 200;
    }));
    turn_found.add(us_since(acknowledged));
    KARTEI_TRY(laptop.wait("the turn recalled on the laptop", [&]() -> Result<bool> {
      KARTEI_ASSIGN(
          const auto answer,
          laptop.call("POST", "/v1/recall", json::object{{"query", name}, {"budget_tokens", 100}}));
      return answer.at("text").as_string().find(name) != json::string::npos;
    }));
    turn_recalled.add(us_since(acknowledged));
    KARTEI_TRY(phone.call("POST", "/v1/conversations/c" + id + "/end"));
    const auto ended = Clock::now();
    KARTEI_TRY(laptop.wait("the card on the laptop", [&]() -> Result<bool> {
      KARTEI_ASSIGN(const auto cards, laptop.call("GET", "/v1/cards?limit=5&q=" + name));
      return !cards.at("items").as_array().empty();
    }));
    card_found.add(us_since(ended));
  }
  return json::object{{"turn_readable", turn_found.beside("loopback ping-pong", setting.ping_pong)},
                      {"turn_recalled", turn_recalled.beside("fdatasync append", setting.append)},
                      {"card_after_end", card_found.beside("fdatasync append", setting.append)}};
}

Result<json::object> catch_up(const Setting& setting) {
  const std::size_t cards = setting.quick ? 1'000 : 10'000;
  KARTEI_ASSIGN(const int phone_port, free_port());
  KARTEI_ASSIGN(auto phone, BenchDevice::start(setting.karteid, "phone", phone_port, {}));
  KARTEI_TRY(share(*phone, "home"));
  KARTEI_TRY(fill(*phone, "home", 0, cards, false));
  KARTEI_TRY(until_idle(*phone));
  KARTEI_ASSIGN(auto laptop, BenchDevice::start(setting.karteid, "laptop", 0, {phone_port}));
  const auto began = Clock::now();
  KARTEI_TRY(pair(*phone, *laptop));
  KARTEI_TRY(laptop->wait(
      "all cards on the newcomer",
      [&]() -> Result<bool> {
        KARTEI_ASSIGN(const auto status, laptop->call("GET", "/v1/status"));
        return status.at("counts").at("cards_open").to_number<std::size_t>() >= cards;
      },
      300));
  const double took_s = us_since(began) / 1e6;
  return json::object{
      {"cards", cards}, {"seconds", took_s}, {"cards_per_s", static_cast<double>(cards) / took_s}};
}

Result<json::object> idle(const Setting& setting) {
  KARTEI_ASSIGN(auto devices, make_pair(setting));
  KARTEI_TRY(
      devices.phone->call("POST", "/v1/turns", turns("c", {turn("t", "I live in Bremen.")})));
  KARTEI_TRY(devices.phone->call("POST", "/v1/conversations/c/end"));
  KARTEI_TRY(devices.laptop->wait("the card on the laptop", [&]() -> Result<bool> {
    KARTEI_ASSIGN(const auto cards, devices.laptop->call("GET", "/v1/cards?q=Bremen"));
    return !cards.at("items").as_array().empty();
  }));
  const auto period = std::chrono::seconds(setting.quick ? 10 : 60);
  std::this_thread::sleep_for(
      std::chrono::seconds(2));  // what the last words set off comes to rest
  json::object out;
  std::vector<harness::Usage> before;
  for (auto* device : {devices.phone.get(), devices.laptop.get()}) {
    KARTEI_ASSIGN(const auto usage, device->process().usage());
    before.push_back(usage);
  }
  std::this_thread::sleep_for(period);
  const char* names[] = {"phone", "laptop"};
  for (std::size_t i = 0; i < 2; ++i) {
    KARTEI_ASSIGN(const auto usage, (i == 0 ? devices.phone : devices.laptop)->process().usage());
    const auto seconds = static_cast<double>(period.count());
    out[names[i]] = json::object{
        {"resident_mb", usage.resident_mb},
        {"cpu_s_per_minute", (usage.cpu_s - before[i].cpu_s) * 60 / seconds},
        {"wakeups_per_s", static_cast<double>(usage.wakeups - before[i].wakeups) / seconds}};
  }
  out["seconds"] = period.count();
  return out;
}

}  // namespace kartei::bench
