// Letters of Latin, Greek and Cyrillic script in one form: small, without diacritics. Pure; any
// thread; any code point is accepted, and stays as it is where it is no such letter.
#pragma once

namespace kartei {

// U+00C0 and above; of ligatures the first letter ("æ" is "a"), final sigma as any other.
char32_t ground_letter(char32_t c);

}  // namespace kartei
