#pragma once

namespace kartei::daemon {
const char* version();
}
