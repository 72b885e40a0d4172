// Every change of a keyring, with a disk that fails or a process that dies at each of its steps in
// turn: afterwards the file is the old one or the new one, and all that it names gives the data
// key.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <optional>

#include "crypto/keyring/keyring.h"
#include "tests/keyring/support.h"

namespace kartei::keyring {
namespace {

using crypto::Secret;
using crypto::SeededRandom;

class Rewrap : public testing::Test {
 protected:
  using Change = std::function<Status(Keyring&)>;

  Rewrap() {
    auto made = Keyring::make(files_, random_, file_);
    data_key_ = std::move(made->data_key);
  }

  Keyring open() {
    auto opened = Keyring::open(files_, random_);
    return std::move(*opened);
  }
  Status add(Keyring& ring, KeySource& source) { return ring.add(data_key_, source); }

  // All that the file names opens, with the sources as they are; of passphrases one or the other.
  void expect_all_open(const std::string& where) {
    steps_.calm();
    auto ring = Keyring::open(files_, random_);
    ASSERT_TRUE(ring) << where << ": " << ring.error().what;
    for (const Wrap& wrap : ring->wraps()) {
      std::vector<KeySource*> sources;
      if (wrap.backend == Backend::kFile) sources = {&file_};
      if (wrap.backend == Backend::kSecretService) sources = {&service_source_};
      if (wrap.backend == Backend::kPassphrase) sources = {&old_words_, &new_words_};
      std::size_t open = 0;
      for (KeySource* source : sources) {
        const auto key = ring->unlock(*source);
        open += key && same(*key, data_key_) ? 1 : 0;
      }
      EXPECT_EQ(open, 1u) << where << ": " << to_text(wrap.backend);
    }
  }

  // No key that opens nothing any more, nor what was half written.
  void expect_nothing_unneeded(const Keyring& ring, const std::string& where) {
    for (const auto& [name, content] : files_.files)
      EXPECT_TRUE(name == kKeyringFile || (name == kWrappingKeyFile && ring.has(Backend::kFile)))
          << where << ": " << name;
    for (const auto& entry : service_.values)
      EXPECT_TRUE(std::any_of(ring.wraps().begin(), ring.wraps().end(), [&](const Wrap& wrap) {
        return wrap.id == entry.first;
      })) << where;
  }

  // Runs the change once for each step and each trouble; then once more in peace, which must do.
  std::size_t torment(const Change& change) {
    const auto files = files_.files;
    const auto values = service_.values;
    steps_.calm();
    auto probe = open();
    steps_.calm();
    EXPECT_TRUE(change(probe));
    const std::size_t count = steps_.taken();
    const auto after = files_.files.at(kKeyringFile);
    for (const Trouble trouble : {Trouble::kFails, Trouble::kFailsAfter, Trouble::kDiesBefore,
                                  Trouble::kDiesAfter, Trouble::kDiesWithin}) {
      for (std::size_t step = 0; step < count; ++step) {
        files_.files = files;
        service_.values = values;
        steps_.calm();
        auto ring = std::optional(open());
        steps_.trouble_at(step, trouble);
        try {
          const Status done = change(*ring);
          EXPECT_TRUE(done.has_error() || files_.files.at(kKeyringFile) != files.at(kKeyringFile));
        } catch (const Steps::Died&) {
          ring.reset();
        }
        const std::string where = "trouble " + std::to_string(static_cast<int>(trouble)) +
                                  " at step " + std::to_string(step);
        const bool changed = files_.files.at(kKeyringFile).size() == after.size() &&
                             files_.files.at(kKeyringFile) != files.at(kKeyringFile);
        EXPECT_TRUE(changed || files_.files.at(kKeyringFile) == files.at(kKeyringFile)) << where;
        expect_all_open(where);
        if (HasFatalFailure()) return count;
        // What a running daemon believes is what stands in the file.
        if (ring) {
          EXPECT_EQ(encode(*ring), files_.files.at(kKeyringFile)) << where;
        }
        auto again = open();
        again.remove_leftovers({&file_, &service_source_});
        expect_nothing_unneeded(again, where);
        if (!changed) {
          EXPECT_TRUE(change(again)) << where;
        }
        expect_all_open(where + ", repeated");
        if (HasFatalFailure()) return count;
      }
    }
    return count;
  }

