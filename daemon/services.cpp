#include "daemon/services.h"

namespace kartei::daemon {

store::Time SystemClock::wall() {
  return std::chrono::time_point_cast<std::chrono::milliseconds>(std::chrono::system_clock::now());
}

}  // namespace kartei::daemon
