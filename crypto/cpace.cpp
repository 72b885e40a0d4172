#include "crypto/cpace.h"

#include <sodium.h>

#include <algorithm>
#include <initializer_list>

namespace kartei::crypto {

namespace {

constexpr std::string_view kDomain = "CPaceRistretto255";
constexpr std::string_view kKeyDomain = "CPaceRistretto255_ISK";
constexpr std::string_view kMacDomain = "CPaceMac";
constexpr std::size_t kBlockSize = 128;  // SHA-512's input block
constexpr std::size_t kShareSize = crypto_core_ristretto255_BYTES;
constexpr std::size_t kScalarSize = crypto_core_ristretto255_SCALARBYTES;

// The draft's lv_cat puts before each part its length in LEB128.
Bytes length_prefix(std::size_t length) {
  Bytes prefix;
  for (; length >= 128; length >>= 7) {
    prefix.push_back(static_cast<std::uint8_t>(length & 127) | 128);
  }
  prefix.push_back(static_cast<std::uint8_t>(length));
  return prefix;
}

// SHA-512 over the draft's strings, straight from where the parts stand; wiped when it goes.
class Sha512 {
 public:
  Sha512() { crypto_hash_sha512_init(&state_); }
  ~Sha512() { sodium_memzero(&state_, sizeof state_); }
  Sha512(const Sha512&) = delete;
  Sha512& operator=(const Sha512&) = delete;

  void add(ByteView bytes) { crypto_hash_sha512_update(&state_, bytes.data(), bytes.size()); }
  // lv_cat; returns the bytes added.
  std::size_t add_prefixed(std::initializer_list<ByteView> parts) {
    std::size_t added = 0;
    for (ByteView part : parts) {
      const Bytes prefix = length_prefix(part.size());
      add(prefix);
      add(part);
      added += prefix.size() + part.size();
    }
    return added;
  }
  void finish(std::span<std::uint8_t> out) { crypto_hash_sha512_final(&state_, out.data()); }

 private:
  crypto_hash_sha512_state state_;
};

// The generator that only those who know the code can compute. The password is padded to fill the
// first block, so that its hashing takes the same time whatever its length.
Secret generator(ByteView password, ByteView session, ByteView channel) {
  Sha512 state;
  std::size_t filled = state.add_prefixed({as_bytes(kDomain), password});
  const std::size_t padding = filled < kBlockSize - 1 ? kBlockSize - 1 - filled : 0;
  const std::array<std::uint8_t, kBlockSize> zeros{};
  state.add_prefixed({ByteView(zeros).first(padding), channel, session});
  Secret digest(crypto_hash_sha512_BYTES), point(kShareSize);
  state.finish(digest.writable());
  crypto_core_ristretto255_from_hash(point.writable().data(), digest.view().data());
  return point;
}

Secret random_scalar(Random& random) {
  static_assert(crypto_core_ristretto255_NONREDUCEDSCALARBYTES == 64);
  Secret wide = Secret::random(crypto_core_ristretto255_NONREDUCEDSCALARBYTES, random);
  Secret scalar(kScalarSize);
  crypto_core_ristretto255_scalar_reduce(scalar.writable().data(), wide.writable().data());
  return scalar;
}

}  // namespace

Cpace::Cpace(ByteView password, ByteView session, ByteView channel, ByteView ad, Random& random)
    : session_(to_bytes(session)),
      ad_(to_bytes(ad)),
      share_(kShareSize),
      scalar_(random_scalar(random)) {
  const Secret point = generator(password, session, channel);
  // Fails only for a zero scalar or generator (chance 2^-252): then there is no run.
  if (crypto_scalarmult_ristretto255(share_.data(), scalar_.view().data(), point.view().data()) !=
      0) {
    scalar_ = Secret();
  }
}

Result<Secret> Cpace::finish(ByteView other_share, ByteView other_ad, bool we_are_initiator) {
  const Secret scalar = std::move(scalar_);  // one guess: gone whatever comes
  if (scalar.empty()) return corrupt("this pairing attempt is over");
  if (other_share.size() != kShareSize) return corrupt("the other side's share is no share");
  if (equal_in_constant_time(other_share, share_)) {
    return corrupt("our own share came back to us");  // else our own tag would confirm it
  }
  Secret shared(kShareSize);
  if (crypto_scalarmult_ristretto255(shared.writable().data(), scalar.view().data(),
                                     other_share.data()) != 0) {
    return corrupt("the other side's share is no share");
  }
  Sha512 state;
  state.add_prefixed({as_bytes(kKeyDomain), session_, shared.view()});
  if (we_are_initiator) {
    state.add_prefixed({share_, ad_, other_share, other_ad});
  } else {
    state.add_prefixed({other_share, other_ad, share_, ad_});
  }
  Secret isk(crypto_hash_sha512_BYTES);
  state.finish(isk.writable());
  return isk;
}

Bytes cpace_confirmation(const Secret& isk, ByteView session, ByteView share, ByteView ad) {
  Secret key(crypto_hash_sha512_BYTES);
  {
    Sha512 state;
    state.add(as_bytes(kMacDomain));
    state.add(session);
    state.add(isk.view());
    state.finish(key.writable());
  }
  crypto_auth_hmacsha512_state state;
  crypto_auth_hmacsha512_init(&state, key.view().data(), key.size());
  for (ByteView part : {share, ad}) {
    const Bytes prefix = length_prefix(part.size());
    crypto_auth_hmacsha512_update(&state, prefix.data(), prefix.size());
    crypto_auth_hmacsha512_update(&state, part.data(), part.size());
  }
  Bytes tag(crypto_auth_hmacsha512_BYTES);
  crypto_auth_hmacsha512_final(&state, tag.data());
  sodium_memzero(&state, sizeof state);
  return tag;
}

bool cpace_confirms(const Secret& isk, ByteView session, ByteView other_share, ByteView other_ad,
                    ByteView tag) {
  return equal_in_constant_time(cpace_confirmation(isk, session, other_share, other_ad), tag);
}

}  // namespace kartei::crypto
