// A home whose boxes are encrypted: made so, or brought there from one in the clear.
#include <gtest/gtest.h>

#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <sstream>

#include "crypto/hash.h"
#include "crypto/identity.h"
#include "crypto/keyring/keyring.h"
#include "crypto/keyring/passphrase.h"
#include "daemon/box_files.h"
#include "daemon/cli/cli.h"
#include "tests/daemon/api_support.h"

namespace kartei::daemon {
namespace {
using namespace test;
namespace fs = std::filesystem;

constexpr char kSaid[] = "Zanzibarquux";

std::string file_bytes(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

class SealedHome : public ::testing::Test {
 protected:
  fs::path home() const { return folder_.path() / "home"; }
  fs::path box(const std::string& name = "default") const { return home() / "boxes" / name; }
  // The home's own key, from its keyring.
  const crypto::Secret* key() {
    fs::create_directories(home());
    if (!key_.empty()) return &key_;
    keyring::DiskKeyFiles files(home());
    keyring::FileSource source(files);
    key_ = std::move(keyring::Keyring::make(files, random_, source)->data_key);
    return &key_;
  }
  // Says something, or looks for what was said; the device's id.
  std::string work(const crypto::Secret* key, bool say = false,
                   const std::string& name = "default") {
    TestDaemon daemon(home(), {}, nullptr, key);
    RawClient client(daemon.socket());
    if (say)
      ask(client, "POST", "/v1/turns?box=" + name,
          R"({"conversation":"c","turns":[{"id":"t1","speaker":"M","role":"user","text":")" +
              std::string(kSaid) + R"("}]})");
    const auto turn = ask(client, "GET", "/v1/turns/t1?box=" + name);
    EXPECT_EQ(turn.status, 200) << boost::json::serialize(turn.body);
    const auto status = ask(client, "GET", "/v1/status?box=" + name);
    if (status.status != 200) return boost::json::serialize(status.body);
    return std::string(status.body.at("device").as_string());
  }
  std::string refusal(const crypto::Secret* key, const std::string& name = "default") {
    TestDaemon daemon(home(), {}, nullptr, key);
    RawClient client(daemon.socket());
    const auto status = ask(client, "GET", "/v1/status?box=" + name);
    return status.status == 200 ? "" : std::string(status.body.at("detail").as_string());
  }
  void expect_sealed(const std::string& name = "default") {
    for (const auto& entry : fs::directory_iterator(box(name))) {
      const std::string file = entry.path().filename();
      EXPECT_TRUE(file == "identity" || file == "box.kartei" || file == "box.kartei-wal" ||
                  file == "sync")
          << file;
      const std::string bytes = file_bytes(entry.path());
      EXPECT_EQ(bytes.find(kSaid), std::string::npos) << file;
      EXPECT_FALSE(bytes.starts_with("KARTEIID")) << file;
      EXPECT_FALSE(bytes.starts_with("SQLite")) << file;
    }
  }
  std::string doctor(int expected_status, const std::vector<std::string>& more = {}) {
    std::istringstream in;
    std::ostringstream out, err;
    const Environment environment = [&](const char* name) -> std::optional<std::string> {
      if (std::string(name) == "KARTEI_HOME") return home().string();
      return std::nullopt;
    };
    std::vector<std::string> words{"doctor"};
    words.insert(words.end(), more.begin(), more.end());
    EXPECT_EQ(cli::run(words, {in, out, err, environment, {}}), expected_status) << out.str();
    return out.str() + err.str();
  }
  // With a passphrase in a pipe.
  std::string doctor_told(const std::string& words, int expected_status,
                          std::vector<std::string> more = {}) {
    int ends[2];
    EXPECT_EQ(::pipe(ends), 0);
    const std::string line = words + "\n";
    EXPECT_EQ(::write(ends[1], line.data(), line.size()), static_cast<ssize_t>(line.size()));
    ::close(ends[1]);
    more.insert(more.end(), {"--passphrase-fd", std::to_string(ends[0])});
    const std::string said = doctor(expected_status, more);
    ::close(ends[0]);
    return said;
  }

  TempFolder folder_;
  crypto::SystemRandom random_;
  crypto::Secret key_;
};

