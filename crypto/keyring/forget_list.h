// What wraps needed elsewhere and do not need any more, or will not need if a change is cut off:
// written down before, struck out after, so that a crash leaves no key behind. Pure.
#pragma once

#include <vector>

#include "crypto/keyring/wrap.h"

namespace kartei::keyring {

inline constexpr std::size_t kForgetListSizeMax = 1024;

struct ForgetList {
  struct Entry {
    Backend backend = Backend::kFile;
    WrapId id{};
    bool operator==(const Entry&) const = default;
  };
  KeyId key_id{};  // of the keyring that it belongs to
  std::vector<Entry> entries;

  void put(const Entry& entry);  // the oldest goes where there are too many
  void drop(const Entry& entry);
};

Bytes encode_forget_list(const ForgetList& list);
Result<ForgetList> decode_forget_list(ByteView bytes);

}  // namespace kartei::keyring
