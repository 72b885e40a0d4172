// A record: one signed, hash-chained step of a feed. Clear header, sealed parts, signature; byte by
// byte in sync/README.md. Values; no I/O, no clock.
//
//   digest = hash(header, {drawer, epoch, hash of the sealed body} of each part)
//   signature = by the author, over the digest
//   hash = hash(digest, signature): what the next record and entries name
//
// So the last signature of a contiguous range vouches for all before it, their signatures included,
// and a part whose body was purged leaves a record that still verifies.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "crypto/bytes.h"
#include "crypto/identity.h"
#include "crypto/random.h"
#include "crypto/result.h"
#include "crypto/secret.h"
#include "store/ids.h"

namespace kartei::sync {

using store::BoxId;
using store::DeviceId;
using store::DrawerId;
using store::FeedId;
using store::Term;

enum class RecordKind : std::uint8_t { kObservation = 1, kEntry = 2, kRoll = 3 };

// number << 32 | random bits: two devices that make a new key at once do not collide.
using Epoch = std::uint64_t;

inline constexpr std::size_t kRecordMax = 2 << 20;  // bytes of one encoded record
inline constexpr std::size_t kPartsMax = 250;
// A drawer handle of zeros: the box-wide part.
inline constexpr DrawerId kControl{};

struct Part {
  DrawerId drawer;
  Epoch epoch = 0;
  std::uint32_t size = 0;       // of the sealed body, also once it is purged
  Hash32 hash{};                // of the sealed body
  std::optional<Bytes> sealed;  // empty: purged
};

struct Header {
  BoxId box;
  FeedId feed;
  std::uint64_t seq = 0;
  Hash32 prev{};  // hash of the record before; at seq 0 the predecessor's
  RecordKind kind = RecordKind::kObservation;
  // At seq 0: the author's feed before this one as it knew it (all zero: its first), and its end.
  FeedId before;
  std::uint64_t before_end = 0;
  // kEntry: its term is (counter, feed).
  std::uint64_t counter = 0;
  std::uint64_t index = 0;
  std::uint64_t height = 0;

  Bytes encode() const;  // also the associated data of every part
  Term term() const { return {counter, feed}; }
};

struct Record {
  Header header;
  std::vector<Part> parts;
  crypto::Signature signature{};
  Hash32 hash{};  // filled by sign() and decode()

  Hash32 digest() const;
  // Adds a sealed part; header must be complete.
  void seal_part(DrawerId drawer, Epoch epoch, const crypto::Secret& key, ByteView body,
                 crypto::Random& random);
  // Adds a part as it is (key boxes, each sealed to its device).
  void add_part(DrawerId drawer, Epoch epoch, Bytes body);
  void sign(const crypto::Identity& identity);
  bool verify(const crypto::SignKey& author) const;
  // Of part `index`; kNotFound if it was purged.
  Result<Bytes> open_part(std::size_t index, const crypto::Secret& key) const;
  void purge_part(std::size_t index) { parts[index].sealed.reset(); }

  Bytes encode() const;
  // Checks form and bounds and that each body has its hash; not the signature.
  static Result<Record> decode(ByteView bytes);
};

}  // namespace kartei::sync
