// Who may open the boxes: the first start, what opens by itself, a passphrase, and what is never
// done instead.
#include "daemon/key_desk.h"

#include <gtest/gtest.h>

#include <fstream>

#include "crypto/keyring/passphrase.h"
#include "daemon/api/key_requests.h"
#include "tests/daemon/support.h"

namespace kartei::daemon {
namespace {
using namespace test;
using crypto::Secret;
using keyring::Backend;
namespace fs = std::filesystem;

// A desktop's keyring, which outlives the daemons of a test.
struct Desktop {
  std::map<keyring::WrapId, Bytes> values;
  bool there = true;
  std::shared_future<void> answers_after = {};
};
class DesktopService final : public keyring::SecretService {
 public:
  explicit DesktopService(Desktop& desktop) : desktop_(desktop) {}
  Result<Secret> look_up(const keyring::WrapId& id) override {
    KARTEI_TRY(answers());
    const auto found = desktop_.values.find(id);
    if (found == desktop_.values.end()) return not_found("It has no such key.");
    return Secret(found->second);
  }
  Status store(const keyring::WrapId& id, const Secret& value) override {
    KARTEI_TRY(answers());
    desktop_.values[id] = to_bytes(value.view());
    return {};
  }
  Status forget(const keyring::WrapId& id) override {
    KARTEI_TRY(answers());
    desktop_.values.erase(id);
    return {};
  }

 private:
  Status answers() const {
    if (desktop_.answers_after.valid()) desktop_.answers_after.wait();
    if (desktop_.there) return {};
    return Error{Cause::kUnavailable, "The desktop is not there.", {}};
  }
  Desktop& desktop_;
};

class KeyDeskTest : public ::testing::Test {
 protected:
  KeyDeskTest() : runner_([this] { loop_.run(); }) {}
  ~KeyDeskTest() override {
    desk_.reset();
    loop_.stop();
    runner_.join();
  }

