// The two roles of pairing. In the clear: nonce; nonce and share; share and confirmation;
// confirmation. In the channel: sponsor, join, then waiting, welcome or refusal, then done.
#include <algorithm>

#include "sync/pairing.h"

namespace kartei::sync {
namespace {

enum Clear : std::uint8_t { kNonce = 1, kShare = 2, kProof = 3, kAnswer = 4, kNo = 9 };
enum Inside : std::uint8_t {
  kSponsor = 1,
  kJoin = 2,
  kWaiting = 3,
  kWelcome = 4,
  kRefusal = 5,
  kDone = 6,
};

constexpr std::string_view kNewcomerRole = "newcomer";
constexpr std::string_view kMemberRole = "member";
constexpr std::size_t kNonceBytes = 16, kShareBytes = 32, kProofBytes = 64;
constexpr std::size_t kBoxBytes = 16, kKeysBytes = 128, kSignatureBytes = 64;
constexpr std::size_t kRefusalMax = 500;

void append_clear(Bytes& out, Clear type, std::initializer_list<ByteView> parts) {
  Bytes body{type};
  for (const auto part : parts) body.insert(body.end(), part.begin(), part.end());
  append_packet(out, body);
}

Error out_of_turn() {
  return corrupt("The peer sent what is not its turn.");
}

std::string_view cut(std::string_view text, std::size_t max) {
  if (text.size() <= max) return text;
  while (max > 0 && (static_cast<unsigned char>(text[max]) & 0xC0) == 0x80) --max;
  return text.substr(0, max);
}

}  // namespace

// ---- the member

PairingMember::PairingMember(PairingOffer& offer, store::BoxId box, const PairingSelf& self,
                             crypto::Random& random)
    : PairingSession(random), offer_(offer), box_(box), self_(self) {}

void PairingMember::say_no(PairingFailure failure, Events& events) {
  const std::array<std::uint8_t, 1> why{static_cast<std::uint8_t>(failure)};
  append_clear(output_, kNo, {why});
  fail(failure, {}, events);
}

Status PairingMember::take_clear(ByteView packet, std::int64_t now_ms, Events& events) {
  // Asked again before each proof: other connections may have used the code up meanwhile.
  if (const auto refusal = offer_.refusal(now_ms)) {
    say_no(*refusal, events);
    return {};
  }
  const ByteView body = packet.subspan(1);
  if (packet[0] == kNonce && body.size() == kNonceBytes && !cpace_) {
    std::array<std::uint8_t, kNonceBytes> nonce{};
    random_.fill(nonce);
    make_session(body, nonce);
    start_cpace(offer_.code(), kMemberRole);
    append_clear(output_, kShare, {nonce, cpace_->share()});
    return {};
  }
  if (packet[0] == kProof && body.size() == kShareBytes + kProofBytes && cpace_) {
    return take_share(body, events);
  }
  return out_of_turn();
}

Status PairingMember::take_share(ByteView body, Events& events) {
  const ByteView share = body.first(kShareBytes);
  const bool valid = finish_cpace(share, kNewcomerRole, false).has_value();
  if (!valid || !equal_in_constant_time(body.subspan(kShareBytes), proof(share, kNewcomerRole))) {
    offer_.count_wrong();
    say_no(PairingFailure::kWrongCode, events);
    return {};
  }
  offer_.spend();
  append_clear(output_, kAnswer, {proof(cpace_->share(), kMemberRole)});
  events.push_back(PairingConfirmed{});
  return start_noise(false, self_.identity.box_secret());
}

Status PairingMember::opened(Events&) {
  const Bytes keys = self_.identity.pub().encode();
  return send(kSponsor, {box_.view(), keys, as_bytes(cut(self_.name, kDeviceNameMax))});
}

Status PairingMember::take_message(ByteView message, Events& events) {
  if (message.empty()) return out_of_turn();
  if (message[0] == kJoin && !joined_) return take_join(message.subspan(1), events);
  if (message[0] == kDone && welcomed_) {
    closed_ = true;
    events.push_back(PairingDone{});
    return {};
  }
  return out_of_turn();
}

Status PairingMember::take_join(ByteView body, Events& events) {
  if (body.size() < kKeysBytes + kSignatureBytes ||
      body.size() > kKeysBytes + kSignatureBytes + kDeviceNameMax) {
    return corrupt("The newcomer's introduction has the wrong length.");
  }
  Newcomer newcomer;
  KARTEI_ASSIGN(newcomer.keys, crypto::PublicIdentity::decode(body.first(kKeysBytes)));
  if (newcomer.keys.box_key != peer_key_) {
    return corrupt("The newcomer's keys are not those of its connection.");
  }
  std::copy_n(body.begin() + kKeysBytes, kSignatureBytes, newcomer.acceptance.begin());
  if (!crypto::verify(newcomer.keys.sign_key, acceptance_message(box_, newcomer.keys),
                      newcomer.acceptance)) {
    return corrupt("The newcomer did not accept this box.");
  }
  newcomer.name = as_text(body.subspan(kKeysBytes + kSignatureBytes));
  joined_ = true;
  events.push_back(PairingJoin{std::move(newcomer)});
  return {};
}

Status PairingMember::waiting() {
  return joined_ ? send(kWaiting, {}) : Status(out_of_turn());
}

Status PairingMember::welcome(ByteView welcome) {
  if (!joined_ || welcomed_) return out_of_turn();
  KARTEI_TRY(send(kWelcome, {welcome}));
  welcomed_ = true;
  return {};
}

Status PairingMember::refuse(std::string_view why) {
  KARTEI_TRY(send(kRefusal, {as_bytes(cut(why, kRefusalMax))}));
  closed_ = true;
  return {};
}

// ---- the newcomer

PairingNewcomer::PairingNewcomer(PairingCode code, const PairingSelf& self, crypto::Random& random)
    : PairingSession(random), code_(std::move(code)), self_(self) {
  random_.fill(nonce_);
  output_.assign(kPairingGreeting.begin(), kPairingGreeting.end());
  append_clear(output_, kNonce, {nonce_});
}

Status PairingNewcomer::take_clear(ByteView packet, std::int64_t, Events& events) {
  const ByteView body = packet.subspan(1);
  if (packet[0] == kNo && body.size() == 1) {
    const auto why = body[0] >= 1 && body[0] <= 3 ? static_cast<PairingFailure>(body[0])
                                                  : PairingFailure::kRefused;
    fail(why, {}, events);
    return {};
  }
  if (packet[0] == kShare && body.size() == kNonceBytes + kShareBytes && !cpace_) {
    make_session(nonce_, body.first(kNonceBytes));
    start_cpace(code_, kNewcomerRole);
    member_share_ = to_bytes(body.subspan(kNonceBytes));
    KARTEI_TRY(finish_cpace(member_share_, kMemberRole, true));
    append_clear(output_, kProof, {cpace_->share(), proof(cpace_->share(), kNewcomerRole)});
    return {};
  }
  if (packet[0] == kAnswer && body.size() == kProofBytes && cpace_) {
    if (!equal_in_constant_time(body, proof(member_share_, kMemberRole))) {
      fail(PairingFailure::kWrongCode, {}, events);
      return {};
    }
    events.push_back(PairingConfirmed{});
    return start_noise(true, self_.identity.box_secret());
  }
  return out_of_turn();
}

Status PairingNewcomer::opened(Events&) {
  return {};
}

Status PairingNewcomer::take_message(ByteView message, Events& events) {
  if (message.empty()) return out_of_turn();
  const ByteView body = message.subspan(1);
  if (message[0] == kSponsor && !sponsored_) return take_sponsor(body, events);
  if (!sponsored_ || welcomed_) return out_of_turn();
  if (message[0] == kWaiting) {
    events.push_back(PairingWaiting{});
    return {};
  }
  if (message[0] == kRefusal) {
    fail(PairingFailure::kRefused, std::string(cut(as_text(body), kRefusalMax)), events);
    return {};
  }
  if (message[0] == kWelcome) {
    welcomed_ = true;
    events.push_back(PairingWelcome{to_bytes(body)});
    return {};
  }
  return out_of_turn();
}

Status PairingNewcomer::take_sponsor(ByteView body, Events& events) {
  if (body.size() < kBoxBytes + kKeysBytes ||
      body.size() > kBoxBytes + kKeysBytes + kDeviceNameMax) {
    return corrupt("The member's introduction has the wrong length.");
  }
  PairingSponsor sponsor;
  sponsor.box = *store::BoxId::from_bytes(body.first(kBoxBytes));
  KARTEI_ASSIGN(sponsor.keys, crypto::PublicIdentity::decode(body.subspan(kBoxBytes, kKeysBytes)));
  if (sponsor.keys.box_key != peer_key_) {
    return corrupt("The member's keys are not those of its connection.");
  }
  sponsor.name = as_text(body.subspan(kBoxBytes + kKeysBytes));
  sponsored_ = true;

  const auto& identity = self_.identity;
  const Bytes keys = identity.pub().encode();
  const auto acceptance = identity.sign(acceptance_message(sponsor.box, identity.pub()));
  events.push_back(std::move(sponsor));
  return send(kJoin, {keys, acceptance, as_bytes(cut(self_.name, kDeviceNameMax))});
}

Status PairingNewcomer::done() {
  if (!welcomed_) return out_of_turn();
  KARTEI_TRY(send(kDone, {}));
  closed_ = true;
  return {};
}

}  // namespace kartei::sync
