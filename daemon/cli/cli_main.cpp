// kartei: the command line.
#include <sys/ioctl.h>
#include <unistd.h>

#include <csignal>
#include <iostream>

#include "daemon/cli/cli.h"

int main(int argc, char** argv) {
  using namespace kartei::daemon;
  std::signal(SIGPIPE, SIG_DFL);
  cli::Style style;
  winsize size{};
  style.terminal = ::isatty(STDOUT_FILENO) != 0 && ::getenv("NO_COLOR") == nullptr;
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    style.columns = size.ws_col;
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  return cli::run(arguments, {std::cin, std::cout, std::cerr, process_environment(), style});
}