  static Bytes encode(const Keyring& ring) { return encode_keyring({ring.key_id(), ring.wraps()}); }

  SeededRandom random_{11};
  Steps steps_;
  PoorFiles files_{steps_};
  PoorService service_{steps_};
  FileSource file_{files_};
  SecretServiceSource service_source_{service_};
  QuickPassphrase old_words_{"old words"}, new_words_{"new words"};
  Secret data_key_;
};

TEST_F(Rewrap, adding_the_secret_service) {
  EXPECT_GE(torment([&](Keyring& ring) { return add(ring, service_source_); }), 5u);
}

TEST_F(Rewrap, adding_a_passphrase) {
  torment([&](Keyring& ring) { return add(ring, new_words_); });
}

TEST_F(Rewrap, changing_the_only_passphrase) {
  auto ring = open();
  ASSERT_TRUE(add(ring, old_words_) && ring.remove(file_));
  ASSERT_TRUE(ring.needs_passphrase());
  torment([&](Keyring& one) { return add(one, new_words_); });
}

TEST_F(Rewrap, removing_the_key_file) {
  auto ring = open();
  ASSERT_TRUE(add(ring, old_words_));
  torment([&](Keyring& one) { return one.remove(file_); });
}

TEST_F(Rewrap, removing_the_secret_service) {
  auto ring = open();
  ASSERT_TRUE(add(ring, service_source_));
  torment([&](Keyring& one) { return one.remove(service_source_); });
}

TEST_F(Rewrap, adding_the_key_file_again) {
  auto ring = open();
  ASSERT_TRUE(add(ring, service_source_) && ring.remove(file_));
  torment([&](Keyring& one) { return add(one, file_); });
}

// The first start: a keyring, or none and then one at the next try.
TEST_F(Rewrap, making_one) {
  for (KeySource* source :
       {static_cast<KeySource*>(&file_), static_cast<KeySource*>(&service_source_)}) {
    files_.files.clear();
    steps_.calm();
    ASSERT_TRUE(Keyring::make(files_, random_, *source));
    const std::size_t count = steps_.taken();
    for (const Trouble trouble : {Trouble::kFails, Trouble::kFailsAfter, Trouble::kDiesBefore,
                                  Trouble::kDiesAfter, Trouble::kDiesWithin}) {
      for (std::size_t step = 0; step < count; ++step) {
        files_.files.clear();
        service_.values.clear();
        steps_.trouble_at(step, trouble);
        try {
          (void)Keyring::make(files_, random_, *source);
        } catch (const Steps::Died&) {
        }
        steps_.calm();
        if (files_.files.count(kKeyringFile) == 0) {
          ASSERT_TRUE(Keyring::make(files_, random_, *source)) << step;
        }
        const auto key = open().unlock(*source);
        ASSERT_TRUE(key) << step << ' ' << key.error().what;
      }
    }
  }
}

TEST_F(Rewrap, a_full_or_read_only_disk_says_what_it_is_and_that_nothing_changed) {
  for (const Cause cause : {Cause::kFull, Cause::kReadOnly}) {
    auto ring = open();
    steps_.trouble_at(0, Trouble::kFails, cause);
    const Status done = add(ring, new_words_);
    ASSERT_TRUE(done.has_error());
    EXPECT_EQ(done.error().cause, cause);
    EXPECT_NE(done.error().what.find("stays as it was"), std::string::npos) << done.error().what;
  }
}

TEST_F(Rewrap, the_old_passphrase_opens_until_the_new_one_has_and_not_after) {
  auto ring = open();
  ASSERT_TRUE(add(ring, old_words_));
  EXPECT_TRUE(ring.unlock(old_words_));
  ASSERT_TRUE(add(ring, new_words_));
  EXPECT_TRUE(open().unlock(new_words_));
  EXPECT_FALSE(open().unlock(old_words_));
}

// A wrap that does not give the data key back is found before it takes the place of one that does.
TEST_F(Rewrap, a_new_wrap_that_does_not_open_changes_nothing) {
  class Forgetful final : public KeySource {
   public:
    Backend backend() const override { return Backend::kPassphrase; }
    Result<Secret> key_of(const Wrap&) override { return Secret(kKeySize); }
    Result<Secret> make_key(Wrap& wrap, crypto::Random& random) override {
      wrap.stretch = {2, 64 << 10};
      return Secret::random(kKeySize, random);
    }
    Status forget(const WrapId&) override { return {}; }
  } forgetful;
  auto ring = open();
  ASSERT_TRUE(add(ring, old_words_));
  const auto before = files_.files;
  EXPECT_FALSE(add(ring, forgetful));
  EXPECT_EQ(files_.files, before);
  EXPECT_TRUE(ring.unlock(old_words_));
}

TEST_F(Rewrap, what_cannot_be_read_back_changes_nothing) {
  auto ring = open();
  ASSERT_TRUE(add(ring, old_words_));
  const auto before = files_.files;
  files_.garbles = true;
  for (const Status& done : {add(ring, new_words_), ring.remove(file_)}) {
    ASSERT_TRUE(done.has_error());
    EXPECT_NE(done.error().what.find("read back"), std::string::npos) << done.error().what;
  }
  EXPECT_EQ(files_.files, before);
}

TEST_F(Rewrap, another_data_key_cannot_be_wrapped) {
  auto ring = open();
  const auto before = files_.files;
  EXPECT_FALSE(ring.add(Secret::random(kKeySize, random_), new_words_));
  EXPECT_EQ(files_.files, before);
}

TEST_F(Rewrap, what_a_wrap_needed_goes_with_it) {
  auto ring = open();
  ASSERT_TRUE(add(ring, service_source_));
  EXPECT_EQ(service_.values.size(), 1u);
  ASSERT_TRUE(ring.remove(file_));
  EXPECT_EQ(files_.files.count(kWrappingKeyFile), 0u);
  ASSERT_TRUE(add(ring, old_words_) && ring.remove(service_source_));
  EXPECT_TRUE(service_.values.empty());
  EXPECT_EQ(files_.files.size(), 1u);
}

// A service that is gone for good must not keep its wrap in the keyring.
TEST_F(Rewrap, a_wrap_can_be_removed_though_its_service_is_gone) {
  auto ring = open();
  ASSERT_TRUE(add(ring, service_source_));
  service_.gone = true;
  const Status removed = ring.remove(service_source_);
  ASSERT_TRUE(removed.has_error());
  EXPECT_NE(removed.error().what.find("gone from the keyring"), std::string::npos);
  EXPECT_FALSE(open().has(Backend::kSecretService));
  EXPECT_TRUE(open().unlock(file_));
  EXPECT_EQ(service_.values.size(), 1u);
  // Should it come back, what it kept goes.
  service_.gone = false;
  open().remove_leftovers({&file_, &service_source_});
  EXPECT_TRUE(service_.values.empty());
  EXPECT_EQ(files_.files.count(kForgetListFile), 0u);
}

// Whoever puts another keyring in the place of this one must not lose this one's keys by it.
TEST_F(Rewrap, what_another_keyring_forgets_is_left_alone) {
  auto ring = open();
  ASSERT_TRUE(add(ring, old_words_));
  steps_.trouble_at(3, Trouble::kDiesBefore);  // the list is written, the file wrap still there
  EXPECT_THROW((void)ring.remove(file_), Steps::Died);
  steps_.calm();
  ASSERT_EQ(files_.files.count(kForgetListFile), 1u);
  const auto files = files_.files;

  files_.files.erase(kKeyringFile);
  QuickPassphrase other("other words");
  ASSERT_TRUE(Keyring::make(files_, random_, other));
  open().remove_leftovers({&file_, &service_source_});
  files_.files[kKeyringFile] = files.at(kKeyringFile);
  EXPECT_TRUE(open().unlock(file_));
  open().remove_leftovers({&file_, &service_source_});
  EXPECT_TRUE(open().unlock(file_));
}

// A first start that dies anywhere, and the next one: the service keeps one key, the one in use.
TEST_F(Rewrap, a_first_start_that_was_cut_off_leaves_no_key_in_the_service) {
  for (std::size_t step = 0;; ++step) {
    files_.files.clear();
    service_.values.clear();
    steps_.trouble_at(step, Trouble::kDiesAfter);
    bool died = false;
    try {
      ASSERT_TRUE(Keyring::make(files_, random_, service_source_));
    } catch (const Steps::Died&) {
      died = true;
    }
    steps_.calm();
    if (files_.files.count(kKeyringFile) == 0) {
      ASSERT_TRUE(Keyring::make(files_, random_, service_source_)) << step;
    }
    open().remove_leftovers({&file_, &service_source_});
    EXPECT_EQ(service_.values.size(), 1u) << step;
    EXPECT_EQ(files_.files.count(kForgetListFile), 0u) << step;
    EXPECT_TRUE(open().unlock(service_source_)) << step;
    if (!died) break;
  }
}

// A device without a desktop has nothing to forget there, for ever.
TEST_F(Rewrap, where_there_is_no_service_nothing_is_to_be_forgotten) {
  for (const bool absent : {true, false}) {
    files_.files.clear();
    service_.gone = true;
    service_.absent = absent;
    EXPECT_FALSE(Keyring::make(files_, random_, service_source_));
    EXPECT_EQ(files_.files.count(kForgetListFile), absent ? 0u : 1u);
  }
}

// A list that cannot be read now is not an empty one, to be written anew.
TEST_F(Rewrap, what_is_to_be_forgotten_outlives_a_disk_that_fails) {
  auto ring = open();
  ASSERT_TRUE(add(ring, service_source_));
  const WrapId id = service_.values.begin()->first;
  service_.gone = true;
  ASSERT_FALSE(ring.remove(service_source_));
  service_.gone = false;
  const auto files = files_.files;
  bool failed = true;
  for (std::size_t step = 0; failed; ++step) {
    files_.files = files;
    auto again = open();
    steps_.trouble_at(step, Trouble::kFails, Cause::kIo);
    failed = !add(again, service_source_);
    failed = failed || steps_.taken() > step;  // in what it does after all has succeeded
    steps_.calm();
    const auto list = decode_forget_list(files_.files.at(kForgetListFile));
    ASSERT_TRUE(list) << step;
    EXPECT_EQ(std::count(list->entries.begin(), list->entries.end(),
                         ForgetList::Entry{Backend::kSecretService, id}),
              1)
        << step;
  }
}

TEST_F(Rewrap, a_key_file_of_another_wrap_is_not_what_is_forgotten) {
  auto ring = open();
  ASSERT_TRUE(add(ring, old_words_));
  PoorFiles elsewhere(steps_);
  FileSource other(elsewhere);
  ASSERT_TRUE(Keyring::make(elsewhere, random_, other));
  files_.files[kWrappingKeyFile] = elsewhere.files.at(kWrappingKeyFile);
  ASSERT_TRUE(ring.remove(file_));
  EXPECT_EQ(files_.files[kWrappingKeyFile], elsewhere.files.at(kWrappingKeyFile));
}

TEST_F(Rewrap, a_service_that_lost_the_key_says_how_to_go_on) {
  auto ring = open();
  ASSERT_TRUE(add(ring, service_source_));
  service_.values.clear();
  const auto key = ring.unlock(service_source_);
  ASSERT_TRUE(key.has_error());
  EXPECT_EQ(key.error().cause, Cause::kUnavailable);
  EXPECT_NE(key.error().what.find("another session"), std::string::npos) << key.error().what;
}

TEST_F(Rewrap, what_the_service_holds_is_base64_and_checked) {
  auto ring = open();
  ASSERT_TRUE(add(ring, service_source_));
  Bytes& value = service_.values.begin()->second;
  EXPECT_EQ(value.size(), 44u);
  const Bytes good = value;
  for (const char* bad : {"", "AAAA", "not base64 at all", "////"}) {
    value = to_bytes(as_bytes(bad));
    const auto key = ring.unlock(service_source_);
    ASSERT_TRUE(key.has_error());
    EXPECT_EQ(key.error().cause, Cause::kCorrupt) << bad;
  }
  value = good;
  value[0] = value[0] == 'A' ? 'B' : 'A';
  EXPECT_EQ(ring.unlock(service_source_).error().cause, Cause::kForbidden);
  value = good;
  EXPECT_TRUE(ring.unlock(service_source_));
}

}  // namespace
}  // namespace kartei::keyring
