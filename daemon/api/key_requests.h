// The bodies of calls that hold a passphrase. Read in guarded memory, and wiped where they came
// from when these return. (Fuzzed: tests/fuzz/http_body_fuzz.cpp.)
#pragma once

#include <string>

#include "crypto/result.h"
#include "crypto/secret.h"

namespace kartei::daemon::api {

struct KeyInput {
  crypto::Secret passphrase;  // empty: none was given
  crypto::Secret current;     // the one that is in force
  bool keep_file = false;
};
Result<KeyInput> read_unlock(std::string& body);                // passphrase?
Result<KeyInput> read_new_passphrase(std::string& body);        // passphrase, current?, keep_file?
Result<crypto::Secret> read_kept_key_value(std::string& body);  // value
Result<KeyInput> read_key_change(std::string& body);            // current?

}  // namespace kartei::daemon::api
