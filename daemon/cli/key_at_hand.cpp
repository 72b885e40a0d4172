#include "daemon/cli/key_at_hand.h"

#include "crypto/random.h"
#include "daemon/cli/passphrase_input.h"
#include "daemon/home_key.h"

namespace kartei::daemon::cli {

Result<crypto::Secret> key_at_hand(Surroundings& around, const std::filesystem::path& home,
                                   std::optional<int> fd) {
  crypto::SystemRandom random;
  return existing_data_key(home, random, [&](const Error& locked) -> Result<crypto::Secret> {
    PassphraseInput input(around, fd);
    if (!fd && !input.asks())
      return Error{Cause::kLocked,
                   locked.what +
                       " This command takes it at a terminal, or with --passphrase-fd, where "
                       "karteid does not run.",
                   {}};
    KARTEI_ASSIGN(crypto::Secret words, input.line("Passphrase: "));
    if (words.empty()) return bad_input("No passphrase was given.");
    return words;
  });
}

}  // namespace kartei::daemon::cli
