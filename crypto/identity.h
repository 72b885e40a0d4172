// Who a device is: an Ed25519 key that signs and an X25519 key that is sealed to and speaks Noise,
// bound together by a signature of the first over the second. Values; no I/O but load and save.
#pragma once

#include <array>
#include <filesystem>
#include <string_view>

#include "crypto/bytes.h"
#include "crypto/random.h"
#include "crypto/result.h"
#include "crypto/secret.h"

namespace kartei::crypto {

using SignKey = std::array<std::uint8_t, 32>;    // Ed25519 public
using BoxKey = std::array<std::uint8_t, 32>;     // X25519 public
using Signature = std::array<std::uint8_t, 64>;  // Ed25519

struct PublicIdentity {
  static constexpr std::size_t kEncodedSize = 128;  // sign_key(32) | box_key(32) | binding(64)

  SignKey sign_key{};
  BoxKey box_key{};
  Signature binding{};  // by sign_key over ("kartei device v1", box_key)

  bool verify() const;                      // the binding holds, box_key is of full order
  std::array<std::uint8_t, 16> id() const;  // first 16 bytes of hash("kartei device id", sign_key)
  Bytes encode() const;                     // 128 bytes
  static Result<PublicIdentity> decode(ByteView bytes);  // checks the binding
  bool operator==(const PublicIdentity&) const = default;
};

bool verify(const SignKey& key, ByteView message, const Signature& signature);

class Identity {
 public:
  static Identity generate(Random& random);
  // A 0600 file; refuses one that others can read, or that is short or foreign.
  static Result<Identity> load(const std::filesystem::path& file);
  Status save(const std::filesystem::path& file) const;  // atomically, fsynced, 0600
  // The same, sealed; `context` says where the file belongs, and must be the same when it is
  // loaded. kForbidden: another key or context, or altered. kVersion: of a newer
  // Kartei. kConflict: not sealed. A key of another size than 32 is a defect of the caller.
  static Result<Identity> load_sealed(const std::filesystem::path& file, const Secret& key32,
                                      std::string_view context);
  Status save_sealed(const std::filesystem::path& file, const Secret& key32,
                     std::string_view context, Random& random) const;

  const PublicIdentity& pub() const { return pub_; }
  Signature sign(ByteView message) const;
  const Secret& box_secret() const { return box_secret_; }  // X25519, for Noise and key boxes
  Identity copy() const;

 private:
  Identity() = default;
  static Identity from_secrets(ByteView sign_seed, ByteView box_secret);
  Secret file_content() const;
  PublicIdentity pub_;
  Secret sign_secret_;  // 64 bytes, libsodium's layout
  Secret box_secret_;   // 32 bytes
};

// A recovery key: Ed25519 seed, shown once as text in groups, never stored. The text is 14 groups
// of 4 letters (Crockford's base 32, checksum included); reading it forgives case, blanks and
// hyphens, and o for 0, i and l for 1. A seed that is not 32 bytes is a defect of the caller.
Result<Secret> recovery_seed_from_text(std::string_view text);
std::string recovery_text(const Secret& seed);
// Whether it is such a text, without making a secret of it: quick enough for any text.
bool is_recovery_text(std::string_view text);
SignKey recovery_public(const Secret& seed);
Signature recovery_sign(const Secret& seed, ByteView message);

}  // namespace kartei::crypto
