#include "daemon/manager/voices.h"

#include <algorithm>

#include "daemon/manager/words.h"

namespace kartei::daemon {
namespace {

constexpr std::string_view kNobody = "The user";

// People's own words: not the assistant's, and not what somebody passes on that others wrote.
bool is_said(const store::Turn& turn) {
  return turn.role == store::Role::kUser && turn.trust == store::Trust::kUser;
}

bool is_generic(std::string_view low) {
  return low.empty() || one_of(low, {"user", "me", "human", "owner", "i"});
}

// "mel42", "maya@home": what an account is called says nothing of who it is.
bool is_handle(std::string_view low) {
  return std::any_of(low.begin(), low.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x80 && c != ' ' && c != '-' && c != '\'' && c != '.' && (c < 'a' || c > 'z');
  });
}

// The owner by full name, by one word of it, or short: "M", "Mel". Of two full names each is its
// own, though both be an Anna's.
bool names_owner(std::string_view low, std::string_view owner_low) {
  if (low.find(' ') != std::string_view::npos && owner_low.find(' ') != std::string_view::npos)
    return low == owner_low;
  if (low.substr(0, low.find(' ')) == owner_low) return true;
  for (std::size_t at = 0; at < owner_low.size();) {
    const std::size_t space = std::min(owner_low.find(' ', at), owner_low.size());
    if (owner_low.substr(at, space - at).starts_with(low)) return true;
    at = space + 1;
  }
  return false;
}

template <class Use>
void each_turn(const SecretaryTask& task, Use use) {
  for (const store::Turn& turn : task.context) use(turn);
  for (const store::Turn& turn : task.turns) use(turn);
}

// Who "I" is where nobody else says it: the owner of the box, else the first who has a name.
std::string owner_of(const SecretaryTask& task) {
  std::string name = task.owner;
  each_turn(task, [&](const store::Turn& turn) {
    if (name.empty() && is_said(turn) && !is_generic(lower(turn.speaker))) name = turn.speaker;
  });
  return name.empty() ? std::string(kNobody) : name;
}

}  // namespace

bool Voice::says(const store::Turn& turn) const {
  return is_said(turn) &&
         std::find(speakers.begin(), speakers.end(), lower(turn.speaker)) != speakers.end();
}

std::vector<Voice> voices_of(const SecretaryTask& task) {
  const std::string owner = owner_of(task), owner_low = lower(owner);
  std::vector<Voice> voices;
  each_turn(task, [&](const store::Turn& turn) {
    if (!is_said(turn)) return;
    const std::string low = lower(turn.speaker);
    const bool other = !is_generic(low) && !is_handle(low) && !names_owner(low, owner_low);
    const std::string& name = other ? turn.speaker : owner;
    auto voice = std::find_if(voices.begin(), voices.end(),
                              [&](const Voice& known) { return lower(known.name) == lower(name); });
    if (voice == voices.end()) voice = voices.insert(voices.end(), {name, {}, false});
    if (std::find(voice->speakers.begin(), voice->speakers.end(), low) == voice->speakers.end())
      voice->speakers.push_back(low);
  });
  if (voices.empty()) voices.push_back({owner, {}, false});
  for (Voice& voice : voices) voice.among_people = voices.size() > 1;
  return voices;
}

}  // namespace kartei::daemon
