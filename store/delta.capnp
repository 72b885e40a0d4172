@0xbd4c2f0a91e67d35;
# Deltas on disk and on the wire; the meaning of each is in delta.h.

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("kartei::store::wire");

struct Batch {
  version @0 :UInt16;
}
