// How a page or slot is sealed: XChaCha20-Poly1305, a fresh random nonce at every write, a key of
// its own for each kind of file, and associated data that says what lies where: format version,
// kind, database id, number.
//
// Threads: any, also at once. Ownership: holds its keys. Failure: open() is false where anything
// does not fit; what it wrote to `out` is then zero.
#pragma once

#include <array>
#include <memory>

#include "crypto/bytes.h"
#include "crypto/random.h"
#include "crypto/secret.h"
#include "crypto/vault/layout.h"

namespace kartei::vault {

inline constexpr std::uint32_t kFormatVersion = 1;

enum class Part : std::uint8_t { kMainPage = 1, kLogHeader = 2, kFrameHeader = 3, kLogPage = 4 };

using DatabaseId = std::array<std::uint8_t, kIdSize>;

// What is sealed, and where it belongs. `clear` stands beside it unsealed and is authenticated.
struct Place {
  Part part;
  std::uint64_t number;  // the page from 1; the frame from 0; the header's copy
  ByteView clear = {};
};

// The interface exists so that tests can put a broken one in its place.
class Format {
 public:
  virtual ~Format() = default;
  // Writes plain.size() bytes to `cipher`, which may be the plain text's own.
  virtual void seal(const Place& place, ByteView plain, std::uint8_t* cipher, std::uint8_t* nonce,
                    std::uint8_t* tag) = 0;
  // As above; `out` may be the cipher text's own.
  virtual bool open(const Place& place, ByteView cipher, const std::uint8_t* nonce,
                    const std::uint8_t* tag, std::uint8_t* out) const = 0;
  // The frame of the file on disk in which a frame of SQLite's lies.
  virtual std::uint64_t frame_on_disk(std::uint64_t frame) const { return frame; }
};

// A data key of another size than 32 is a defect of the caller (std::logic_error).
std::unique_ptr<Format> make_format(const crypto::Secret& data_key, const DatabaseId& id,
                                    std::shared_ptr<crypto::Random> random);

}  // namespace kartei::vault
