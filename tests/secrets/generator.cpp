#include <stdexcept>

#include "tests/secrets/corpus.h"

namespace kartei::secrets::corpus {

std::string Generator::of(std::string_view alphabet, std::size_t count) {
  std::string out;
  while (out.size() < count) out.push_back(alphabet[below(alphabet.size())]);
  return out;
}

std::string Generator::word(std::size_t count) {
  return of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789", count);
}
std::string Generator::base64(std::size_t count) {
  return of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", count);
}
std::string Generator::url64(std::size_t count) {
  // A key does not end in a sign as often as in a letter; some do.
  return of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_", count);
}

std::string Generator::uuid() {
  return hex(8) + "-" + hex(4) + "-4" + hex(3) + "-a" + hex(3) + "-" + hex(12);
}

std::string Generator::card(std::string_view first, std::size_t size) {
  std::string digits(first);
  digits += this->digits(size - 1 - first.size());
  unsigned sum = 0;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    const unsigned value = static_cast<unsigned>(digits[digits.size() - 1 - i] - '0');
    const unsigned twice = value * 2;
    sum += i % 2 == 0 ? (twice > 9 ? twice - 9 : twice) : value;
  }
  digits.push_back(static_cast<char>('0' + (10 - sum % 10) % 10));
  return digits;
}

Secret marked(std::string group, std::string_view text) {
  const std::size_t begin = text.find("[["), end = text.rfind("]]");
  if (begin == std::string_view::npos || end == std::string_view::npos)
    throw std::logic_error("nothing is marked in: " + std::string(text));
  Secret secret{std::move(group), std::string(text.substr(0, begin)), begin, end - 2};
  secret.text += text.substr(begin + 2, end - begin - 2);
  secret.text += text.substr(end + 2);
  return secret;
}

}  // namespace kartei::secrets::corpus
