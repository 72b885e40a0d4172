// CPace over ristretto255 with SHA-512 (draft-irtf-cfrg-cpace-21): a short code becomes a key that
// an eavesdropper or a wrong guesser does not have. State machine without I/O. One guess an object.
#pragma once

#include "crypto/bytes.h"
#include "crypto/random.h"
#include "crypto/result.h"
#include "crypto/secret.h"

namespace kartei::crypto {

class Cpace {
 public:
  // `session` unique per run; `channel` binds both parties (CI); `ad` is sent along, authenticated.
  Cpace(ByteView password, ByteView session, ByteView channel, ByteView ad, Random& random);
  ByteView share() const { return share_; }  // 32 bytes, to the other side with our ad
  // The 64-byte intermediate session key, to be confirmed and hashed before use. Error on an
  // invalid share, or our own one come back: abort then. Once: later calls are errors.
  Result<Secret> finish(ByteView other_share, ByteView other_ad, bool we_are_initiator);

 private:
  Bytes session_, ad_, share_;
  Secret scalar_;
};

// Key confirmation, section 9.4 of the draft: MAC over the own share and ad. 64 bytes.
Bytes cpace_confirmation(const Secret& isk, ByteView session, ByteView share, ByteView ad);
// True iff `tag` is the other side's confirmation, over its share and ad. In constant time.
bool cpace_confirms(const Secret& isk, ByteView session, ByteView other_share, ByteView other_ad,
                    ByteView tag);

}  // namespace kartei::crypto