  // A daemon's start.
  Status start() {
    desk_.reset();
    opened_ = closed_ = 0;
    key_.clear();
    desk_ = std::make_unique<KeyDesk>(
        KeyDeskParts{folder_.path(), random_, loop_,
                     [this](bool) { return std::make_unique<DesktopService>(desktop_); },
                     [] { return keyring::stretch_for(true); },
                     [this](const Secret& key) -> Status {
                       ++opened_;
                       key_ = to_bytes(key.view());
                       return {};
                     },
                     [this](const Error&) -> Status {
                       ++closed_;
                       if (in_use_) return Error{Cause::kUnavailable, "A call has a box.", {}};
                       return {};
                     }});
    const Status started = desk_->open();
    if (started && !desk_->locked()) key_ = to_bytes(desk_->data_key()->view());
    return started;
  }
  Result<KeyState> wait_for(const std::function<bool(KeyDesk::Done)>& ask) {
    std::promise<Result<KeyState>> said;
    if (!ask([&](Result<KeyState> state) { said.set_value(std::move(state)); }))
      return Error{Cause::kUnavailable, "busy", {}};
    return said.get_future().get();
  }
  Result<KeyState> unlock(std::string_view words) {
    return wait_for([&](auto done) { return desk_->unlock(Secret(as_bytes(words)), done); });
  }
  Result<KeyState> lock() {
    return wait_for([&](auto done) { return desk_->lock(done); });
  }
  Result<KeyState> set(std::string_view words, std::string_view current = {}, bool keep = false) {
    return wait_for([&](auto done) {
      return desk_->set_passphrase({Secret(as_bytes(words)), Secret(as_bytes(current)), keep},
                                   done);
    });
  }
  Result<KeyState> change(Backend backend, bool add, std::string_view current = {}) {
    return wait_for([&](auto done) {
      return add ? desk_->add(backend, Secret(as_bytes(current)), done)
                 : desk_->remove(backend, Secret(as_bytes(current)), done);
    });
  }
  std::vector<Backend> wraps() const {
    std::vector<Backend> out;
    for (const auto& wrap : desk_->state().wraps) out.push_back(wrap.backend);
    return out;
  }
  std::string content(const char* name) const {
    std::ifstream in(folder_.path() / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  crypto::SystemRandom random_;
  TempFolder folder_;
  Desktop desktop_;
  EventLoop loop_;
  std::thread runner_;
  std::atomic<int> opened_{0}, closed_{0};
  std::atomic<bool> in_use_{false};
  Bytes key_;
  std::unique_ptr<KeyDesk> desk_;
};

TEST_F(KeyDeskTest, TheFirstStartTakesTheSecretServiceWhereItAnswers) {
  ASSERT_TRUE(start());
  EXPECT_FALSE(desk_->locked());
  EXPECT_EQ(wraps(), std::vector{Backend::kSecretService});
  const Bytes key = key_;
  ASSERT_TRUE(start());
  EXPECT_EQ(key_, key);
  EXPECT_EQ(desk_->state().opened_by, Backend::kSecretService);
}

TEST_F(KeyDeskTest, ElseItTakesAFileAndGoesOnWithThat) {
  desktop_.there = false;
  ASSERT_TRUE(start());
  EXPECT_EQ(wraps(), std::vector{Backend::kFile});
  desktop_.there = true;
  ASSERT_TRUE(start());
  EXPECT_EQ(wraps(), std::vector{Backend::kFile});
  EXPECT_TRUE(desktop_.values.empty());
}

TEST_F(KeyDeskTest, AServiceThatIsGoneIsNotReplacedAndComesBackByItself) {
  ASSERT_TRUE(start());
  const Bytes key = key_;
  const std::string before = content("keyring");
  desktop_.there = false;
  ASSERT_TRUE(start());
  EXPECT_TRUE(desk_->locked());
  EXPECT_EQ(desk_->locked_error().cause, Cause::kLocked);
  EXPECT_NE(desk_->locked_error().what.find("The desktop is not there."), std::string::npos);
  EXPECT_NE(desk_->locked_error().what.find("kartei unlock"), std::string::npos);
  EXPECT_FALSE(unlock(""));
  EXPECT_EQ(content("keyring"), before);
  EXPECT_FALSE(fs::exists(folder_.path() / "keyring.key"));
  desktop_.there = true;
  ASSERT_TRUE(eventually([&] { return !desk_->locked(); }));
  EXPECT_EQ(opened_, 1);
  EXPECT_EQ(key_, key);
}

TEST_F(KeyDeskTest, LockedByHandItStaysLocked) {
  ASSERT_TRUE(start());
  const Bytes key = key_;
  ASSERT_TRUE(lock());
  EXPECT_EQ(closed_, 1);
  EXPECT_TRUE(desk_->locked());
  EXPECT_EQ(desk_->data_key(), nullptr);
  ASSERT_TRUE(lock());
  EXPECT_EQ(closed_, 1);
  const auto state = unlock("");
  ASSERT_TRUE(state) << state.error().what;
  EXPECT_EQ(state->opened_by, Backend::kSecretService);
  EXPECT_EQ(key_, key);
}

TEST_F(KeyDeskTest, ALockThatSomethingHeldUpIsNotTakenForDone) {
  ASSERT_TRUE(start());
  in_use_ = true;
  for (int i = 1; i <= 2; ++i) {
    const auto held_up = lock();
    ASSERT_TRUE(held_up.has_error());
    EXPECT_EQ(held_up.error().cause, Cause::kUnavailable);
    EXPECT_EQ(closed_, i);
    EXPECT_TRUE(desk_->locked());
  }
  in_use_ = false;
  EXPECT_TRUE(lock());
}

// Whoever locks wants it locked, also where it was already for a reason that passes.
TEST_F(KeyDeskTest, LockedByHandWhileTheServiceIsGoneItDoesNotOpenWithIt) {
  ASSERT_TRUE(start());
  desktop_.there = false;
  ASSERT_TRUE(start());
  ASSERT_TRUE(lock());
  EXPECT_EQ(desk_->locked_error().what.find("not there"), std::string::npos);
  desktop_.there = true;
  const std::int64_t past_a_retry_ms = steady_ms() + 2'500;
  ASSERT_TRUE(eventually([&] { return !desk_->locked() || steady_ms() > past_a_retry_ms; }));
  EXPECT_TRUE(desk_->locked());
  EXPECT_TRUE(unlock(""));
}

// Whoever locks and walks away does not know of a window that still waits for somebody.
TEST_F(KeyDeskTest, ALockCountsFromTheFirstMomentWhateverIsBeforeIt) {
  desktop_.there = false;
  ASSERT_TRUE(start());
  std::promise<void> answer;
  desktop_.answers_after = answer.get_future().share();
  ASSERT_TRUE(desk_->add(Backend::kSecretService, {}, [](const Result<KeyState>&) {}));
  std::promise<void> done;
  ASSERT_TRUE(desk_->lock([&](const Result<KeyState>&) { done.set_value(); }));
  EXPECT_TRUE(desk_->locked());
  EXPECT_TRUE(desk_->state().locked);
  EXPECT_NE(desk_->locked_error().what.find("kartei unlock"), std::string::npos);
  EXPECT_EQ(closed_, 0);
  answer.set_value();
  done.get_future().wait();
  EXPECT_EQ(closed_, 1);
  EXPECT_TRUE(desk_->locked());
  ASSERT_TRUE(unlock(""));
  EXPECT_FALSE(desk_->locked());
}

TEST_F(KeyDeskTest, ALockIsTakenHoweverManyGuessesWait) {
  desktop_.there = false;
  ASSERT_TRUE(start());
  ASSERT_TRUE(set("nine green bottles"));
  const auto guess = [&] {
    return desk_->set_passphrase(
        {Secret(as_bytes("ten blue pebbles")), Secret(as_bytes("a guess of a passphrase")), false},
        [](const Result<KeyState>&) {});
  };
  while (guess()) {
  }
  EXPECT_TRUE(lock());
  EXPECT_TRUE(desk_->locked());
}

TEST_F(KeyDeskTest, APassphraseTakesThePlaceOfTheFile) {
  desktop_.there = false;
  ASSERT_TRUE(start());
  const Bytes key = key_;
  ASSERT_TRUE(set("nine green bottles"));
  EXPECT_EQ(wraps(), std::vector{Backend::kPassphrase});
  EXPECT_FALSE(fs::exists(folder_.path() / "keyring.key"));
  EXPECT_FALSE(desk_->locked());
  ASSERT_TRUE(start());
  ASSERT_TRUE(desk_->locked());
  const auto wrong = unlock("nine green bottle");
  ASSERT_TRUE(wrong.has_error());
  EXPECT_EQ(wrong.error().cause, Cause::kForbidden);
  EXPECT_EQ(wrong.error().field, "passphrase");
  EXPECT_EQ(unlock("").error().field, "passphrase");
  EXPECT_EQ(opened_, 0);
  ASSERT_TRUE(unlock("nine green bottles"));
  EXPECT_EQ(key_, key);
}

TEST_F(KeyDeskTest, TheFileStaysWhereItsOwnerSaysSo) {
  desktop_.there = false;
  ASSERT_TRUE(start());
  ASSERT_TRUE(set("nine green bottles", "", true));
  EXPECT_EQ(wraps(), (std::vector{Backend::kFile, Backend::kPassphrase}));
}

// Else whoever has the socket could leave a key behind for whoever takes the disk.
TEST_F(KeyDeskTest, WhereThePassphraseIsTheOnlyWayInChangesTakeIt) {
  desktop_.there = false;
  ASSERT_TRUE(start());
  ASSERT_TRUE(set("nine green bottles"));
  for (const char* current : {"", "nine green bottle"}) {
    for (const auto& refused :
         {change(Backend::kFile, true, current), change(Backend::kSecretService, true, current),
          change(Backend::kPassphrase, false, current), set("ten blue pebbles", current)}) {
      ASSERT_TRUE(refused.has_error());
      EXPECT_EQ(refused.error().cause, Cause::kForbidden) << refused.error().what;
      EXPECT_EQ(refused.error().field, "current");
    }
  }
  EXPECT_EQ(wraps(), std::vector{Backend::kPassphrase});
  ASSERT_TRUE(change(Backend::kFile, true, "nine green bottles"));
  ASSERT_TRUE(change(Backend::kPassphrase, false));
  EXPECT_EQ(wraps(), std::vector{Backend::kFile});
}

TEST_F(KeyDeskTest, NothingIsChangedWhileItIsLocked) {
  ASSERT_TRUE(start());
  ASSERT_TRUE(lock());
  for (const auto& refused : {change(Backend::kFile, true), set("nine green bottles"),
                              change(Backend::kSecretService, false)}) {
    ASSERT_TRUE(refused.has_error());
    EXPECT_EQ(refused.error().cause, Cause::kLocked);
  }
}

// The Secret Service first, and its absence told, where there are two.
TEST_F(KeyDeskTest, AFileBesideTheServiceOpensInItsPlaceAndThatIsSaid) {
  ASSERT_TRUE(start());
  ASSERT_TRUE(change(Backend::kFile, true));
  desktop_.there = false;
  ASSERT_TRUE(start());
  EXPECT_FALSE(desk_->locked());
  EXPECT_EQ(desk_->state().opened_by, Backend::kFile);
  EXPECT_EQ(desk_->state().notes, std::vector<std::string>{"The desktop is not there."});
}

TEST_F(KeyDeskTest, OnlyAFewGuessesWait) {
  desktop_.there = false;
  ASSERT_TRUE(start());
  ASSERT_TRUE(set("nine green bottles"));
  ASSERT_TRUE(lock());
  std::atomic<int> answered{0};
  int taken = 0;
  for (int i = 0; i < 20; ++i)
    taken += desk_->unlock(Secret(as_bytes("a guess of a passphrase")),
                           [&](const Result<KeyState>&) { ++answered; })
                 ? 1
                 : 0;
  EXPECT_LT(taken, 8);
  EXPECT_GE(taken, 4);
  desk_->stop();
  EXPECT_EQ(answered, taken);
  EXPECT_TRUE(desk_->locked());
}

TEST(KeyRequests, AreReadAndWipedWhateverTheyHold) {
  const char* const bodies[] = {"",
                                "{}",
                                R"({"passphrase": "nine green bottles"})",
                                R"({"passphrase": 17})",
                                R"({"passphrase": "nine green bottles)",
                                R"({"passphrase": "nine green bottles", "more": true})",
                                "[[[[[[[[[[[[[[[["};
  for (const char* body : bodies) {
    std::string text(body);
    text.reserve(64);
    const char* const place = text.data();
    const std::size_t size = text.size();
    const auto read = api::read_unlock(text);
    EXPECT_TRUE(text.empty());
    for (std::size_t i = 0; i < size; ++i) EXPECT_EQ(place[i], 0) << body;
    if (read.has_error()) {
      EXPECT_EQ(read.error().what.find("green"), std::string::npos) << read.error().what;
    }
  }
  std::string large(64 << 10, ' ');
  EXPECT_TRUE(api::read_unlock(large).has_error());
  std::string many = "{\"a\":[" + std::string(8000, '[') + "]}";
  EXPECT_TRUE(api::read_unlock(many).has_error());
}

TEST(KeyRequests, KnowTheirFields) {
  std::string text =
      R"({"passphrase": "n\u00e4ne \"green\"", "current": "old", "keep_file": true})";
  const auto read = api::read_new_passphrase(text);
  ASSERT_TRUE(read) << read.error().what;
  EXPECT_EQ(as_text(read->passphrase.view()), "n\xc3\xa4ne \"green\"");
  EXPECT_EQ(as_text(read->current.view()), "old");
  EXPECT_TRUE(read->keep_file);
  std::string none = "{}";
  EXPECT_EQ(api::read_new_passphrase(none).error().field, "passphrase");
  std::string foreign = R"({"passphrase": "nine green bottles"})";
  EXPECT_EQ(api::read_key_change(foreign).error().field, "passphrase");
}

}  // namespace
}  // namespace kartei::daemon
