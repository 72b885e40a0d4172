// Every published vector of the patterns that we speak, both sides, byte for byte.
#include <gtest/gtest.h>

#include <map>

#include "crypto/noise.h"
#include "tests/crypto/vectors.h"

namespace kartei::crypto {
namespace {

NoisePattern pattern_named(const std::string& name) {
  static const std::map<std::string, NoisePattern> kNames = {
      {"Noise_IK_25519_ChaChaPoly_BLAKE2b", NoisePattern::kIK},
      {"Noise_KK_25519_ChaChaPoly_BLAKE2b", NoisePattern::kKK},
      {"Noise_XX_25519_ChaChaPoly_BLAKE2b", NoisePattern::kXX},
      {"Noise_XXpsk3_25519_ChaChaPoly_BLAKE2b", NoisePattern::kXXpsk3}};
  return kNames.at(name);
}

std::string name_of(const boost::json::object& vector) {
  const auto* name = vector.if_contains("protocol_name");
  return std::string((name != nullptr ? *name : vector.at("name")).as_string());
}

NoiseConfig config_of(const boost::json::object& vector, NoiseRole role) {
  const std::string side = role == NoiseRole::kInitiator ? "init_" : "resp_";
  NoiseConfig config;
  config.pattern = pattern_named(name_of(vector));
  config.role = role;
  config.prologue = field(vector, side + "prologue");
  config.local_static = Secret(field(vector, side + "static"));
  config.ephemeral_for_test = Secret(field(vector, side + "ephemeral"));
  if (const Bytes remote = field(vector, side + "remote_static"); !remote.empty()) {
    std::copy_n(remote.begin(), 32, config.remote_static.emplace().begin());
  }
  if (const auto* psks = vector.if_contains(side + "psks"); psks && !psks->as_array().empty()) {
    config.psk = Secret(hex(std::string_view(psks->as_array().at(0).as_string())));
  }
  return config;
}

struct Side {
  std::unique_ptr<NoiseHandshake> handshake;
  std::optional<NoiseTransport> transport;

  Result<Bytes> write(const Bytes& payload) {
    return transport ? transport->encrypt(payload) : handshake->write(payload);
  }
  Result<Bytes> read(const Bytes& message) {
    return transport ? transport->decrypt(message) : handshake->read(message);
  }
};

// Plays a vector and returns how many transport messages it had.
std::size_t play(const boost::json::object& vector) {
  SystemRandom random;
  Side sides[2];
  sides[0].handshake =
      NoiseHandshake::create(config_of(vector, NoiseRole::kInitiator), random).value();
  sides[1].handshake =
      NoiseHandshake::create(config_of(vector, NoiseRole::kResponder), random).value();
  std::size_t step = 0, transported = 0;
  for (const auto& value : vector.at("messages").as_array()) {
    const auto& message = value.as_object();
    Side& writer = sides[step % 2];
    Side& reader = sides[1 - step % 2];
    ++step;
    if (!writer.transport && writer.handshake->finished()) {
      for (Side& side : sides) side.transport = side.handshake->split().value();
    }
    if (writer.transport) ++transported;
    const auto written = writer.write(field(message, "payload"));
    EXPECT_TRUE(written.has_value());
    if (written.has_error()) return 0;
    EXPECT_EQ(to_hex(*written), std::string_view(message.at("ciphertext").as_string()));
    const auto read = reader.read(*written);
    EXPECT_TRUE(read.has_value());
    if (read.has_error()) return 0;
    EXPECT_EQ(*read, field(message, "payload"));
  }
  EXPECT_EQ(sides[0].handshake->handshake_hash(), sides[1].handshake->handshake_hash());
  if (const Bytes expected = field(vector, "handshake_hash"); !expected.empty()) {
    EXPECT_EQ(sides[0].handshake->handshake_hash(), expected);
    const Hash32 first = sides[0].handshake->handshake_hash32();
    EXPECT_TRUE(std::equal(first.begin(), first.end(), expected.begin()));
  }
  return transported;
}

struct File {
  const char* name;
  std::size_t vectors, hashes, transport_messages;
};

class NoiseVectors : public testing::TestWithParam<File> {};

TEST_P(NoiseVectors, EveryOneIsReproduced) {
  const auto vectors = vectors_of(GetParam().name);
  std::size_t hashes = 0, transported = 0;
  for (const auto& vector : vectors) {
    SCOPED_TRACE(name_of(vector.as_object()));
    transported += play(vector.as_object());
    hashes += vector.as_object().contains("handshake_hash") ? 1 : 0;
  }
  // That none was left out.
  EXPECT_EQ(vectors.size(), GetParam().vectors);
  EXPECT_EQ(hashes, GetParam().hashes);
  EXPECT_EQ(transported, GetParam().transport_messages);
}

INSTANTIATE_TEST_SUITE_P(Published, NoiseVectors,
                         testing::Values(File{"noise_cacophony.json", 4, 4, 14},
                                         File{"noise_noise-c.json", 3, 3, 11},
                                         File{"noise_snow.json", 3, 0, 6}),
                         [](const auto& file_info) {
                           std::string name = file_info.param.name;
                           std::erase_if(name, [](char c) { return !std::isalnum(c); });
                           return name;
                         });

}  // namespace
}  // namespace kartei::crypto
