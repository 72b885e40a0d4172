@0xbd4c2f0a91e67d35;
# Deltas on disk and on the wire; the meaning of each is in delta.h. Ids are 16 bytes, times Unix
# milliseconds, dates packed as in rows.h (0: unknown). New fields and kinds are appended; a change
# that an older reader must not skip over raises `version`.

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("kartei::store::wire");

struct Batch {
  version @0 :UInt16;
  deltas @1 :List(Delta);
}

struct Delta {
  union {
    turnHeard @0 :Turn;
    turnFiled @1 :TurnFiled;
    unitFiled @2 :UnitFiled;
    cardEdited @3 :CardEdited;
    usageCounted @4 :UsageCounted;
    conversationEnded @5 :ConversationEnded;
  }
}

struct Turn {
  id @0 :Data;
  externalId @1 :Text;
  conversation @2 :Text;
  speaker @3 :Text;
  role @4 :UInt8;
  trust @5 :UInt8;
  zoneMin @6 :Int16;
  text @7 :Text;
  caption @8 :Text;
  saidAt @9 :Int64;
  recordedAt @10 :Int64;
  drawer @11 :Data;
  app @12 :Text;
  device @13 :Data;
}

struct TurnFiled {
  turn @0 :Data;
  feedDevice @1 :Data;
  feedNumber @2 :UInt32;
  feedTag @3 :UInt64;
  seq @4 :UInt64;
  drawer @5 :Data;
}

struct Card {
  id @0 :Data;
  text @1 :Text;
  colour @2 :UInt8;
  trust @3 :UInt8;
  state @4 :UInt8;
  userMade @5 :Bool;
  flags @6 :UInt32;
  drawer @7 :Data;
  subDomain @8 :Text;
  microContext @9 :Text;
  subject @10 :Text;
  relation @11 :Text;
  object @12 :Text;
  validFrom @13 :Int64;
  validTo @14 :Int64;
  recordedAt @15 :Int64;
  closedAt @16 :Int64;
  replacedBy @17 :Data;
  whyClosed @18 :Text;
  conversation @19 :Text;
  sources @20 :Data;        # ids one after the other, as in all lists of ids
  saidBy @21 :Text;
  app @22 :Text;
  device @23 :Data;
  importance @24 :Float64;
  tags @25 :List(Text);
  annotations @26 :List(Text);
  timesUsed @27 :UInt32;
  lastUsed @28 :Int64;
}

struct CardClose {
  card @0 :Data;
  sources @1 :Data;
  key @2 :Text;
  validTo @3 :Int64;
  replacedBy @4 :Data;
  why @5 :Text;
  at @6 :Int64;
}

struct UnitFiled {
  unit @0 :Data;
  drawer @1 :Data;
  sources @2 :Data;
  cards @3 :List(Card);
  closes @4 :List(CardClose);
  confirmed @5 :Data;
  confirmedBy @6 :Data;
}

struct CardEdited {
  edit @0 :Data;
  kind @1 :UInt8;
  drawer @2 :Data;
  target @3 :Data;
  turn @4 :Data;
  targetSources @5 :Data;
  targetKey @6 :Text;
  card @7 :Card;
  flags @8 :UInt32;
  importance @9 :Float64;
  note @10 :Text;
  validTo @11 :Int64;
  at @12 :Int64;
  run @13 :Data;            # empty: a user did it
  standsIn @14 :Data;
}

struct UsageCounted {
  edit @0 :Data;
  drawer @1 :Data;
  card @2 :Data;
  times @3 :UInt32;
  last @4 :Int64;
}

struct ConversationEnded {
  edit @0 :Data;
  drawer @1 :Data;
  conversation @2 :Text;
  at @3 :Int64;
}
