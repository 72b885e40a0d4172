#include "crypto/keyring/forget_list.h"

#include <algorithm>

#include "crypto/hash.h"

namespace kartei::keyring {

namespace {

constexpr std::string_view kListMagic = "KARTEIKF";
constexpr std::size_t kEntrySize = 1 + sizeof(WrapId);
constexpr std::size_t kEntriesMax = 16;
constexpr std::size_t kListHeadSize = kListMagic.size() + sizeof(KeyId);
constexpr std::size_t kListSumSize = sizeof(Hash32);
static_assert(kListHeadSize + kEntriesMax * kEntrySize + kListSumSize <= kForgetListSizeMax);

Hash32 list_sum(ByteView bytes) {
  return crypto::hash("kartei keyring forget list", {bytes});
}

}  // namespace

void ForgetList::put(const Entry& entry) {
  drop(entry);
  if (entries.size() == kEntriesMax) entries.erase(entries.begin());
  entries.push_back(entry);
}

void ForgetList::drop(const Entry& entry) {
  std::erase(entries, entry);
}

Bytes encode_forget_list(const ForgetList& list) {
  Bytes out = to_bytes(as_bytes(kListMagic));
  out.insert(out.end(), list.key_id.begin(), list.key_id.end());
  for (const ForgetList::Entry& entry : list.entries) {
    out.push_back(static_cast<std::uint8_t>(entry.backend));
    out.insert(out.end(), entry.id.begin(), entry.id.end());
  }
  const Hash32 sum = list_sum(out);
  out.insert(out.end(), sum.begin(), sum.end());
  return out;
}

Result<ForgetList> decode_forget_list(ByteView whole) {
  const Error damaged = corrupt("the list of what the keyring forgets is damaged");
  if (whole.size() < kListSumSize) return damaged;
  const ByteView bytes = whole.first(whole.size() - kListSumSize);
  if (!equal_in_constant_time(list_sum(bytes), whole.last(kListSumSize))) return damaged;
  if (bytes.size() < kListHeadSize || (bytes.size() - kListHeadSize) % kEntrySize != 0 ||
      as_text(bytes.first(kListMagic.size())) != kListMagic)
    return damaged;
  ForgetList list;
  std::copy_n(bytes.begin() + kListMagic.size(), sizeof(KeyId), list.key_id.begin());
  for (ByteView rest = bytes.subspan(kListHeadSize); !rest.empty();
       rest = rest.subspan(kEntrySize)) {
    ForgetList::Entry entry;
    if (rest[0] < 1 || rest[0] > std::size(kBackends)) return damaged;
    entry.backend = static_cast<Backend>(rest[0]);
    std::copy_n(rest.begin() + 1, sizeof(WrapId), entry.id.begin());
    list.entries.push_back(entry);
  }
  return list;
}

}  // namespace kartei::keyring
