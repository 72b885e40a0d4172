// `kartei`: every verb is a call of the API and a way to print its answer.
#pragma once

#include <functional>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "daemon/cli/client.h"
#include "daemon/cli/output.h"
#include "daemon/config.h"

namespace kartei::daemon::cli {

struct Surroundings {
  std::istream& in;
  std::ostream& out;
  std::ostream& err;
  Environment environment;
  Style style;
};

// 0 done; 1 refused or failed, with one clear line on `err`; 2 wrong usage.
int run(const std::vector<std::string>& arguments, Surroundings surroundings);

// What all verbs share.
struct Context {
  explicit Context(Surroundings& surroundings) : around(surroundings) {}
  Surroundings& around;
  bool json = false;
  std::string box;
  bool wrong_usage = false;
  Error usage(std::string what) {  // the words do not fit together: exit status 2
    wrong_usage = true;
    return bad_input(std::move(what));
  }
  // Calls the daemon; a refusal becomes an error with its detail.
  Result<std::string> call(const char* method, std::string target, std::string_view body = {},
                           const std::function<bool(std::string_view)>& sink = {});
  Result<Client*> client();

 private:
  std::optional<Client> client_;
};

// A verb's work; what it prints goes to context.around.out.
using Verb = std::function<Status(Context&)>;

struct VerbSet;  // cli.cpp; the groups below add to it
void add_talk_verbs(VerbSet& verbs);
void add_card_verbs(VerbSet& verbs);
void add_review_verbs(VerbSet& verbs);
void add_device_verbs(VerbSet& verbs);
void add_box_verbs(VerbSet& verbs);
void add_key_verbs(VerbSet& verbs);
void add_secretary_verbs(VerbSet& verbs);
void add_forgetting_verbs(VerbSet& verbs);

}  // namespace kartei::daemon::cli
