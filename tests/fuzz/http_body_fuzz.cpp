// Any body of any call: it is read into a request, or refused with a message. The first byte says
// which call.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "daemon/api/forgetting_requests.h"
#include "daemon/api/import.h"
#include "daemon/api/key_requests.h"
#include "daemon/api/requests.h"
#include "daemon/api/router.h"

namespace {

using namespace kartei::daemon::api;

void check(const auto& result) {
  if (result.has_error() && result.error().what.empty()) std::abort();
}

// Wiped, whatever was in them.
void check_key_bodies(std::string_view body) {
  for (const auto read : {read_unlock, read_new_passphrase, read_key_change}) {
    std::string text(body);
    check(read(text));
    if (!text.empty()) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view body(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0] % 19) {
    case 0:
      check(read_turns(body));
      break;
    case 1:
      check(read_recall(body));
      break;
    case 2:
      check(read_card(body));
      break;
    case 3:
      check(read_replacement(body));
      break;
    case 4:
      check(read_card_patch(body));
      break;
    case 5:
      check(read_card_end(body, true));
      break;
    case 6:
      check(read_drawer_patch(body));
      break;
    case 7:
      check(read_pairing(body));
      break;
    case 8:
      check(read_approval(body));
      break;
    case 9:
      check(read_pin(body));
      break;
    case 10:
      check(read_sync(body));
      break;
    case 11:
      check(read_box(body));
      break;
    case 12:
      check(read_confirmation(body));
      break;
    case 13:
      check(read_nothing(body));
      break;
    case 14:
      check(read_import(body));
      break;
    case 15:
      (void)percent_decode(body, true);
      break;
    case 16:
      check_key_bodies(body);
      break;
    case 17:
      check(read_forgetting(body, {}));
      check(read_forgetting_run(body));
      check(read_undo(body));
      check(read_dry_cursor(body));
      break;
    default:
      (void)percent_decode(body, false);
      break;
  }
  return 0;
}
