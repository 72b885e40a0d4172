// The desktop's Secret Service (org.freedesktop.secrets: GNOME's keyring, KWallet, KeePassXC), as a
// store of wrapping keys. It is asked by a program of its own, kartei-secret-service, which loads
// libsecret where there is one: a service that hangs, and GLib with its threads, stay out of the
// daemon.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>

#include "crypto/keyring/key_source.h"

namespace kartei::keyring {

// Values by the id of their wrap. Failure: kNotFound: it answers and has none of that id.
// kUnavailable: no bus, no service, locked, too slow, or its owner said no; the error says which.
class SecretService {
 public:
  virtual ~SecretService() = default;
  virtual Result<crypto::Secret> look_up(const WrapId& id) = 0;
  virtual Status store(const WrapId& id, const crypto::Secret& value) = 0;
  virtual Status forget(const WrapId& id) = 0;
  // Nobody waits for it any more: that it said nothing then says nothing about it.
  virtual bool given_up() const { return false; }
  // The last call came to a service, perhaps; false: there is none, so it stored nothing.
  virtual bool reached() const { return true; }
};

struct HelperOptions {
  std::filesystem::path program;
  std::int64_t timeout_ms = 5'000;
  // The service may ask its owner to unlock it, in a window of its own.
  bool may_ask = false;
  std::int64_t ask_timeout_ms = 60'000;
  // Looked at now and then: true ends the waiting.
  std::function<bool()> given_up = {};
};

// Beside the running program, or where it was installed; empty: nowhere.
std::filesystem::path find_secret_service_helper();

// Any thread; blocks for the timeout at most, then the helper is killed.
class HelperSecretService final : public SecretService {
 public:
  explicit HelperSecretService(HelperOptions options) : options_(std::move(options)) {}
  Result<crypto::Secret> look_up(const WrapId& id) override;
  Status store(const WrapId& id, const crypto::Secret& value) override;
  Status forget(const WrapId& id) override;
  bool given_up() const override { return options_.given_up && options_.given_up(); }
  bool reached() const override { return reached_; }

 private:
  Result<crypto::Secret> call(const char* verb, const WrapId& id, const crypto::Secret* value);
  const HelperOptions options_;
  std::atomic<bool> reached_ = false;
};

// A random wrapping key, in base64 with the service.
class SecretServiceSource final : public KeySource {
 public:
  explicit SecretServiceSource(SecretService& service) : service_(service) {}
  Backend backend() const override { return Backend::kSecretService; }
  Result<crypto::Secret> key_of(const Wrap& wrap) override;
  Result<crypto::Secret> make_key(Wrap& wrap, crypto::Random& random) override;
  Status forget(const WrapId& id) override;
  bool kept_nothing() const override { return !service_.reached(); }

 private:
  SecretService& service_;
};

}  // namespace kartei::keyring
