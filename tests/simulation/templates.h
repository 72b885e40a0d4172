// Boxes of n devices that know each other, made once a process: founding, proposing and approving
// cost more than a run can spare. The same in every process, since all of it comes from fixed
// seeds.
#pragma once

#include <map>
#include <vector>

#include "crypto/identity.h"
#include "store/ids.h"

namespace kartei::sim {

struct Template {
  struct Member {
    crypto::Identity identity;
    Bytes image;
    store::DrawerId local_drawer;
  };
  std::vector<Member> members;
  store::DrawerId home;  // shared, every member holds it
};

// One owner, one thread.
class Templates {
 public:
  const Template& of(std::size_t devices);
  const Bytes& empty_box();

 private:
  std::map<std::size_t, Template> made_;
  Bytes empty_;
};

}  // namespace kartei::sim
