// Any answer of an embedding endpoint: as many finite unit vectors as were asked for, or an error.
// The first byte says how many.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "daemon/http_embedder.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::size_t count = 1 + data[0] % 5;
  const auto vectors =
      kartei::daemon::read_embeddings({reinterpret_cast<const char*>(data) + 1, size - 1}, count);
  if (vectors.has_error()) {
    if (vectors.error().what.empty()) std::abort();
    return 0;
  }
  if (vectors->empty() || vectors->size() % count != 0) std::abort();
  const std::size_t dims = vectors->size() / count;
  for (std::size_t i = 0; i < count; ++i) {
    double squares = 0;
    for (std::size_t j = 0; j < dims; ++j) squares += std::pow((*vectors)[i * dims + j], 2);
    if (squares != 0 && !(std::abs(squares - 1) < 1e-3)) std::abort();
  }
  return 0;
}
