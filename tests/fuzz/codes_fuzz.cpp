// Stored chunks of the meaning index, and exact copies: what is taken goes there and back and can
// be scanned.
//
// Input: a byte of choices; bytes that are taken raw, or (top bit) laid over a good chunk. Bit 0:
// with a checksum that is right, as a defect would write it.
#include "crypto/hash.h"
#include "store/meaning/codes.h"
#include "store/meaning/exact_copy.h"
#include "tests/fuzz/input.h"

namespace {

using namespace kartei;
using namespace kartei::store;

constexpr std::size_t kDims = 8;
const std::vector<float> kQuery{1, -2, 3, -4, 5, -6, 7, -8};

Bytes good_chunk() {
  Codes codes(kDims);
  std::vector<float> vector(kDims);
  for (std::size_t i = 0; i < Codes::kChunkVectors; ++i) {
    for (std::size_t k = 0; k < kDims; ++k) {
      vector[k] = static_cast<float>((i * (k + 3)) % 19) - 9;
    }
    codes.append(static_cast<std::int64_t>(i / 2), vector);
  }
  return codes.chunk(0).value();
}

void seal_again(Bytes& chunk) {
  const Hash32 hash = crypto::hash("kartei codes chunk", {chunk});
  chunk.insert(chunk.end(), hash.begin(), hash.end());
}

void add(const Bytes& stored) {
  Codes codes(kDims);
  if (codes.add_chunk(stored).has_error()) {
    fuzz::require(codes.size() == 0);
    return;
  }
  const Codes::Scan scan = codes.scan(kQuery, 50);
  fuzz::require(scan.hits.size() <= 50);
  for (const CodeKernel& kernel : code_kernels()) {
    fuzz::require(codes.scan(kQuery, 50, kernel).hits == scan.hits);
  }
  // Codes of forgotten vectors are blanked on the way out; then nothing changes any more.
  const Bytes again = codes.chunk(0).value();
  Codes back(kDims);
  fuzz::require(back.add_chunk(again).has_value());
  fuzz::require(back.chunk(0).value() == again);
}

void read_copy(const Bytes& copy) {
  const auto vector = from_int8(copy, kDims);
  fuzz::require(vector.has_value() == int8_dot(copy, kQuery).has_value());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Bytes good = good_chunk();
  fuzz::Input input({data, size});
  const std::uint8_t choice = input.byte();
  const bool overlay = (choice & 0x80) != 0, sealed = (choice & 1) != 0;
  Bytes bytes = to_bytes(input.rest());
  read_copy(bytes);
  if (overlay) {
    Bytes base = good;
    if (sealed) base.resize(base.size() - sizeof(Hash32));
    bytes = fuzz::xored(std::move(base), bytes);
  }
  if (sealed) seal_again(bytes);
  add(bytes);
  return 0;
}
