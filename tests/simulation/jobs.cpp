// Many seeds on several processes: each child runs its share and writes outcomes to a pipe.
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <sstream>

#include "tests/simulation/run.h"

namespace kartei::sim {

namespace {

// One line an outcome: "s SEED" before, "d SEED HASH\tVIOLATION\tNAME=COUNT\t..." after.
std::string line_of(const Outcome& outcome) {
  std::ostringstream out;
  std::string violation = outcome.violation;
  for (char& c : violation)
    if (c == '\n' || c == '\t') c = ' ';
  out << "d " << outcome.seed << ' ' << outcome.trace_hash << '\t' << violation;
  for (const auto& [name, count] : outcome.coverage) out << '\t' << name << '=' << count;
  out << '\n';
  return out.str();
}

Outcome outcome_of(const std::string& line) {
  Outcome outcome;
  std::istringstream in(line);
  std::string part;
  std::getline(in, part, '\t');
  std::istringstream head(part.substr(2));
  head >> outcome.seed >> outcome.trace_hash;
  std::getline(in, outcome.violation, '\t');
  while (std::getline(in, part, '\t')) {
    const std::size_t at = part.rfind('=');
    outcome.coverage[part.substr(0, at)] = std::stoull(part.substr(at + 1));
  }
  return outcome;
}

void write_all(int fd, const std::string& text) {
  for (std::size_t at = 0; at < text.size();) {
    const ssize_t n = write(fd, text.data() + at, text.size() - at);
    if (n <= 0) _exit(3);
    at += static_cast<std::size_t>(n);
  }
}

struct Job {
  pid_t pid = -1;
  int fd = -1;
  std::string buffer;
  std::uint64_t at = 0;  // the seed under way
  bool under_way = false;
};

Job start(const Seeds& seeds, const sync::Rules& rules, std::size_t jobs, std::size_t index) {
  int ends[2];
  if (pipe(ends) != 0) throw Violation{"no pipe"};
  const pid_t pid = fork();
  if (pid < 0) throw Violation{"no process"};
  if (pid > 0) {
    close(ends[1]);
    return {pid, ends[0], {}, 0, false};
  }
  close(ends[0]);
  Templates templates;
  for (std::uint64_t seed = seeds.from + index; seed < seeds.to; seed += jobs) {
    write_all(ends[1], "s " + std::to_string(seed) + "\n");
    write_all(ends[1], line_of(run_seed(seed, rules, templates, false)));
  }
  _exit(0);
}

// False: stop.
bool take_lines(Job& job, const std::function<bool(const Outcome&)>& heard) {
  for (std::size_t end = job.buffer.find('\n'); end != std::string::npos;
       end = job.buffer.find('\n')) {
    const std::string line = job.buffer.substr(0, end);
    job.buffer.erase(0, end + 1);
    job.under_way = line[0] == 's';
    if (job.under_way) {
      job.at = std::stoull(line.substr(2));
      continue;
    }
    if (!heard(outcome_of(line))) return false;
  }
  return true;
}

bool finish(Job& job, const std::function<bool(const Outcome&)>& heard) {
  close(job.fd);
  job.fd = -1;
  int status = 0;
  waitpid(job.pid, &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return true;
  Outcome died;
  died.seed = job.at;
  died.violation =
      "the process died" +
      (WIFSIGNALED(status) ? " of signal " + std::to_string(WTERMSIG(status)) : std::string());
  return heard(died);
}

}  // namespace

void run_seeds(const Seeds& seeds, const sync::Rules& rules, std::size_t jobs,
               const std::function<bool(const Outcome&)>& heard) {
  std::fflush(stdout);
  std::vector<Job> running;
  for (std::size_t i = 0; i < jobs; ++i) running.push_back(start(seeds, rules, jobs, i));
  std::size_t left = jobs;
  bool go_on = true;
  while (go_on && left > 0) {
    std::vector<pollfd> fds;
    for (const Job& job : running) fds.push_back({job.fd, POLLIN, 0});
    poll(fds.data(), fds.size(), -1);
    for (std::size_t i = 0; go_on && i < running.size(); ++i) {
      Job& job = running[i];
      if (job.fd < 0 || fds[i].revents == 0) continue;
      char buffer[65'536];
      const ssize_t n = read(job.fd, buffer, sizeof buffer);
      if (n > 0) {
        job.buffer.append(buffer, static_cast<std::size_t>(n));
        go_on = take_lines(job, heard);
      } else {
        --left;
        go_on = finish(job, heard);
      }
    }
  }
  for (Job& job : running) {
    if (job.fd < 0) continue;
    kill(job.pid, SIGKILL);
    close(job.fd);
    waitpid(job.pid, nullptr, 0);
  }
}

}  // namespace kartei::sim
