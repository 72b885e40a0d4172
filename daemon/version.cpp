#include "daemon/version.h"

namespace kartei::daemon {
const char* version() {
  return "0.1.0";
}
}  // namespace kartei::daemon
