@0xe1f60b7c4a9d2853;
# What devices say to each other.

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("kartei::sync::wire");

struct Message {
  version @0 :UInt16;
}
