// The copy of a vector that is kept on disk, at one byte a coordinate: what the best of a scan are
// scored again from, and what codes are made again from.
//
// Pure functions: any thread. Bytes that are no copy give no value.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "crypto/bytes.h"

namespace kartei::store {

// A scale (float, little-endian) and one signed byte a coordinate. A vector that isn't finite
// becomes zero.
Bytes to_int8(std::span<const float> vector);
// Empty unless the copy is of as many coordinates as asked for.
std::optional<std::vector<float>> from_int8(ByteView copy, std::size_t dims);
// The dot product of copy and query; summed in a fixed order: the same on every machine.
std::optional<double> int8_dot(ByteView copy, std::span<const float> query);

}  // namespace kartei::store
