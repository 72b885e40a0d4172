// Any bytes as a text with time phrases: no crash, phrases in order and inside the text.
#include <cstdlib>

#include "store/time_phrase.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kartei::store;
  if (size < 4 || size > 4096) return 0;
  // The first bytes choose the moment: any day of years around the calendar's middle, any zone.
  const std::int64_t days = (data[0] << 8 | data[1]) % 40'000;
  const auto zone = static_cast<std::int16_t>((data[2] % 27 - 13) * 60 + data[3] % 60);
  const ZonedTime said{time_from_ms(days * 86'400'000), zone};
  const std::string_view text(reinterpret_cast<const char*>(data) + 4, size - 4);
  std::size_t end = 0;
  for (const TimePhrase& phrase : find_time_phrases(text, said)) {
    if (phrase.begin < end || phrase.end <= phrase.begin || phrase.end > text.size()) std::abort();
    end = phrase.end;
    (void)spoken(phrase.from);
    (void)phrase.to.text();
  }
  return 0;
}
