#include "crypto/identity.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <set>

#include "crypto/private_file.h"
#include "tests/crypto/support.h"

// The calls that make a save durable, in order, as this program makes them; and a disk that fails.
namespace {
std::vector<std::string> g_calls;
bool g_fsync_fails = false;

std::string kind_of(int fd) {
  struct stat info {};
  ::fstat(fd, &info);
  return S_ISDIR(info.st_mode) ? "directory" : "file";
}
}  // namespace

extern "C" int fsync(int fd) {
  g_calls.push_back("sync " + kind_of(fd));
  if (g_fsync_fails) {
    errno = EIO;
    return -1;
  }
  return static_cast<int>(::syscall(SYS_fsync, fd));
}

extern "C" int rename(const char* from, const char* to) noexcept {
  g_calls.push_back("rename");
  return static_cast<int>(::syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0));
}

namespace kartei::crypto {
namespace {

namespace fs = std::filesystem;

Bytes content_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void put(const fs::path& file, const Bytes& content, mode_t mode = 0600) {
  std::ofstream(file, std::ios::binary)
      .write(reinterpret_cast<const char*>(content.data()),
             static_cast<std::streamsize>(content.size()));
  ASSERT_EQ(::chmod(file.c_str(), mode), 0);
}

mode_t mode_of(const fs::path& file) {
  struct stat info {};
  EXPECT_EQ(::stat(file.c_str(), &info), 0);
  return info.st_mode & 07777;
}

class IdentityFile : public testing::Test {
 protected:
  void SetUp() override {
    g_fsync_fails = false;
    g_calls.clear();
  }
  void TearDown() override { g_fsync_fails = false; }
  Cause load_cause() const {
    const auto loaded = Identity::load(file_);
    return loaded.has_error() ? loaded.error().cause : Cause::kInternal;
  }

