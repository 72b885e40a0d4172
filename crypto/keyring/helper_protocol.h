// Between the daemon and kartei-secret-service: `kartei-secret-service VERB WRAP [--ask]`, a value
// at standard input or output, how it went as the exit status, words for a person at standard
// error. No secret is an argument.
#pragma once

namespace kartei::keyring {

inline constexpr const char* kHelperProgram = "kartei-secret-service";
inline constexpr const char* kLookUpVerb = "look-up";
inline constexpr const char* kStoreVerb = "store";
inline constexpr const char* kForgetVerb = "forget";
inline constexpr const char* kAskFlag = "--ask";
inline constexpr std::size_t kHelperValueMax = 256;  // bytes

enum HelperStatus : int {
  kHelperDone = 0,
  kHelperUsage = 2,
  kHelperNotFound = 10,   // the service answers, and has no such value
  kHelperNoLibrary = 11,  // no libsecret here
  kHelperNoBus = 12,      // no session bus; none is started
  kHelperNoService = 13,  // a bus, and nobody behind the name
  kHelperLocked = 14,     // and it was not to ask, or its owner said no
  kHelperFailed = 15,     // anything else
};

}  // namespace kartei::keyring
