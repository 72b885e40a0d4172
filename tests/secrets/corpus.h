// The corpus: texts with secrets, each marked, and harmless ones that look alike. Sentences are
// written by hand; keys are made at run time from pieces by a seeded generator, so that no file
// holds what other people's scanners would take for a leak.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "store/secrets/secrets.h"

namespace kartei::secrets::corpus {

struct Secret {
  std::string group;  // "service keys", "passwords": a row of the table
  std::string text;
  std::size_t begin = 0, end = 0;  // of the secret in it
};
struct Harmless {
  std::string group;
  std::string text;
};

class Generator {
 public:
  explicit Generator(std::uint64_t seed) : engine_(seed) {}
  std::size_t below(std::size_t count) { return engine_() % count; }
  bool coin() { return below(2) == 0; }
  std::string of(std::string_view alphabet, std::size_t count);
  std::string digits(std::size_t count) { return of("0123456789", count); }
  std::string hex(std::size_t count) { return of("0123456789abcdef", count); }
  std::string word(std::size_t count);    // letters of both cases and digits
  std::string base64(std::size_t count);  // with + and /
  std::string url64(std::size_t count);   // with - and _
  std::string upper(std::size_t count) { return of("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", count); }
  std::string lower(std::size_t count) { return of("abcdefghijklmnopqrstuvwxyz0123456789", count); }
  std::string uuid();
  std::string card(std::string_view first, std::size_t size);  // with its check digit
  template <class T>
  const T& one_of(const std::vector<T>& all) {
    return all[below(all.size())];
  }

 private:
  std::mt19937_64 engine_;
};

// "[[" and "]]" around the secret become its place.
Secret marked(std::string group, std::string_view text);

std::vector<Secret> secrets();
std::vector<Harmless> harmless();
// Written after the rules, and without looking back at them.
std::vector<Secret> held_out_secrets();
std::vector<Harmless> held_out_harmless();

}  // namespace kartei::secrets::corpus