  SeededRandom random_{3};
  TemporaryDirectory directory_;
  fs::path file_ = directory_.path() / "identity";
  Identity identity_ = Identity::generate(random_);
};

TEST(Identity, KeysAreBoundAndSign) {
  SeededRandom random(1);
  const Identity me = Identity::generate(random), other = Identity::generate(random);
  EXPECT_TRUE(me.pub().verify());
  EXPECT_NE(me.pub(), other.pub());
  EXPECT_NE(me.pub().id(), other.pub().id());
  const Bytes message = hex("68656c6c6f");
  const Signature signature = me.sign(message);
  EXPECT_TRUE(verify(me.pub().sign_key, message, signature));
  EXPECT_FALSE(verify(other.pub().sign_key, message, signature));
  EXPECT_FALSE(verify(me.pub().sign_key, hex("68656c6c70"), signature));
  const Identity copy = me.copy();
  EXPECT_EQ(copy.pub(), me.pub());
  EXPECT_EQ(copy.sign(message), signature);
  EXPECT_EQ(to_hex(copy.box_secret().view()), to_hex(me.box_secret().view()));
}

TEST(Identity, TheSameSeedGivesTheSameDevice) {
  SeededRandom a(9), b(9), c(10);
  const Identity first = Identity::generate(a);
  EXPECT_EQ(first.pub(), Identity::generate(b).pub());
  EXPECT_NE(first.pub(), Identity::generate(c).pub());
}

TEST(Identity, EncodingRoundTripsAndAnyFlippedBitIsRefused) {
  SeededRandom random(1);
  const PublicIdentity pub = Identity::generate(random).pub();
  const Bytes encoded = pub.encode();
  ASSERT_EQ(encoded.size(), PublicIdentity::kEncodedSize);
  EXPECT_EQ(PublicIdentity::decode(encoded).value(), pub);
  for (std::size_t bit = 0; bit < encoded.size() * 8; ++bit) {
    ASSERT_TRUE(PublicIdentity::decode(flipped(encoded, bit)).has_error()) << bit;
  }
  EXPECT_TRUE(PublicIdentity::decode(ByteView(encoded).first(127)).has_error());
  EXPECT_TRUE(PublicIdentity::decode({}).has_error());
}

TEST(Identity, AKeyOfLowOrderIsRefusedEvenWhenSigned) {
  SeededRandom random(1);
  const Identity me = Identity::generate(random);
  PublicIdentity pub = me.pub();
  pub.box_key = BoxKey{1};
  Bytes message = to_bytes(as_bytes("kartei device v1"));
  message.insert(message.end(), pub.box_key.begin(), pub.box_key.end());
  pub.binding = me.sign(message);
  ASSERT_TRUE(verify(pub.sign_key, message, pub.binding));
  EXPECT_FALSE(pub.verify());
  EXPECT_TRUE(PublicIdentity::decode(pub.encode()).has_error());
}

TEST_F(IdentityFile, SavesAndLoads) {
  ASSERT_TRUE(identity_.save(file_).has_value());
  EXPECT_EQ(mode_of(file_), 0600u);
  const auto loaded = Identity::load(file_);
  ASSERT_TRUE(loaded.has_value());
  EXPECT_EQ(loaded->pub(), identity_.pub());
  EXPECT_EQ(loaded->sign(hex("aa")), identity_.sign(hex("aa")));
  EXPECT_EQ(to_hex(loaded->box_secret().view()), to_hex(identity_.box_secret().view()));
}

TEST_F(IdentityFile, ModeIs0600WhateverTheUmask) {
  for (mode_t mask : {0777, 0277, 0}) {
    const mode_t before = ::umask(mask);
    const Status saved = identity_.save(file_);
    ::umask(before);
    ASSERT_TRUE(saved.has_value());
    EXPECT_EQ(mode_of(file_), 0600u) << std::oct << mask;
  }
}

TEST_F(IdentityFile, AnyRightForOthersIsRefused) {
  ASSERT_TRUE(identity_.save(file_).has_value());
  for (mode_t right : {0001, 0002, 0004, 0010, 0020, 0040}) {
    ASSERT_EQ(::chmod(file_.c_str(), 0600 | right), 0);
    EXPECT_EQ(load_cause(), Cause::kForbidden) << std::oct << right;
  }
  ASSERT_EQ(::chmod(file_.c_str(), 0400), 0);
  EXPECT_TRUE(Identity::load(file_).has_value());
}

TEST_F(IdentityFile, MissingOrNoPlainFileIsRefused) {
  EXPECT_EQ(load_cause(), Cause::kNotFound);
  ASSERT_EQ(::mkfifo(file_.c_str(), 0600), 0);
  EXPECT_EQ(load_cause(), Cause::kForbidden);  // and does not hang
  fs::remove(file_);
  fs::create_directory(file_);
  ASSERT_EQ(::chmod(file_.c_str(), 0700), 0);
  EXPECT_EQ(load_cause(), Cause::kForbidden);
}

TEST_F(IdentityFile, AFileOfAnotherUserIsRefused) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give a file away";
  ASSERT_TRUE(identity_.save(file_).has_value());
  ASSERT_EQ(::chown(file_.c_str(), 12345, 12345), 0);
  EXPECT_EQ(load_cause(), Cause::kForbidden);
}

TEST_F(IdentityFile, ShortLongAlteredForeignAndNewerFilesAreRefused) {
  ASSERT_TRUE(identity_.save(file_).has_value());
  const Bytes good = content_of(file_);
  ASSERT_EQ(good.size(), 105u);
  for (std::size_t size = 0; size < good.size(); ++size) {
    put(file_, Bytes(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(size)));
    ASSERT_EQ(load_cause(), Cause::kCorrupt) << size;
  }
  for (std::size_t byte = 0; byte < good.size(); ++byte) {
    put(file_, flipped(good, byte * 8));
    ASSERT_TRUE(Identity::load(file_).has_error()) << byte;
  }
  Bytes longer = good;
  longer.push_back(0);
  put(file_, longer);
  EXPECT_EQ(load_cause(), Cause::kCorrupt);
  put(file_, Bytes(105, 'x'));
  EXPECT_EQ(load_cause(), Cause::kCorrupt);
  put(file_, Bytes(1 << 20, 'x'));
  EXPECT_EQ(load_cause(), Cause::kCorrupt);
  Bytes newer = good;
  newer[8] = 2;
  put(file_, newer);
  EXPECT_EQ(load_cause(), Cause::kVersion);
}

TEST_F(IdentityFile, SavingSyncsTheFileThenRenamesThenSyncsTheDirectory) {
  ASSERT_TRUE(identity_.save(file_).has_value());
  EXPECT_EQ(g_calls, (std::vector<std::string>{"sync file", "rename", "sync directory"}));
}

TEST_F(IdentityFile, AFailedSaveKeepsTheOldFileAndLeavesNothing) {
  ASSERT_TRUE(identity_.save(file_).has_value());
  const Bytes before = content_of(file_);
  g_fsync_fails = true;
  const Status saved = Identity::generate(random_).save(file_);
  ASSERT_TRUE(saved.has_error());
  EXPECT_EQ(saved.error().cause, Cause::kIo);
  EXPECT_EQ(content_of(file_), before);
  EXPECT_EQ(std::distance(fs::directory_iterator(directory_.path()), {}), 1);
}

TEST_F(IdentityFile, ReplacesTheFileInsteadOfWritingIntoIt) {
  ASSERT_TRUE(identity_.save(file_).has_value());
  fs::create_hard_link(file_, directory_.path() / "before");
  const Bytes before = content_of(file_);
  ASSERT_TRUE(Identity::generate(random_).save(file_).has_value());
  EXPECT_EQ(content_of(directory_.path() / "before"), before);
  EXPECT_NE(content_of(file_), before);
}

TEST_F(IdentityFile, LeftoversOfACrashAndPlantedLinksDoNoHarm) {
  put(file_.string() + ".new", Bytes(10, 'x'), 0644);
  ASSERT_TRUE(identity_.save(file_).has_value());
  EXPECT_EQ(mode_of(file_), 0600u);
  const fs::path target = directory_.path() / "target";
  put(target, Bytes(3, 't'));
  fs::create_symlink(target, file_.string() + ".new");
  ASSERT_TRUE(identity_.save(file_).has_value());
  EXPECT_EQ(content_of(target), Bytes(3, 't'));
}

TEST_F(IdentityFile, NoDirectoryIsAnError) {
  const Status saved = identity_.save(directory_.path() / "none" / "identity");
  ASSERT_TRUE(saved.has_error());
  EXPECT_EQ(saved.error().cause, Cause::kNotFound);
}

RC_GTEST_PROP(Recovery, TextRoundTripsInAnySpelling, ()) {
  SeededRandom random(*rc::gen::arbitrary<std::uint64_t>());
  const Secret seed = Secret::random(32, random);
  std::string text = recovery_text(seed);
  RC_ASSERT(text.size() == 69u);
  std::string sloppy = " \n";
  for (char c : text) {
    const bool change = *rc::gen::arbitrary<bool>();
    if (c == '-' && change) c = ' ';
    if (c == '0' && change) c = *rc::gen::element('o', 'O');
    if (c == '1' && change) c = *rc::gen::element('i', 'I', 'l', 'L');
    if (change) c = static_cast<char>(std::tolower(c));
    sloppy.push_back(c);
  }
  const auto read = recovery_seed_from_text(sloppy);
  EXPECT_TRUE(is_recovery_text(sloppy));
  RC_ASSERT(read.has_value());
  RC_ASSERT(equal_in_constant_time(read->view(), seed.view()));
}

TEST(Recovery, EveryMistypedLetterAndSwapIsRefused) {
  SeededRandom random(4);
  const std::string text = recovery_text(Secret::random(32, random));
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '-') continue;
    for (char c : std::string_view("0123456789ABCDEFGHJKMNPQRSTVWXYZ")) {
      if (c == text[at]) continue;
      std::string wrong = text;
      wrong[at] = c;
      ASSERT_TRUE(recovery_seed_from_text(wrong).has_error()) << wrong;
      ASSERT_FALSE(is_recovery_text(wrong)) << wrong;
    }
    if (at + 1 < text.size() && text[at + 1] != '-' && text[at + 1] != text[at]) {
      std::string swapped = text;
      std::swap(swapped[at], swapped[at + 1]);
      ASSERT_TRUE(recovery_seed_from_text(swapped).has_error()) << swapped;
    }
  }
}

