// What a box's host borrows from main: threads, time, randomness, the secretary, the network. All
// outlive every host.
#pragma once

#include <functional>
#include <memory>
#include <mutex>

#include "crypto/random.h"
#include "crypto/secret.h"
#include "daemon/config.h"
#include "daemon/encrypt_progress.h"
#include "daemon/event_loop.h"
#include "daemon/manager/secretary.h"
#include "daemon/work_queue.h"
#include "daemon/writer_thread.h"
#include "store/ids.h"
#include "store/time.h"

namespace kartei::daemon {

class Clock {
 public:
  virtual ~Clock() = default;
  virtual store::Time wall() = 0;
  virtual std::int64_t mono_ms() = 0;
};

class SystemClock final : public Clock {
 public:
  store::Time wall() override;
  std::int64_t mono_ms() override { return steady_ms(); }
};

// The configuration in force; replaced whole on SIGHUP. Any thread.
class CurrentConfig {
 public:
  explicit CurrentConfig(Config config) : config_(std::make_shared<Config>(std::move(config))) {}
  std::shared_ptr<const Config> get() const {
    std::lock_guard lock(mutex_);
    return config_;
  }
  void set(Config config) {
    auto next = std::make_shared<Config>(std::move(config));
    std::lock_guard lock(mutex_);
    config_ = std::move(next);
  }

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<const Config> config_;
};

inline constexpr std::size_t kReaders = 2;
inline constexpr std::size_t kExports = 8;  // under way at once

class BoxHost;
class Embedders;
class ModelSecretary;
class Network;

struct Services {
  EventLoop& loop;
  WriterThread& writer;
  WorkQueue& readers;   // kReaders threads
  WorkQueue& worker;    // the secretary's
  WorkQueue& transfer;  // exports
  crypto::Random& random;
  Clock& clock;
  CurrentConfig& config;
  Secretary& secretary;
  Network* network = nullptr;  // null: no links (tests)
  // Told when a box admitted a device, so that one that is being paired gets its welcome.
  std::function<void(BoxHost&, store::DeviceId)> on_admitted;
  Embedders* embedders = nullptr;  // null: nothing is found by its meaning (tests)
  // Of this device, for the files of its boxes. Null: no box opens. The writer's thread.
  const crypto::Secret* data_key = nullptr;
  bool plain_boxes = false;  // without a key: files in the clear (tests)
  std::shared_ptr<EncryptProgress> encrypting = std::make_shared<EncryptProgress>();
  ModelSecretary* model = nullptr;  // null: the built-in secretary reads alone (tests)
};

}  // namespace kartei::daemon
