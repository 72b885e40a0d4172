// Any bytes as a text with secrets: no crash, findings in order and inside, masking comes to an
// end.
#include "store/secrets/secrets.h"
#include "tests/fuzz/input.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kartei::secrets;
  using kartei::fuzz::require;
  constexpr int kRoundsMax = 64;
  if (size > 8192) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  std::size_t end = 0;
  for (const Finding& one : find(text)) {
    require(one.begin >= end && one.end > one.begin && one.end <= size);
    require(!essence(text.substr(one.begin, one.end - one.begin)).empty());
    end = one.end;
  }
  std::string out(text);
  require(mask(out) == (end > 0));
  // A mask may be what a label or a boundary was missing; masks themselves hold nothing.
  int rounds = 0;
  while (mask(out)) require(++rounds < kRoundsMax);
  return 0;
}
