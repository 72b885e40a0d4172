// Vectors from the rows of a model.
#pragma once

#include <cstdint>
#include <span>

#include "store/meaning/packed_model.h"

namespace kartei::store {

// The sum of the pieces' rows at unit length, model.dims floats; all zero where the sum is. Ids
// that the model does not have count nothing.
void sum_rows(const PackedModel& model, std::span<const std::uint32_t> pieces, float* out);

}  // namespace kartei::store
