#!/bin/sh
# Writes Scripts/function-order.txt: the functions that `graben get` and its like run, in the order in which they are first met. The static command
# line is linked in that order (Package.swift), so that a look into a store touches few pages of the program.
#
#     Scripts/function-order.sh        needs valgrind; builds the static command line below .build/static
#
# A name that is no more costs nothing, and a function that is missing here only its page.
set -eu
cd "$(dirname "$0")/.."
GRABEN_STATIC=1 swift build -c release --static-swift-stdlib --scratch-path .build/static --product graben
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# Valgrind stumbles over the compiler's debugging information.
strip --strip-debug -o "$work/graben" .build/static/release/graben
cat > "$work/model.json" <<'MODEL'
{"entities": [
  {"name": "Joint", "attributes": [{"name": "name", "type": "string"}, {"name": "x", "type": "double", "packed": true, "optional": false}],
   "relationships": [{"name": "outgoing", "destination": "Line", "toMany": true, "inverse": "start"}]},
  {"name": "Line", "relationships": [{"name": "start", "destination": "Joint", "inverse": "outgoing"}]}
]}
MODEL
{ echo "name,x"; i=0; while [ $i -lt 2000 ]; do echo "joint $i,$i.5"; i=$((i + 1)); done; } > "$work/Joint.csv"
"$work/graben" load "$work/store.graben" --model "$work/model.json" "$work/Joint.csv" > /dev/null
run() {
    valgrind --quiet --tool=callgrind --callgrind-out-file="$work/$1.calls" "$work/graben" "$@" > /dev/null 2>&1
    sed -n -e "s/^c\{0,1\}fn=([0-9]*) \([^ ']*\).*/\1/p" "$work/$1.calls"
}
{ run get "$work/store.graben" Joint 1000; run info "$work/store.graben"; run count "$work/store.graben" Joint; } \
    | grep -v '^0x' | awk '!seen[$0]++' > Scripts/function-order.txt
wc -l Scripts/function-order.txt
