#!/bin/bash
# `serve` opens windows in an armed program at intervals: metrics, pages and a
# history over HTTP, also after the program has ended; SIGTERM ends it with 0.
. "$(dirname "$0")/common.sh"
needs_tracer
command -v curl > /dev/null || skip "curl is not installed"
export RANGEFINDER_SOCKET_DIR=$t/sockets

server='' program=''
trap 's=$?; set +e; kill -9 $server $program 2> /dev/null || true; (exit $s); leave' EXIT

# `until_has FILE TEXT COMMAND…`: runs COMMAND into FILE until it has TEXT.
until_has() {
  local file=$1 text=$2 tries=0
  shift 2
  until "$@" > "$file" 2> /dev/null && grep -qF -- "$text" "$file"; do
    ((++tries < 600)) || { echo "no '$text' from $*" >&2; cat "$file" serving >&2; return 1; }
    sleep 0.1
  done
}

"$rangefinder" run -- "$ranges" live 120000 2 &
program=$!
until [[ -S sockets/$program.sock ]]; do sleep 0.05; done

"$rangefinder" serve "$program" --listen 127.0.0.1:0 --every 0.5s --window 0.2s \
  hydra.run.dir=runs 2> serving &
server=$!
until_has said "serving http" cat serving
url=$(sed -n 's,serving \(http://[^ ]*\)/.*,\1,p' serving)

until_has metrics "rangefinder_windows_total{run=\"$program\"} 2" curl -sS "$url/metrics"
has metrics "rangefinder_up{run=\"$program\"} 1" \
  "rangefinder_region_instances{run=\"$program\",process=\"$program\"" 'region="serve/step'
grep -q '^rangefinder_region_launches{.*region="serve/step' metrics
curl -sSi -H "Accept: application/openmetrics-text;version=1.0.0" "$url/metrics" > open
has open "Content-Type: application/openmetrics-text; version=1.0.0" "# EOF"
if command -v promtool > /dev/null; then
  promtool check metrics < metrics
else
  left_out "the form of the metrics: no promtool"
fi

# The page, with its policy, and what it holds.
curl -sSi "$url/report.html" > page
has page "HTTP/1.1 200" "Content-Security-Policy: default-src 'none'" "<title>"
cmp <(curl -sS "$url/windows/1/report.html") runs/window-0001/ncu/regions/report.html
curl -sS "$url/report.json" > report.json
[[ $(json report.json 'd["schema"]') = rangefinder.report/2 ]]
curl -sS "$url/" > index
has index '<iframe src="/report.html"' 'href="/windows/1/report.html"'

# No other file, by any path; no other request.
for path in /runs/window-0001/config.yaml /windows/1/../../../serving /..%2f..%2fserving \
  //etc/passwd /windows/1/report.md; do
  [[ $(curl -sS --path-as-is -o /dev/null -w '%{http_code}' "$url$path") = 404 ]]
done
[[ $(curl -sS -X POST -o /dev/null -w '%{http_code}' "$url/") = 405 ]]
[[ $(curl -sS -H "Host: evil.example" -o /dev/null -w '%{http_code}' "$url/") = 403 ]]
status 7 "$rangefinder" serve "$program" --listen "${url#http://}" hydra.run.dir=other 2> err
has err "in use"

# The program ends; its last window is served on.
kill -9 "$program"
wait "$program" 2> /dev/null || true
until_has said "all runs have ended" cat serving
curl -sS "$url/metrics" > metrics
has metrics "rangefinder_up{run=\"$program\"} 0" 'region="serve/step'
curl -sS "$url/report.html" > page
has page "<title>"
kill -TERM "$server"
status 0 wait "$server"
