@0xe1f60b7c4a9d2853;
# What devices say to each other and what their records hold. Every number of bytes is checked when it
# is read (sync/wire.cpp); nothing in here is trusted before its signature is.

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("kartei::sync::wire");

struct Feed {
  device @0 :Data;     # 16
  number @1 :UInt32;
  tag @2 :UInt64;
}

struct FeedCount {
  feed @0 :Feed;
  count @1 :UInt64;
}

struct Term {
  counter @0 :UInt64;
  feed @1 :Feed;
}

struct Position {
  term @0 :Term;
  index @1 :UInt64;
  height @2 :UInt64;
  hash @3 :Data;       # 32
}

# ---- the control part of an entry, under the box-wide key: all that a device needs that may not
# hold the drawers.
struct Control {
  version @0 :UInt16;
  parent @1 :Position;              # height 0, hash of zeros: the ledger's root
  consumed @2 :List(FeedCount);     # those that differ from the parent's
  successor @3 :Data;               # 16: hand-over, the last entry of its term
  reason @4 :Text;                  # of the record that opens a term
  feeds @5 :List(Feed);             # named by index in `operations`
  operations @6 :List(Operation);   # in the order of the fold
}

struct Operation {
  drawer @0 :Data;                  # 16
  id @1 :Data;                      # 16: of the turn, unit or edit
  union {
    turn :group {
      feed @2 :UInt16;
      seq @3 :UInt64;
    }
    unit @4 :List(Data);            # its source turns
    edit @5 :Void;
  }
}

# ---- a record of the roll
struct RollOperation {
  version @0 :UInt16;
  union {
    genesis @1 :Device;             # with `nonce` its keys make the box's id
    recovery @2 :Data;              # 32: public key
    propose @3 :Device;
    approve @4 :Data;               # 16: device
    recoveryApprove :group {
      device @5 :Data;
      signature @6 :Data;           # 64, by the recovery key
    }
    revoke :group {
      target @7 :Data;
      cuts @8 :List(FeedCount);     # as held by the revoker
    }
    pin :group {
      number @9 :UInt64;
      device @10 :Data;             # empty: released
    }
    drawer @11 :DrawerInfo;
    keys @12 :Void;                 # nothing but its key parts
    owner :group {                  # the highest (number, author) holds
      number @13 :UInt64;
      name @14 :Text;
      zone @15 :Text;               # IANA
    }
    forgetting :group {             # the highest (number, author) holds
      number @16 :UInt64;
      policy @17 :Text;             # the daemon's, lines of "key value"
    }
  }
}

struct Device {
  keys @0 :Data;                    # PublicIdentity, 128 bytes
  name @1 :Text;
  acceptance @2 :Data;              # propose: 64
  nonce @3 :Data;                   # genesis: 16
}

struct DrawerInfo {
  id @0 :Data;
  version @1 :UInt64;               # the highest (version, author) holds
  shared @2 :Bool;
  devices @3 :List(Data);           # empty: every member
  epoch @4 :UInt64;                 # under which `name` is sealed
  name @5 :Data;
}

# A key part of a roll record: one epoch's key for several devices.
struct KeyBoxes {
  boxes @0 :List(KeyBox);
}
struct KeyBox {
  device @0 :Data;
  sealed @1 :Data;
}

# ---- heads
struct Head {
  version @0 :UInt16;
  box @1 :Data;
  feed @2 :Feed;                    # the incarnation in use
  counter @3 :UInt64;
  have @4 :List(FeedCount);
  tip @5 :Position;
  seen @6 :Term;
  roll @7 :Data;                    # 32: hash of the roll's records
  finalHeight @8 :UInt64;
  linked @9 :List(Data);            # devices it has a link to
  vitals @10 :Vitals;
  acting @11 :Bool;
  lacks @12 :List(KeyName);         # keys that it should hold, of records that it cannot open
}

struct KeyName {
  drawer @0 :Data;
  epoch @1 :UInt64;
}

struct Vitals {
  kind @0 :UInt8;
  power @1 :UInt8;
  battery @2 :Float64;
  use @3 :Float64;
  cores @4 :UInt32;
  load @5 :Float64;
  memoryFreeMb @6 :UInt32;
  storageFreeMb @7 :UInt32;
  reachable @8 :Float64;
}

# ---- messages
struct Range {
  feed @0 :Feed;
  records @1 :List(Data);           # contiguous
}

struct Message {
  version @0 :UInt16;
  box @1 :Data;
  ask @2 :Bool;                     # answer with a head, even with nothing new
  head @3 :Data;                    # the sender's; sealed and signed
  heads @4 :List(Data);             # newest known of others
  ranges @5 :List(Range);
  snapshot @6 :SnapshotChunk;
  request @7 :SnapshotRequest;
  roll @8 :List(Data);              # records of the roll, for one whose roll may never get them
  rollSize @9 :UInt32;              # how many the sender has; a long roll comes in several messages
}

struct SnapshotChunk {
  hash @0 :Data;                    # of the whole, names it
  offset @1 :UInt64;
  total @2 :UInt64;
  data @3 :Data;
}

struct SnapshotRequest {
  hash @0 :Data;                    # empty: the newest there is
  offset @1 :UInt64;
}

# A snapshot as one message, sealed under the control key and signed by the device that made it.
struct Snapshot {
  version @0 :UInt16;
  base @1 :Base;
  roll @2 :List(Data);
  seen @3 :Term;
  dumps @4 :List(Dump);
}
struct FeedHash {
  feed @0 :Feed;
  hash @1 :Data;
}
struct Dump {
  drawers @0 :List(Data);
  image @1 :Data;
}

struct Welcome {
  version @0 :UInt16;
  box @1 :Data;
  secret @2 :Data;                  # sealed to the newcomer
  roll @3 :List(Data);
  sponsor @4 :Data;
  seen @5 :Term;                    # by the sponsor
  tip @6 :Position;                 # where it stood: below it the newcomer does not lead
  state @7 :Data;                   # a sealed snapshot, if there is a final position and room
}

# A final position with what rests on it; also what an engine remembers of it in its box.
struct Base {
  position @0 :Position;
  consumed @1 :List(FeedCount);
  ancestors @2 :List(Data);         # entries at or below it that `consumed` does not cover
  hashes @3 :List(FeedHash);        # of the last record consumed of each feed
  successor @4 :Data;               # 16, if it is a hand-over
  reason @5 :Text;                  # of its term
}
