#include "store/values.h"

namespace kartei::store {

const char* to_text(Role role) {
  switch (role) {
    case Role::kUser: return "user";
    case Role::kAssistant: return "assistant";
    case Role::kTool: return "tool";
  }
  return "user";
}

}  // namespace kartei::store
