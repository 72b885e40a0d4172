// What the tests of the keyring share: a disk and a Secret Service that fail at their n-th step, or
// take the whole process with them there.
#pragma once

#include <map>
#include <string>

#include "crypto/hash.h"
#include "crypto/keyring/keyring.h"
#include "crypto/keyring/secret_service.h"
#include "tests/crypto/support.h"

namespace kartei::keyring {

enum class Trouble {
  kNone,
  kFails,       // and nothing was done
  kFailsAfter,  // done, but perhaps not safe: an fsync that fails
  kDiesBefore,
  kDiesAfter,
  kDiesWithin,  // of a write: a part lies beside
};

// Counts the steps of all that a keyring stands on.
class Steps {
 public:
  struct Died {};  // thrown: the process is gone

  void trouble_at(std::size_t step, Trouble trouble, Cause cause = Cause::kFull) {
    next_ = 0;
    at_ = step;
    trouble_ = trouble;
    cause_ = cause;
  }
  void calm() { trouble_at(0, Trouble::kNone); }
  std::size_t taken() const { return next_; }

  template <class Work, class Torn>
  Status take(Work work, Torn torn) {
    const bool here = trouble_ != Trouble::kNone && next_ == at_;
    ++next_;
    if (!here) {
      work();
      return {};
    }
    if (trouble_ == Trouble::kFailsAfter || trouble_ == Trouble::kDiesAfter) work();
    if (trouble_ == Trouble::kDiesWithin) torn();
    if (trouble_ == Trouble::kFails || trouble_ == Trouble::kFailsAfter)
      return Error{cause_, "the disk said no", {}};
    throw Died{};
  }

 private:
  std::size_t next_ = 0, at_ = 0;
  Trouble trouble_ = Trouble::kNone;
  Cause cause_ = Cause::kFull;
};

class PoorFiles final : public KeyFiles {
 public:
  explicit PoorFiles(Steps& steps) : steps_(steps) {}
  std::string place(const char* name) const override { return std::string("/home/") + name; }
  Result<crypto::Secret> read(const char* name, std::size_t size_max) override {
    KARTEI_TRY(steps_.take([] {}, [] {}));
    const auto found = files.find(name);
    if (found == files.end()) return not_found(std::string("no ") + name);
    if (found->second.size() > size_max) return corrupt("too long");
    return crypto::Secret(found->second);
  }
  Status write(const char* name, ByteView bytes) override {
    return steps_.take(
        [&] {
          files[name] = to_bytes(bytes);
          if (garbles) files[name][bytes.size() / 2] ^= 1;
        },
        [&] { files[std::string(name) + ".new"] = to_bytes(bytes.first(bytes.size() / 2)); });
  }
  Status rename(const char* from, const char* to) override {
    return steps_.take(
        [&] {
          files[to] = files.at(from);
          files.erase(from);
        },
        [] {});
  }
  Status remove(const char* name) override {
    return steps_.take([&] { files.erase(name); }, [] {});
  }

  std::map<std::string, Bytes> files;
  bool garbles = false;  // a disk that says it has written, and has something else

 private:
  Steps& steps_;
};

class PoorService final : public SecretService {
 public:
  explicit PoorService(Steps& steps) : steps_(steps) {}
  Result<crypto::Secret> look_up(const WrapId& id) override {
    KARTEI_TRY(steps_.take([] {}, [] {}));
    if (gone) return Error{Cause::kUnavailable, "the service is gone", {}};
    const auto found = values.find(id);
    if (found == values.end()) return not_found("no such key");
    return crypto::Secret(found->second);
  }
  Status store(const WrapId& id, const crypto::Secret& value) override {
    if (gone) return Error{Cause::kUnavailable, "the service is gone", {}};
    return steps_.take([&] { values[id] = to_bytes(value.view()); }, [] {});
  }
  Status forget(const WrapId& id) override {
    if (gone) return Error{Cause::kUnavailable, "the service is gone", {}};
    return steps_.take([&] { values.erase(id); }, [] {});
  }

  bool reached() const override { return !absent; }

  std::map<WrapId, Bytes> values;
  bool gone = false;    // it says nothing; what it was told, it may have heard
  bool absent = false;  // with `gone`: there is none

 private:
  Steps& steps_;
};

// A passphrase that costs nothing, for tests that unwrap a thousand times.
class QuickPassphrase final : public KeySource {
 public:
  explicit QuickPassphrase(std::string words) : words_(std::move(words)) {}
  Backend backend() const override { return Backend::kPassphrase; }
  Result<crypto::Secret> key_of(const Wrap& wrap) override {
    return crypto::Secret(crypto::hash(words_, {wrap.id}));
  }
  Result<crypto::Secret> make_key(Wrap& wrap, crypto::Random&) override {
    wrap.stretch = {2, 64 << 10};
    return key_of(wrap);
  }
  Status forget(const WrapId&) override { return {}; }

 private:
  const std::string words_;
};

inline bool same(const crypto::Secret& a, const crypto::Secret& b) {
  return !a.empty() && equal_in_constant_time(a.view(), b.view());
}

}  // namespace kartei::keyring
