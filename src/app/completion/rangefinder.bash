# Completion of rangefinder for bash:
#   source <(rangefinder completion bash)
_rangefinder() {
  local line=${COMP_LINE:0:COMP_POINT}
  local current=${line##* }
  case " $line" in *' -- '*) COMPREPLY=($(compgen -f -- "$current")); return;; esac
  local words keys= override overrides='@overrides@'
  if [[ $COMP_CWORD -le 1 ]]; then
    words='@commands@ @options@'
  else
    case ${COMP_WORDS[1]} in
      completion) words='bash zsh';;
@cases@      *) words="@options@";;
    esac
    for override in $overrides; do
      [[ $override =~ ^($keys)[.=@/] ]] && words+=" $override"
    done
  fi
  local plus=${current%%[!+]*}
  local IFS=$' \n'
  COMPREPLY=($(compgen -P "$plus" -W "$words" -- "${current#"$plus"}"))
  if [[ ${#COMPREPLY[@]} -eq 0 ]]; then
    COMPREPLY=($(compgen -f -- "$current"))
  fi
  # bash replaces the part after the last of its word breaks only.
  local broken=${current%"${current##*[=:@]}"}
  local i
  for i in "${!COMPREPLY[@]}"; do
    COMPREPLY[i]=${COMPREPLY[i]#"$broken"}
  done
  case ${COMPREPLY[0]-} in *=) compopt -o nospace;; esac
}
complete -F _rangefinder rangefinder
