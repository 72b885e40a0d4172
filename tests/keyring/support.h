// What the tests of the keyring share.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "crypto/keyring/keyring.h"
#include "tests/crypto/support.h"

namespace kartei::keyring {

// A disk in memory that dies at its n-th step, or fails there. What write(), rename() and remove()
// have returned from is safe; of the step that it dies in, all, a part or nothing may be there.
class PoorFiles final : public KeyFiles {
 public:
  enum class Trouble { kNone, kFails, kDiesBefore, kDiesAfter, kTornWrite };
  struct Died {};  // thrown: the process is gone

  void trouble_at(std::size_t step, Trouble trouble, Cause cause = Cause::kFull) {
    step_ = 0;
    trouble_step_ = step;
    trouble_ = trouble;
    cause_ = cause;
  }
  void no_trouble() { trouble_ = Trouble::kNone; }
  std::size_t steps() const { return step_; }
  void reset_steps() { step_ = 0; }

  std::string place(const char* name) const override { return std::string("/home/") + name; }
  Result<crypto::Secret> read(const char* name, std::size_t size_max) override {
    KARTEI_TRY(step([] {}, [] {}));
    const auto found = files.find(name);
    if (found == files.end()) return not_found(std::string("no ") + name);
    if (found->second.size() > size_max) return corrupt("too long");
    return crypto::Secret(found->second);
  }
  Status write(const char* name, ByteView bytes) override {
    return step(
        [&] { files[name] = to_bytes(bytes); },
        [&] { files[std::string(name) + ".new"] = to_bytes(bytes.first(bytes.size() / 2)); });
  }
  Status rename(const char* from, const char* to) override {
    return step(
        [&] {
          files[to] = files.at(from);
          files.erase(from);
        },
        [] {});
  }
  Status remove(const char* name) override {
    return step([&] { files.erase(name); }, [] {});
  }

  std::map<std::string, Bytes> files;

 private:
  template <class Work, class Torn>
  Status step(Work work, Torn torn) {
    const bool now = trouble_ != Trouble::kNone && step_ == trouble_step_;
    ++step_;
    if (!now) {
      work();
      return {};
    }
    if (trouble_ == Trouble::kFails) return Error{cause_, "the disk said no", {}};
    if (trouble_ == Trouble::kDiesAfter) work();
    if (trouble_ == Trouble::kTornWrite) torn();
    throw Died{};
  }

  std::size_t step_ = 0, trouble_step_ = 0;
  Trouble trouble_ = Trouble::kNone;
  Cause cause_ = Cause::kFull;
};

inline bool same(const crypto::Secret& a, const crypto::Secret& b) {
  return !a.empty() && equal_in_constant_time(a.view(), b.view());
}

}  // namespace kartei::keyring
