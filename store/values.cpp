#include "store/values.h"

#include <algorithm>

#include "crypto/hash.h"

namespace kartei::store {

namespace {

template <class Enum>
struct Name {
  Enum value;
  const char* text;
};
constexpr Name<Role> kRoles[] = {
    {Role::kUser, "user"}, {Role::kAssistant, "assistant"}, {Role::kTool, "tool"}};
constexpr Name<Colour> kColours[] = {
    {Colour::kFact, "fact"}, {Colour::kEvent, "event"}, {Colour::kRule, "rule"}};
constexpr Name<Trust> kTrusts[] = {{Trust::kUser, "user"},
                                   {Trust::kAssistant, "assistant"},
                                   {Trust::kTool, "tool"},
                                   {Trust::kWebPage, "web_page"}};
constexpr Name<CardState> kStates[] = {{CardState::kOpen, "open"},
                                       {CardState::kClosed, "closed"},
                                       {CardState::kFaded, "faded"},
                                       {CardState::kArchived, "archived"},
                                       {CardState::kQuarantined, "quarantined"},
                                       {CardState::kErased, "erased"}};
constexpr Name<std::uint32_t> kFlags[] = {
    {kPersistent, "persistent"}, {kHighPriority, "high_priority"}, {kNeverForget, "never_forget"}};

template <class Enum, std::size_t N>
const char* name_of(const Name<Enum> (&names)[N], Enum value) {
  for (const auto& name : names) {
    if (name.value == value) return name.text;
  }
  return names[0].text;
}

template <class Enum, std::size_t N>
std::optional<Enum> value_of(const Name<Enum> (&names)[N], std::string_view text) {
  for (const auto& name : names) {
    if (name.text == text) return name.value;
  }
  return std::nullopt;
}

bool is_space(unsigned char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

}  // namespace

const char* to_text(Role role) {
  return name_of(kRoles, role);
}
const char* to_text(Colour colour) {
  return name_of(kColours, colour);
}
const char* to_text(Trust trust) {
  return name_of(kTrusts, trust);
}
const char* to_text(CardState state) {
  return name_of(kStates, state);
}
std::optional<Role> role_from_text(std::string_view text) {
  return value_of(kRoles, text);
}
std::optional<Colour> colour_from_text(std::string_view text) {
  return value_of(kColours, text);
}
std::optional<Trust> trust_from_text(std::string_view text) {
  return value_of(kTrusts, text);
}
std::optional<CardState> card_state_from_text(std::string_view text) {
  return value_of(kStates, text);
}

std::vector<std::string> flag_names(std::uint32_t flags) {
  std::vector<std::string> names;
  for (const auto& flag : kFlags) {
    if ((flags & flag.value) != 0) names.emplace_back(flag.text);
  }
  return names;
}

std::optional<std::uint32_t> flag_from_name(std::string_view name) {
  return value_of(kFlags, name);
}

std::string normalised_text(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  bool space = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    const auto next = i + 1 < text.size() ? static_cast<unsigned char>(text[i + 1]) : 0U;
    if (is_space(c) || (c == 0xC2 && next == 0xA0)) {  // U+00A0, the space that does not break
      space = !out.empty();
      if (c == 0xC2) ++i;
      continue;
    }
    if (space) out.push_back(' ');
    space = false;
    if (c >= 'A' && c <= 'Z') {
      out.push_back(static_cast<char>(c + 32));
    } else if (c == 0xC3 && next >= 0x80 && next <= 0x9E && next != 0x97) {  // U+00C0 to U+00DE
      out.push_back(static_cast<char>(c));
      out.push_back(static_cast<char>(next + 32));
      ++i;
    } else {
      out.push_back(static_cast<char>(c));
    }
  }
  if (!out.empty() && out.back() == '.') out.pop_back();
  if (!out.empty() && out.back() == ' ') out.pop_back();
  return out;
}

std::string card_key(const Card& card) {
  if (card.subject.empty() || card.relation.empty() || card.object.empty()) {
    return normalised_text(card.text);
  }
  return normalised_text(card.subject) + '\x1f' + normalised_text(card.relation) + '\x1f' +
         normalised_text(card.object);
}

CardId derive_card_id(ByteView box_secret32, const Card& card) {
  std::vector<TurnId> sources = card.sources;
  std::sort(sources.begin(), sources.end());
  Bytes joined;
  for (TurnId turn : sources) joined.insert(joined.end(), turn.bytes.begin(), turn.bytes.end());
  const auto colour = static_cast<std::uint8_t>(card.colour);
  const Hash32 hash = crypto::keyed_hash(
      box_secret32, "kartei card id",
      {joined, card.drawer.view(), ByteView(&colour, 1), as_bytes(normalised_text(card.text))});
  return *CardId::from_bytes(ByteView(hash).first(16));
}

}  // namespace kartei::store
