#include "daemon/cli/completions.h"

namespace kartei::daemon::cli {

std::string completions(const std::string& shell, const std::vector<std::string>& verbs) {
  std::string words;
  for (const std::string& verb : verbs) words += (words.empty() ? "" : " ") + verb;
  if (shell == "bash")
    return "_kartei() {\n"
           "  local word=${COMP_WORDS[COMP_CWORD]}\n"
           "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
           "    COMPREPLY=($(compgen -W \"" +
           words +
           " --json --box --help --version\" -- \"$word\"))\n"
           "  else\n"
           "    COMPREPLY=($(compgen -f -W \"--json --box --help\" -- \"$word\"))\n"
           "  fi\n"
           "}\n"
           "complete -F _kartei kartei\n";
  if (shell == "zsh")
    return "#compdef kartei\n"
           "_arguments '--json[print JSON]' '--box[another box]:box' '1:verb:(" +
           words + ")' '*:file:_files'\n";
  std::string out = "complete -c kartei -l json -d 'Print JSON'\ncomplete -c kartei -l box -r\n";
  for (const std::string& verb : verbs)
    out += "complete -c kartei -n __fish_use_subcommand -a " + verb + "\n";
  return out;
}

}  // namespace kartei::daemon::cli
