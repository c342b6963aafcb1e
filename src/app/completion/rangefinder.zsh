#compdef rangefinder
# Completion of rangefinder for zsh:
#   source <(rangefinder completion zsh)
_rangefinder() {
  local -a commands options overrides
  commands=(@commands@)
  overrides=(@overrides@)
  local keys=
  case ${words[2]} in
@cases@    *) options=(@options@);;
  esac
  overrides=(${(M)overrides:#(${~keys})[.=@/]*})
  if (( ${words[(I)--]} && ${words[(I)--]} < CURRENT )); then
    _files
  elif (( CURRENT == 2 )); then
    compadd -a commands
    compadd -a options
  elif [[ ${words[2]} == completion ]]; then
    compadd bash zsh
  else
    compset -P '+#'
    compadd -S '' -a overrides
    compadd -a options
    _files
  fi
}
if [[ $funcstack[1] == _rangefinder ]]; then
  _rangefinder "$@"
else
  compdef _rangefinder rangefinder
fi
