#include "daemon/key_desk.h"

#include <spdlog/spdlog.h>

#include <algorithm>

#include "crypto/keyring/passphrase.h"

namespace kartei::daemon {

using keyring::Backend;

namespace {

constexpr std::size_t kRequestsWaiting = 4;  // beside the one under way
constexpr std::int64_t kRetryFirstMs = 2'000, kRetryMaxMs = 300'000;

void lock_by_hand(KeyState& state) {
  state.locked = true;
  state.why = std::string("The boxes of this device are locked. Run `kartei unlock`") +
              (state.needs_passphrase ? " and type the passphrase." : ".");
  state.opened_by.reset();
  state.notes.clear();
}

Error file_stayed(Error error) {
  error.what =
      "The passphrase is set, but the key file could not be taken away, and still opens the boxes "
      "without it (`kartei keyring remove file`): " +
      error.what;
  return error;
}

// std::function wants copies of what it holds; secrets have none.
template <class T>
std::shared_ptr<T> shared(T value) {
  return std::make_shared<T>(std::move(value));
}

}  // namespace

KeyDesk::KeyDesk(KeyDeskParts parts)
    : parts_(std::move(parts)),
      files_(parts_.home),
      quiet_service_(parts_.secret_service(false)),
      asking_service_(parts_.secret_service(true)),
      queue_("keys", 1, kRequestsWaiting) {
  retry_ =
      parts_.loop.make_alarm([this] { (void)queue_.post([this](std::size_t) { retry_now(); }); });
}

Status KeyDesk::open() {
  std::string why_file;
  KARTEI_ASSIGN(
      ring_, open_or_make_keyring(parts_.home, files_, parts_.random, *quiet_service_, why_file));
  keyring::FileSource file(files_);
  keyring::SecretServiceSource desktop(*quiet_service_);
  ring_->remove_leftovers({&file, &desktop});
  if (!why_file.empty())
    spdlog::info(
        "The key of this device's boxes lies in a file beside them, which does not protect from a "
        "stolen disk: {} `kartei passphrase` sets a passphrase, `kartei keyring` shows all.",
        why_file);
  auto opened = open_unattended(*ring_, files_, *quiet_service_);
  if (!opened) {
    spdlog::warn("{}", opened.error().what);
    show([&](KeyState& state) { state.why = opened.error().what; });
    try_again_later();
    return {};
  }
  for (const std::string& note : opened->notes)
    spdlog::warn("{} The {} has opened the boxes instead.", note, keyring::to_text(opened->by));
  data_key_ = std::move(opened->key);
  show([&](KeyState& state) {
    state.locked = false;
    state.opened_by = opened->by;
    state.notes = std::move(opened->notes);
  });
  locked_ = false;
  return {};
}

void KeyDesk::stop() {
  retry_->set(std::nullopt);
  queue_.stop();
}

KeyState KeyDesk::state() const {
  std::lock_guard lock(mutex_);
  KeyState now = state_;
  if (locks_asked_ > 0) lock_by_hand(now);
  return now;
}

Error KeyDesk::locked_error() const {
  return {Cause::kLocked, state().why, {}};
}

void KeyDesk::show(const std::function<void(KeyState&)>& change) {
  std::lock_guard lock(mutex_);
  change(state_);
  state_.wraps = ring_->wraps();
  state_.needs_passphrase = ring_->needs_passphrase();
}

// ---- the Secret Service may come up later than this daemon; nothing else opens by itself

void KeyDesk::try_again_later() {
  if (by_hand_ || !ring_->has(Backend::kSecretService)) return;
  retry_ms_ = retry_ms_ == 0 ? kRetryFirstMs : std::min(2 * retry_ms_, kRetryMaxMs);
  retry_->set(steady_ms() + retry_ms_);
}

void KeyDesk::retry_now() {
  if (!locked_ || by_hand_) return;
  auto opened = open_unattended(*ring_, files_, *quiet_service_);
  if (!opened) {
    show([&](KeyState& state) { state.why = opened.error().what; });
    return try_again_later();
  }
  const Status taken = take_key(std::move(opened->key), opened->by, std::move(opened->notes));
  if (!taken) spdlog::error("{}", taken.error().what);
}

// ---- requests

WorkQueue::Job KeyDesk::job_of(std::function<Status()> job, Done done) {
  return [this, job = std::move(job), done = std::move(done)](std::size_t) {
    const Status outcome = job();
    done(outcome ? Result<KeyState>(state()) : Result<KeyState>(outcome.error()));
  };
}

bool KeyDesk::post(std::function<Status()> job, Done done) {
  return queue_.post(job_of(std::move(job), std::move(done)));
}

bool KeyDesk::unlock(crypto::Secret passphrase, Done done) {
  return post([this, given = shared(std::move(passphrase))] { return unlock_now(*given); },
              std::move(done));
}

// Never refused for too much work: guesses that others pile up must not keep the boxes open.
bool KeyDesk::lock(Done done) {
  ++locks_asked_;
  const bool posted = queue_.post_follow_up(job_of([this] { return lock_now(); }, std::move(done)));
  if (!posted) --locks_asked_;
  return posted;
}

bool KeyDesk::set_passphrase(NewPassphrase change, Done done) {
  return post([this, given = shared(std::move(change))] { return set_now(*given); },
              std::move(done));
}

bool KeyDesk::add(Backend backend, crypto::Secret current, Done done) {
  return post([this, backend,
               given = shared(std::move(current))] { return change_now(backend, *given, true); },
              std::move(done));
}

bool KeyDesk::remove(Backend backend, crypto::Secret current, Done done) {
  return post([this, backend,
               given = shared(std::move(current))] { return change_now(backend, *given, false); },
              std::move(done));
}

// ---- the desk's thread

Status KeyDesk::unlock_now(const crypto::Secret& passphrase) {
  if (!locked_) return {};
  if (passphrase.empty()) {
    auto opened = open_unattended(*ring_, files_, *asking_service_);
    if (opened) return take_key(std::move(opened->key), opened->by, std::move(opened->notes));
    if (ring_->needs_passphrase())
      return Error{Cause::kForbidden, "The passphrase is needed.", "passphrase"};
    return opened.error();
  }
  if (!ring_->has(Backend::kPassphrase))
    return bad_input("This device has no passphrase; `kartei keyring` shows what opens its boxes.",
                     "passphrase");
  keyring::PassphraseSource source(passphrase.copy(), parts_.stretch());
  KARTEI_ASSIGN(crypto::Secret key, ring_->unlock(source));
  return take_key(std::move(key), Backend::kPassphrase, {});
}

Status KeyDesk::take_key(crypto::Secret key, Backend by, std::vector<std::string> notes) {
  data_key_ = std::move(key);
  const Status opened = parts_.opened(data_key_);
  by_hand_ = false;
  retry_ms_ = 0;
  retry_->set(std::nullopt);
  show([&](KeyState& state) {
    state.locked = false;
    state.why.clear();
    state.opened_by = by;
    state.notes = std::move(notes);
  });
  locked_ = false;
  spdlog::info("the boxes are unlocked, by the {}", keyring::to_text(by));
  return opened;
}

Status KeyDesk::lock_now() {
  const bool there = !locked_ || in_use_;
  by_hand_ = true;  // also where it was locked for another reason, which may pass
  retry_->set(std::nullopt);
  show(lock_by_hand);
  locked_ = true;
  --locks_asked_;
  if (!there) return {};
  const Status closed = parts_.closed(locked_error());
  in_use_ = closed.has_error();
  data_key_ = {};
  spdlog::info("the boxes are locked");
  return closed;
}

Status KeyDesk::check_unlocked() const {
  return locked_ ? Status(locked_error()) : Status();
}

// Where a passphrase is the only way in, whoever has the socket must not make another.
Status KeyDesk::check_current(const crypto::Secret& current) {
  if (!ring_->needs_passphrase()) return {};
  if (current.empty())
    return Error{Cause::kForbidden,
                 "The passphrase is the only key of this device: changing that takes it.",
                 "current"};
  keyring::PassphraseSource source(current.copy(), parts_.stretch());
  const auto key = ring_->unlock(source);
  if (key) return {};
  Error error = key.error();
  if (error.field == "passphrase") error.field = "current";
  return error;
}

std::unique_ptr<keyring::KeySource> KeyDesk::source_of(Backend backend) {
  if (backend == Backend::kFile) return std::make_unique<keyring::FileSource>(files_);
  if (backend == Backend::kSecretService)
    return std::make_unique<keyring::SecretServiceSource>(*asking_service_);
  return std::make_unique<keyring::PassphraseSource>(crypto::Secret{}, parts_.stretch());
}

Status KeyDesk::set_now(const NewPassphrase& change) {
  KARTEI_TRY(check_unlocked());
  KARTEI_TRY(keyring::check_new_passphrase(change.passphrase));
  KARTEI_TRY(check_current(change.current));
  keyring::PassphraseSource source(change.passphrase.copy(), parts_.stretch());
  Status set = ring_->add(data_key_, source);
  if (set) spdlog::info("the keyring has a new passphrase");
  if (set && !change.keep_file && ring_->has(Backend::kFile)) {
    set = ring_->remove(*source_of(Backend::kFile));
    if (set)
      spdlog::info("the keyring's key file is gone: from now on it takes the passphrase");
    else
      set = file_stayed(set.error());
  }
  show([](KeyState&) {});
  return set;
}

Status KeyDesk::change_now(Backend backend, const crypto::Secret& current, bool add) {
  KARTEI_TRY(check_unlocked());
  KARTEI_TRY(check_current(current));
  const auto source = source_of(backend);
  const Status done = add ? ring_->add(data_key_, *source) : ring_->remove(*source);
  if (done)
    spdlog::info("the keyring: {} {}", keyring::to_text(backend), add ? "added" : "removed");
  show([](KeyState&) {});
  return done;
}

}  // namespace kartei::daemon
