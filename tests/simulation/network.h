// A network that loses, repeats, reorders and delays, and can be cut in one direction only. It
// decides the fate of each message; the world carries it out.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "tests/simulation/dice.h"

namespace kartei::sim {

struct Weather {
  double loss = 0, repeat = 0;
  double delay_mean_ms = 5;
  double clog = 0;  // chance that a message meets a clogged path
  double clog_mean_ms = 3'000;
  double late = 0;  // chance that a message of a link that broke still arrives
  static Weather fair() { return {}; }
  static Weather drawn(Dice& dice);
};

class Network {
 public:
  explicit Network(std::uint64_t seed) : dice_(seed, "network") {}

  void set_weather(const Weather& weather) { weather_ = weather; }
  // One entry an arrival: when, from now. Empty: lost.
  std::vector<std::int64_t> fate(std::size_t from, std::size_t to);
  bool arrives_late() { return dice_.chance(weather_.late); }

  void cut(std::size_t from, std::size_t to) { down_.insert({from, to}); }
  void heal() { down_.clear(); }
  bool passes(std::size_t from, std::size_t to) const { return !down_.contains({from, to}); }
  bool both_ways(std::size_t a, std::size_t b) const { return passes(a, b) && passes(b, a); }

  // Pairs that never have a link (a line, a star); empty: all may.
  void forbid(std::size_t a, std::size_t b) { never_.insert(ordered(a, b)); }
  void allow_all() { never_.clear(); }
  bool allowed(std::size_t a, std::size_t b) const { return !never_.contains(ordered(a, b)); }

  // Links that stand, each with the number of its session: what is under way when it breaks is lost
  // with it, as with TCP.
  bool linked(std::size_t a, std::size_t b) const { return links_.contains(ordered(a, b)); }
  std::uint64_t session(std::size_t a, std::size_t b) const;
  void link(std::size_t a, std::size_t b) { links_[ordered(a, b)] = ++sessions_; }
  void unlink(std::size_t a, std::size_t b) { links_.erase(ordered(a, b)); }

 private:
  static std::pair<std::size_t, std::size_t> ordered(std::size_t a, std::size_t b) {
    return a < b ? std::pair{a, b} : std::pair{b, a};
  }

  Dice dice_;
  Weather weather_;
  std::set<std::pair<std::size_t, std::size_t>> down_;  // directed
  std::set<std::pair<std::size_t, std::size_t>> never_;
  std::map<std::pair<std::size_t, std::size_t>, std::uint64_t> links_;
  std::uint64_t sessions_ = 0;
};

}  // namespace kartei::sim
