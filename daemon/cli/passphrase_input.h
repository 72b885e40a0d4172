// Passphrases from a terminal without echo, from a descriptor, or from a pipe; never from arguments
// or the environment.
#pragma once

#include <optional>
#include <string>

#include "crypto/result.h"
#include "crypto/secret.h"
#include "daemon/cli/cli.h"

namespace kartei::daemon::cli {

class PassphraseInput {
 public:
  // No core dump and no debugger from here on. `fd`: where lines come from; none: the terminal, or
  // standard input where that is none.
  PassphraseInput(Surroundings& around, std::optional<int> fd);
  bool asks() const { return asks_; }  // a person at a terminal
  // One line of UTF-8 without its end. `prompt` is shown to a person only.
  Result<crypto::Secret> line(const std::string& prompt);

 private:
  Result<crypto::Secret> read_line(const std::string& prompt);

  Surroundings& around_;
  std::optional<int> fd_;
  bool asks_ = false;
};

// {"name": secret, ...} for the API, to be wiped by wipe().
std::string secret_json(
    std::initializer_list<std::pair<const char*, const crypto::Secret*>> secrets);
void wipe(std::string& text);

}  // namespace kartei::daemon::cli