TEST_F(SealedHome, ANewBoxIsEncrypted) {
  const std::string device = work(key(), true);
  expect_sealed();
  EXPECT_EQ(work(key()), device);
  expect_sealed();
}

TEST_F(SealedHome, OneInTheClearBecomesEncryptedWhenItIsOpened) {
  const std::string device = work(nullptr, true);
  const std::string identity = file_bytes(box() / "identity");
  ASSERT_TRUE(identity.starts_with("KARTEIID"));
  ASSERT_NE(file_bytes(box() / "box.kartei").find(kSaid), std::string::npos);
  EXPECT_EQ(work(key()), device);
  expect_sealed();
  EXPECT_EQ(work(key()), device);
}

// Locked is not the same as in the clear.
TEST_F(SealedHome, WithoutAKeyNothingIsMadeNorOpened) {
  for (const bool there : {false, true}) {
    if (there) work(nullptr, true);
    TestDaemon daemon(home());
    daemon.services().plain_boxes = false;
    RawClient client(daemon.socket());
    EXPECT_EQ(ask(client, "GET", "/v1/status").status, 423);
    EXPECT_EQ(fs::exists(box()), there);
  }
}

TEST_F(SealedHome, AnotherKeyOpensNothingAndChangesNothing) {
  work(key(), true);
  const std::string identity = file_bytes(box() / "identity"),
                    file = file_bytes(box() / "box.kartei");
  const crypto::Secret other = crypto::Secret::random(32, random_);
  EXPECT_NE(refusal(&other).find("The key does not open"), std::string::npos);
  EXPECT_EQ(file_bytes(box() / "identity"), identity);
  EXPECT_EQ(file_bytes(box() / "box.kartei"), file);
}

TEST_F(SealedHome, AnotherBoxesIdentityIsRefused) {
  work(key(), true);
  work(key(), true, "work");
  fs::copy_file(box("work") / "identity", box() / "identity", fs::copy_options::overwrite_existing);
  EXPECT_NE(refusal(key()).find("belongs to another box"), std::string::npos);
  EXPECT_EQ(refusal(key(), "work"), "");
}

TEST_F(SealedHome, AnotherBoxesFileIsRefused) {
  work(key(), true);
  work(key(), true, "work");
  // One data key opens both: what tells is that the device in it is another one.
  fs::copy_file(box("work") / "box.kartei", box() / "box.kartei",
                fs::copy_options::overwrite_existing);
  EXPECT_NE(refusal(key()).find("not of the same box"), std::string::npos);
}

// Whatever a cut-off sealing left: the identity is there, and only sealed in the end.
TEST_F(SealedHome, AnIdentityHalfSealedIsFinished) {
  const std::string device = work(nullptr, true);
  const fs::path saved = folder_.path() / "saved";
  fs::copy(box(), saved);
  const auto again = [&] {
    fs::remove_all(box());
    fs::copy(saved, box());
  };
  const auto finished = [&](const char* what) {
    EXPECT_EQ(work(key()), device) << what;
    expect_sealed();
  };
  fs::create_hard_link(box() / "identity", box() / "identity.plain");
  finished("a second name");
  const std::string sealed = file_bytes(box() / "identity");
  again();
  std::ofstream(box() / "identity.sealed.new") << "half";
  finished("one that was half written");
  again();
  std::ofstream(box() / "identity.sealed", std::ios::binary) << sealed;
  ::chmod((box() / "identity.sealed").c_str(), 0600);
  finished("a sealed one that was not in its place yet");
  again();
  fs::rename(box() / "identity", box() / "identity.plain");
  std::ofstream(box() / "identity", std::ios::binary) << sealed;
  ::chmod((box() / "identity").c_str(), 0600);
  finished("the old one not yet overwritten");
}

// ---- the doctor

