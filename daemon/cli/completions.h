// Completions of the verbs for three shells.
#pragma once

#include <string>
#include <vector>

namespace kartei::daemon::cli {

std::string completions(const std::string& shell, const std::vector<std::string>& verbs);

}  // namespace kartei::daemon::cli
