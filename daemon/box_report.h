// What is wrong with a box, for the doctor: one that is open, and one that is not or does not open.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "crypto/result.h"
#include "crypto/secret.h"

namespace kartei::daemon {

class BoxHost;

struct BoxReport {
  std::string name;
  std::filesystem::path file;
  std::vector<std::string> problems;  // each with what to do, where something can be done
  bool closed = false;  // it is encrypted, and there was no key: nothing is known of it
};

// The names of the boxes that lie in the home.
std::vector<std::string> box_names(const std::filesystem::path& home);
// Reads the files only; with or without a daemon that runs. A null key opens boxes in the clear.
BoxReport look_at_box(const std::filesystem::path& home, const std::string& name,
                      const crypto::Secret* data_key);
// On the writer thread.
BoxReport look_at_open_box(BoxHost& host);

}  // namespace kartei::daemon