TEST_F(SealedHome, TheDoctorLooksIntoEncryptedFiles) {
  work(key(), true);
  EXPECT_NE(doctor(1).find("ok   box default"), std::string::npos);  // 1: no daemon
  std::fstream file(box() / "box.kartei", std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(8 * 4096 + 77);
  file.put('?');
  file.close();
  const std::string said = doctor(1);
  EXPECT_NE(said.find("cannot be read any more (9)"), std::string::npos) << said;
  EXPECT_NE(said.find("Affected: "), std::string::npos) << said;
  EXPECT_NE(said.find("--salvage"), std::string::npos) << said;
  const fs::path saved = folder_.path() / "saved.jsonl";
  EXPECT_NE(doctor(0, {"--salvage", saved.string()}).find("1 turns"), std::string::npos);
  EXPECT_NE(file_bytes(saved).find(kSaid), std::string::npos);
  EXPECT_EQ(fs::status(saved).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_NE(doctor(1, {"--salvage", saved.string()}).find("is there already"), std::string::npos);
}

// Whoever has only a passphrase can be helped, too.
TEST_F(SealedHome, ThePassphraseOpensForTheDoctorAndTheSalvage) {
  fs::create_directories(home());
  keyring::DiskKeyFiles files(home());
  keyring::PassphraseSource source(crypto::Secret(as_bytes("nine green bottles")),
                                   keyring::stretch_for(true));
  key_ = std::move(keyring::Keyring::make(files, random_, source)->data_key);
  work(key(), true);
  const fs::path saved = folder_.path() / "saved.jsonl";
  EXPECT_NE(doctor(1).find("--passphrase-fd"), std::string::npos);
  EXPECT_NE(doctor(1, {"--salvage", saved.string()}).find("--passphrase-fd"), std::string::npos);
  EXPECT_NE(doctor_told("nine green bottle", 1).find("not this device's"), std::string::npos);
  EXPECT_FALSE(fs::exists(saved));
  EXPECT_NE(doctor_told("nine green bottles", 1).find("ok   box default"), std::string::npos);
  EXPECT_NE(doctor_told("nine green bottles", 0, {"--salvage", saved.string()}).find("1 turns"),
            std::string::npos);
  EXPECT_NE(file_bytes(saved).find(kSaid), std::string::npos);
}

TEST_F(SealedHome, TheDoctorAsksADaemonThatHoldsTheBox) {
  work(key(), true);
  TestDaemon daemon(home(), {}, nullptr, key());
  RawClient client(daemon.socket());
  ask(client, "GET", "/v1/status");
  EXPECT_NE(doctor(0).find("ok   box default"), std::string::npos);
}

TEST_F(SealedHome, WithoutItsKeyTheDoctorSaysSo) {
  work(key(), true);
  fs::remove(home() / "keyring");
  const std::string said = doctor(1);
  EXPECT_NE(said.find("its key is not at hand"), std::string::npos) << said;
  EXPECT_EQ(said.find("sound"), std::string::npos) << "nobody knows: " << said;
}

// The writer takes nothing else meanwhile: who would wait for it is told why, and how far it is.
TEST_F(SealedHome, WhileABoxIsEncryptedThatIsWhatIsAnswered) {
  TestDaemon daemon(home(), {}, nullptr, key());
  RawClient client(daemon.socket());
  ASSERT_EQ(ask(client, "GET", "/v1/status").status, 200);
  EXPECT_TRUE(ask(client, "GET", "/v1/status").body.at("encrypting").is_null());
  daemon.services().encrypting->set(EncryptProgress::Step{"attic", 40});
  const auto status = ask(client, "GET", "/v1/status");
  EXPECT_EQ(status.status, 200);
  EXPECT_EQ(boost::json::serialize(status.body.at("encrypting")),
            R"({"box":"attic","percent":40})");
  for (const auto& [method, target, body] :
       {std::tuple("GET", "/v1/cards", ""), std::tuple("GET", "/v1/export?box=attic", ""),
        std::tuple("POST", "/v1/import", R"({"kind":"box","format":2})")}) {
    const RawAnswer refused = client.call(method, target, body);
    EXPECT_EQ(refused.status, 503) << target;
    EXPECT_NE(refused.body.find("attic is being encrypted: 40 %"), std::string::npos)
        << refused.body;
    EXPECT_NE(refused.head.find("Retry-After: "), std::string::npos) << refused.head;
  }
  // A question to a box that is open needs no writer.
  EXPECT_EQ(ask(client, "POST", "/v1/recall", R"({"query":"Where is it?"})").status, 200);
  daemon.services().encrypting->set(std::nullopt);
  EXPECT_EQ(ask(client, "GET", "/v1/cards").status, 200);
}

}  // namespace
}  // namespace kartei::daemon
