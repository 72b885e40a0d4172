#include "crypto/keyring/keyring.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "tests/keyring/support.h"

namespace kartei::keyring {
namespace {

namespace fs = std::filesystem;
using crypto::Secret;
using crypto::SeededRandom;

class KeyringOnDisk : public testing::Test {
 protected:
  fs::path file(const char* name) const { return directory_.path() / name; }
  std::string content(const char* name) const {
    std::ifstream in(file(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void put(const char* name, const std::string& bytes) const {
    std::ofstream(file(name), std::ios::binary) << bytes;
    ::chmod(file(name).c_str(), 0600);
  }

  SeededRandom random_{7};
  crypto::TemporaryDirectory directory_;
  DiskKeyFiles files_{directory_.path()};
  FileSource source_{files_};
};

TEST_F(KeyringOnDisk, there_is_none_at_first) {
  const auto opened = Keyring::open(files_, random_);
  ASSERT_TRUE(opened.has_error());
  EXPECT_EQ(opened.error().cause, Cause::kNotFound);
}

TEST_F(KeyringOnDisk, a_new_one_gives_the_same_key_again) {
  auto made = Keyring::make(files_, random_, source_);
  ASSERT_TRUE(made) << made.error().what;
  EXPECT_EQ(made->data_key.size(), kKeySize);
  const auto opened = Keyring::open(files_, random_);
  ASSERT_TRUE(opened) << opened.error().what;
  const auto key = opened->unlock(source_);
  ASSERT_TRUE(key) << key.error().what;
  EXPECT_TRUE(same(*key, made->data_key));
  EXPECT_FALSE(opened->needs_passphrase());
}

TEST_F(KeyringOnDisk, its_files_are_its_owners_alone_and_nothing_else_is_left) {
  ASSERT_TRUE(Keyring::make(files_, random_, source_));
  std::size_t count = 0;
  for (const auto& entry : fs::directory_iterator(directory_.path())) {
    struct stat info {};
    ASSERT_EQ(::stat(entry.path().c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 07777, 0600u) << entry.path();
    ++count;
  }
  EXPECT_EQ(count, 2u);
}

TEST_F(KeyringOnDisk, the_key_file_says_what_it_is) {
  ASSERT_TRUE(Keyring::make(files_, random_, source_));
  EXPECT_NE(content(kWrappingKeyFile).find("does not protect from a stolen disk"),
            std::string::npos);
}

TEST_F(KeyringOnDisk, neither_file_holds_the_data_key) {
  const auto made = Keyring::make(files_, random_, source_);
  ASSERT_TRUE(made);
  const std::string raw(as_text(made->data_key.view())), hex = to_hex(made->data_key.view());
  for (const char* name : {kKeyringFile, kWrappingKeyFile}) {
    EXPECT_EQ(content(name).find(raw), std::string::npos) << name;
    EXPECT_EQ(content(name).find(hex), std::string::npos) << name;
  }
}

TEST_F(KeyringOnDisk, none_is_made_over_one_that_is_there_whatever_its_state) {
  for (const char* bytes : {"", "something else"}) {
    put(kKeyringFile, bytes);
    const auto made = Keyring::make(files_, random_, source_);
    ASSERT_TRUE(made.has_error());
    EXPECT_EQ(made.error().cause, Cause::kConflict);
    EXPECT_EQ(content(kKeyringFile), bytes);
    EXPECT_FALSE(fs::exists(file(kWrappingKeyFile)));
  }
}

TEST_F(KeyringOnDisk, an_empty_or_damaged_one_is_named_and_not_taken_for_none) {
  ASSERT_TRUE(Keyring::make(files_, random_, source_));
  std::string good = content(kKeyringFile);
  put(kKeyringFile, "");
  auto opened = Keyring::open(files_, random_);
  ASSERT_TRUE(opened.has_error());
  EXPECT_EQ(opened.error().cause, Cause::kCorrupt);
  EXPECT_NE(opened.error().what.find("it is empty"), std::string::npos) << opened.error().what;
  EXPECT_NE(opened.error().what.find(file(kKeyringFile).string()), std::string::npos);

  good[good.size() / 2] ^= 1;
  put(kKeyringFile, good);
  opened = Keyring::open(files_, random_);
  ASSERT_TRUE(opened.has_error());
  EXPECT_EQ(opened.error().cause, Cause::kCorrupt);
  EXPECT_NE(opened.error().what.find("backup"), std::string::npos) << opened.error().what;
}

TEST_F(KeyringOnDisk, one_that_others_may_read_is_refused) {
  ASSERT_TRUE(Keyring::make(files_, random_, source_));
  ASSERT_EQ(::chmod(file(kKeyringFile).c_str(), 0644), 0);
  const auto opened = Keyring::open(files_, random_);
  ASSERT_TRUE(opened.has_error());
  EXPECT_EQ(opened.error().cause, Cause::kForbidden);
}

TEST_F(KeyringOnDisk, a_link_that_leads_nowhere_is_not_taken_for_none) {
  for (const char* name : {kKeyringFile, kWrappingKeyFile}) {
    fs::create_symlink(directory_.path() / "elsewhere", file(name));
    const auto made = Keyring::make(files_, random_, source_);
    ASSERT_TRUE(made.has_error()) << name;
    EXPECT_TRUE(fs::is_symlink(file(name)));
    fs::remove(file(name));
  }
  fs::create_symlink(directory_.path() / "elsewhere", file(kKeyringFile));
  EXPECT_EQ(Keyring::open(files_, random_).error().cause, Cause::kUnavailable);
}

// The keyring that needs it may come back from a backup.
TEST_F(KeyringOnDisk, a_key_file_without_its_keyring_is_kept_aside) {
  ASSERT_TRUE(Keyring::make(files_, random_, source_));
  const std::string ring = content(kKeyringFile), key = content(kWrappingKeyFile);
  for (int i = 0; i < 2; ++i) {  // the first one counts
    fs::remove(file(kKeyringFile));
    ASSERT_TRUE(Keyring::make(files_, random_, source_));
    EXPECT_EQ(content(kOldWrappingKeyFile), key);
  }
  put(kKeyringFile, ring);
  put(kWrappingKeyFile, key);
  EXPECT_TRUE(Keyring::open(files_, random_)->unlock(source_));
}

// A desktop without a Secret Service tries that first, which leaves a list of what is to be
// forgotten.
TEST_F(KeyringOnDisk, a_key_file_without_its_keyring_is_kept_aside_whatever_was_tried_before) {
  ASSERT_TRUE(Keyring::make(files_, random_, source_));
  const std::string key = content(kWrappingKeyFile);
  fs::remove(file(kKeyringFile));
  class Gone final : public KeySource {
   public:
    Backend backend() const override { return Backend::kSecretService; }
    Result<crypto::Secret> key_of(const Wrap&) override { return none(); }
    Result<crypto::Secret> make_key(Wrap&, crypto::Random&) override { return none(); }
    Status forget(const WrapId&) override { return none(); }

   private:
    static Error none() { return {Cause::kUnavailable, "nobody answers", {}}; }
  } gone;
  ASSERT_FALSE(Keyring::make(files_, random_, gone));
  ASSERT_TRUE(fs::exists(file(kForgetListFile)));
  ASSERT_TRUE(Keyring::make(files_, random_, source_));
  EXPECT_EQ(content(kOldWrappingKeyFile), key);
}

TEST_F(KeyringOnDisk, a_key_file_that_goes_is_overwritten) {
  ASSERT_TRUE(Keyring::make(files_, random_, source_));
  std::ifstream still_open(file(kWrappingKeyFile), std::ios::binary);
  ASSERT_TRUE(files_.remove(kWrappingKeyFile));
  EXPECT_FALSE(fs::exists(file(kWrappingKeyFile)));
  const std::string left((std::istreambuf_iterator<char>(still_open)), {});
  EXPECT_FALSE(left.empty());
  EXPECT_EQ(left.find_first_not_of('\0'), std::string::npos);
}

TEST_F(KeyringOnDisk, a_key_file_that_is_gone_damaged_or_foreign_is_told_apart) {
  ASSERT_TRUE(Keyring::make(files_, random_, source_));
  const auto keyring = Keyring::open(files_, random_);
  ASSERT_TRUE(keyring);
  const std::string good = content(kWrappingKeyFile);
  const auto error_with = [&](const std::string& bytes) {
    put(kWrappingKeyFile, bytes);
    const auto key = keyring->unlock(source_);
    EXPECT_TRUE(key.has_error());
    return key ? Error{} : key.error();
  };
  EXPECT_EQ(error_with("").cause, Cause::kCorrupt);
  for (const std::size_t at :
       {std::size_t{0}, good.size() - 2, good.size() - 60, good.size() - 1}) {
    std::string bad = good;
    bad[at] = bad[at] == 'a' ? 'b' : 'a';
    const Error error = error_with(bad);
    EXPECT_EQ(error.cause, Cause::kCorrupt) << at;
    EXPECT_NE(error.what.find("damaged"), std::string::npos) << error.what;
  }
  std::string upper = good;  // one content, one form
  for (char& c : upper)
    if (c >= 'a' && c <= 'f' && &c >= upper.data() + upper.size() - 113) c ^= 0x20;
  ASSERT_NE(upper, good);
  EXPECT_EQ(error_with(upper).cause, Cause::kCorrupt);

  crypto::TemporaryDirectory elsewhere;
  DiskKeyFiles other_files(elsewhere.path());
  FileSource other(other_files);
  ASSERT_TRUE(Keyring::make(other_files, random_, other));
  fs::copy_file(elsewhere.path() / kWrappingKeyFile, file(kWrappingKeyFile),
                fs::copy_options::overwrite_existing);
  auto key = keyring->unlock(source_);
  ASSERT_TRUE(key.has_error());
  EXPECT_NE(key.error().what.find("another keyring"), std::string::npos) << key.error().what;

  fs::remove(file(kWrappingKeyFile));
  key = keyring->unlock(source_);
  ASSERT_TRUE(key.has_error());
  EXPECT_EQ(key.error().cause, Cause::kNotFound);
  EXPECT_NE(key.error().what.find("kartei keyring"), std::string::npos) << key.error().what;
  put(kWrappingKeyFile, good);
  EXPECT_TRUE(keyring->unlock(source_));
}

TEST_F(KeyringOnDisk, the_last_wrap_stays) {
  auto made = Keyring::make(files_, random_, source_);
  ASSERT_TRUE(made);
  const Status removed = made->keyring.remove(source_);
  ASSERT_TRUE(removed.has_error());
  EXPECT_EQ(removed.error().cause, Cause::kConflict);
  EXPECT_TRUE(made->keyring.unlock(source_));
  EXPECT_TRUE(Keyring::open(files_, random_)->unlock(source_));
}

TEST_F(KeyringOnDisk, a_second_key_file_never_goes_over_the_first) {
  auto made = Keyring::make(files_, random_, source_);
  ASSERT_TRUE(made);
  const std::string before = content(kWrappingKeyFile);
  const Status added = made->keyring.add(made->data_key, source_);
  ASSERT_TRUE(added.has_error());
  EXPECT_EQ(added.error().cause, Cause::kConflict);
  EXPECT_EQ(content(kWrappingKeyFile), before);
}

}  // namespace
}  // namespace kartei::keyring