TEST(Recovery, WrongLengthsAndForeignCharactersSaySo) {
  SeededRandom random(4);
  const std::string text = recovery_text(Secret::random(32, random));
  for (const std::string& wrong : {std::string(), text.substr(1), text + "0", text + text,
                                   "U" + text.substr(1), "\xc3\xa4" + text.substr(2)}) {
    const auto read = recovery_seed_from_text(wrong);
    ASSERT_TRUE(read.has_error()) << wrong;
    EXPECT_EQ(read.error().cause, Cause::kBadInput);
    EXPECT_EQ(read.error().field, "recovery_key");
  }
}

TEST(Recovery, TextIsPinned) {  // a key written down today must be read for ever
  const std::string text = recovery_text(Secret(32));
  EXPECT_EQ(text.substr(0, 54), "0000-0000-0000-0000-0000-0000-0000-0000-0000-0000-0000");
  EXPECT_EQ(to_hex(recovery_seed_from_text(text).value().view()), std::string(64, '0'));
}

TEST(Recovery, Signs) {
  SeededRandom random(4);
  const Secret seed = Secret::random(32, random);
  const Bytes message = hex("aabb");
  EXPECT_TRUE(verify(recovery_public(seed), message, recovery_sign(seed, message)));
  EXPECT_FALSE(verify(recovery_public(seed), hex("aabc"), recovery_sign(seed, message)));
  EXPECT_THROW(recovery_public(Secret(31)), std::logic_error);
  EXPECT_THROW(recovery_text(Secret(33)), std::logic_error);
}

