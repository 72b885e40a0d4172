#include "store/meaning/embedder.h"

namespace kartei::store {

Embedder::~Embedder() = default;

}  // namespace kartei::store
