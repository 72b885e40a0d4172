// Who may open the boxes of this device: holds the keyring, and the data key while it is unlocked.
// Changes are made one at a time on a thread of its own, since a passphrase takes a second and up
// to 256 MiB, and a Secret Service may hang.
//
// Threads: state() and the requests from any; the callbacks of Parts and of requests come on the
// desk's thread, open() runs on its caller's. Ownership: the data key is the desk's; `opened` lends
// it until `closed` returns. Failure: a request that cannot be taken now is false.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "daemon/event_loop.h"
#include "daemon/home_key.h"
#include "daemon/work_queue.h"

namespace kartei::daemon {

struct KeyState {
  bool locked = true;
  std::string why;  // locked: what happened, and what to do
  std::optional<keyring::Backend> opened_by;
  std::vector<keyring::Wrap> wraps;
  std::vector<std::string> notes;  // of wraps that should have opened and did not
  bool needs_passphrase = false;   // it is the only way in, so changes ask for it, too
};

struct KeyDeskParts {
  std::filesystem::path home;
  crypto::Random& random;
  EventLoop& loop;
  // `may_ask`: the service may open a window.
  std::function<std::unique_ptr<keyring::SecretService>(bool may_ask)> secret_service;
  std::function<keyring::Stretch()> stretch;  // of new passphrases
  // Opens the boxes with the key; the error is the first box's that does not open.
  std::function<Status(const crypto::Secret& key)> opened;
  // Closes all boxes. The key may go when this returns; an error says what still has it in use.
  std::function<Status(const Error& why)> closed;
};

class KeyDesk {
 public:
  using Done = std::function<void(Result<KeyState>)>;

  explicit KeyDesk(KeyDeskParts parts);
  ~KeyDesk() { stop(); }

  // At the start: reads or makes the keyring, and opens it if that takes no person. Does not call
  // `opened`. The error is one that the daemon cannot start with.
  Status open();
  const crypto::Secret* data_key() const { return locked_ ? nullptr : &data_key_; }  // after open()
  void stop();  // ends what is under way; idempotent

  bool locked() const { return locked_ || locks_asked_ > 0; }
  KeyState state() const;
  // For whoever asks for a box while it is locked.
  Error locked_error() const;

  // An empty passphrase: by what needs none, and the Secret Service may ask.
  bool unlock(crypto::Secret passphrase, Done done);
  // locked() from now on, whatever is still before it. False only while stopping.
  bool lock(Done done);
  // `current` is needed where the passphrase is the only wrap. `keep_file`: else the key file goes,
  // which would make the passphrase pointless.
  struct NewPassphrase {
    crypto::Secret passphrase, current;
    bool keep_file = false;
  };
  bool set_passphrase(NewPassphrase change, Done done);
  bool add(keyring::Backend backend, crypto::Secret current, Done done);
  bool remove(keyring::Backend backend, crypto::Secret current, Done done);

 private:
  WorkQueue::Job job_of(std::function<Status()> job, Done done);
  bool post(std::function<Status()> job, Done done);
  void retry_now();
  void try_again_later();
  Status unlock_now(const crypto::Secret& passphrase);
  Status take_key(crypto::Secret key, keyring::Backend by, std::vector<std::string> notes);
  Status lock_now();
  Status set_now(const NewPassphrase& change);
  Status change_now(keyring::Backend backend, const crypto::Secret& current, bool add);
  Status check_unlocked() const;
  Status check_current(const crypto::Secret& current);
  std::unique_ptr<keyring::KeySource> source_of(keyring::Backend backend);
  void show(const std::function<void(KeyState&)>& change);

  KeyDeskParts parts_;
  keyring::DiskKeyFiles files_;
  std::unique_ptr<keyring::SecretService> quiet_service_, asking_service_;
  std::optional<keyring::Keyring> ring_;  // the desk's thread, as what follows
  crypto::Secret data_key_;
  std::int64_t retry_ms_ = 0;
  bool by_hand_ = false;  // locked by its owner: it does not unlock by itself
  bool in_use_ = false;   // a call still had a box when it was locked last
  std::atomic<bool> locked_{true};
  std::atomic<int> locks_asked_{0};  // and not done yet
  mutable std::mutex mutex_;         // guards state_
  KeyState state_;
  std::shared_ptr<Alarm> retry_;
  WorkQueue queue_;
};

}  // namespace kartei::daemon