TEST(PrivateFile, ReadsWhatWasWrittenAndNotMore) {
  TemporaryDirectory directory;
  const fs::path file = directory.path() / "key";
  ASSERT_TRUE(write_private_file(file, hex("00ff10")).has_value());
  EXPECT_EQ(to_hex(read_private_file(file, 3).value().view()), "00ff10");
  EXPECT_EQ(read_private_file(file, 2).error().cause, Cause::kCorrupt);
  ASSERT_TRUE(write_private_file(file, {}).has_value());
  EXPECT_TRUE(read_private_file(file, 3).value().empty());
}

// ---- sealed

TEST_F(IdentityFile, SealedItOpensWithItsKeyInItsPlaceOnly) {
  const Secret key = Secret::random(32, random_), other = Secret::random(32, random_);
  ASSERT_TRUE(identity_.save_sealed(file_, key, "default", random_).has_value());
  EXPECT_EQ(mode_of(file_), 0600U);
  const auto again = Identity::load_sealed(file_, key, "default");
  ASSERT_TRUE(again.has_value());
  EXPECT_EQ(again->pub(), identity_.pub());
  EXPECT_EQ(to_hex(again->box_secret().view()), to_hex(identity_.box_secret().view()));
  EXPECT_EQ(Identity::load_sealed(file_, other, "default").error().cause, Cause::kForbidden);
  EXPECT_EQ(Identity::load_sealed(file_, key, "work").error().cause, Cause::kForbidden);
  EXPECT_EQ(load_cause(), Cause::kCorrupt);
}

TEST_F(IdentityFile, SealedNothingOfItCanBeReadOrAltered) {
  const Secret key = Secret::random(32, random_);
  ASSERT_TRUE(identity_.save(file_).has_value());
  const Bytes plain = to_bytes(read_private_file(file_, 4096)->view());
  EXPECT_EQ(Identity::load_sealed(file_, key, "default").error().cause, Cause::kConflict);
  ASSERT_TRUE(identity_.save_sealed(file_, key, "default", random_).has_value());
  const Bytes sealed = to_bytes(read_private_file(file_, 4096)->view());
  ASSERT_TRUE(identity_.save_sealed(file_, key, "default", random_).has_value());
  EXPECT_NE(to_bytes(read_private_file(file_, 4096)->view()), sealed) << "a nonce that repeats";
  for (std::size_t at = 0; at + 8 <= plain.size(); at += 8)
    EXPECT_EQ(as_text(sealed).find(as_text(ByteView(plain).subspan(at, 8))), std::string::npos);
  for (std::size_t bit = 0; bit < sealed.size() * 8; bit += 3) {
    ASSERT_TRUE(write_private_file(file_, flipped(sealed, bit)).has_value());
    ASSERT_TRUE(Identity::load_sealed(file_, key, "default").has_error()) << bit;
  }
  const auto cause_of = [&](ByteView bytes) {
    EXPECT_TRUE(write_private_file(file_, bytes).has_value());
    return Identity::load_sealed(file_, key, "default").error().cause;
  };
  EXPECT_EQ(cause_of(ByteView(sealed).first(sealed.size() - 1)), Cause::kCorrupt);
  EXPECT_EQ(cause_of(ByteView(sealed).first(8)), Cause::kCorrupt);
  Bytes other = sealed;
  other[8] = 0;
  EXPECT_EQ(cause_of(other), Cause::kCorrupt);
  other[8] = 2;
  EXPECT_EQ(cause_of(other), Cause::kVersion);
  other.push_back(0);  // how long a later one is nobody knows here
  EXPECT_EQ(cause_of(other), Cause::kVersion);
}

// ---- overwriting

TEST_F(IdentityFile, AShreddedFileIsOverwrittenUnlessItHasAnotherName) {
  const fs::path second = directory_.path() / "second";
  ASSERT_TRUE(identity_.save(file_).has_value());
  const Bytes before = to_bytes(read_private_file(file_, 4096)->view());
  fs::create_hard_link(file_, second);
  ASSERT_TRUE(shred_file(second).has_value());
  EXPECT_FALSE(fs::exists(second));
  EXPECT_EQ(to_bytes(read_private_file(file_, 4096)->view()), before);
  // Seen through a descriptor that outlives the name.
  const int fd = ::open(file_.c_str(), O_RDONLY);
  ASSERT_TRUE(shred_file(file_).has_value());
  EXPECT_FALSE(fs::exists(file_));
  Bytes after(before.size(), 1);
  EXPECT_EQ(::read(fd, after.data(), after.size()), static_cast<ssize_t>(after.size()));
  ::close(fd);
  EXPECT_EQ(after, Bytes(before.size()));
  EXPECT_TRUE(shred_file(file_).has_value()) << "none is there";
  fs::create_symlink("/dev/null", second);
  EXPECT_TRUE(shred_file(second).has_error());
}

}  // namespace
}  // namespace kartei::crypto
