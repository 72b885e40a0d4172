// Secrets that carry a mark which is no key's prefix: private keys, signed tokens, passwords in
// addresses, keys with a mark in their middle. Each is called where its mark stands, on
// PlainText::view(), and looks at a bounded part of it.
#pragma once

#include <optional>
#include <string_view>

#include "store/secrets/anchors.h"
#include "store/secrets/secrets.h"

namespace kartei::secrets {

class Marked {
 public:
  explicit Marked(std::string_view plain) : plain_(plain) {}
  // Places come in order.
  std::optional<Finding> at(std::size_t at, AnchorKind kind);

 private:
  std::optional<Finding> pem(std::size_t at);
  std::optional<Finding> putty(std::size_t at) const;
  std::optional<Finding> jwk(std::size_t at) const;
  std::optional<Finding> jwt(std::size_t at) const;
  std::optional<Finding> url(std::size_t at) const;
  std::optional<Finding> otp(std::size_t at) const;
  std::optional<Finding> discord(std::size_t at) const;
  std::optional<Finding> azure_secret(std::size_t at) const;
  std::optional<Finding> azure_key(std::size_t at) const;
  std::optional<Finding> terraform(std::size_t at) const;
  // Behind the characters of `set` from `at` on, at most `most` of them.
  std::size_t run(std::size_t at, unsigned set, std::size_t most) const;
  std::size_t end_of_lines(std::size_t at) const;

  std::string_view plain_;
  std::size_t pem_end_ = 0;  // the first end of a PEM block that is not before the last begin
};

}  // namespace kartei::secrets
