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
# As large as it takes to have an index that was written before it was closed.
cat > "$work/model.json" <<'MODEL'
{"entities": [
  {"name": "Joint", "attributes": [{"name": "name", "type": "string"}, {"name": "x", "type": "double", "packed": true, "optional": false},
    {"name": "y", "type": "double", "packed": true, "optional": false}],
   "relationships": [{"name": "outgoing", "destination": "Line", "toMany": true, "inverse": "start"},
    {"name": "incoming", "destination": "Line", "toMany": true, "inverse": "end"}]},
  {"name": "Line", "relationships": [{"name": "start", "destination": "Joint", "inverse": "outgoing"},
    {"name": "end", "destination": "Joint", "inverse": "incoming"}]}
]}
MODEL
awk 'BEGIN { print "name,x,y"; for (i = 0; i < 300000; i++) print "joint " i "," i ".5," i * 7 % 1000 ".25" }' > "$work/Joint.csv"
awk 'BEGIN { print "start,end"; for (i = 0; i < 300000; i++) print "joint " i * 7919 % 300000 ",joint " i * 104729 % 300000 }' > "$work/Line.csv"
"$work/graben" load "$work/store.graben" --model "$work/model.json" "$work/Joint.csv" "$work/Line.csv" > /dev/null
run() {
    valgrind --quiet --tool=callgrind --demangle=no --callgrind-out-file="$work/$1.calls" "$work/graben" "$@" > /dev/null 2>&1
    sed -n -e "s/^c\{0,1\}fn=([0-9]*) \([^ ']*\).*/\1/p" "$work/$1.calls"
}
# What a processor's C library picks that Valgrind's processor does not have, and what runs before Valgrind counts.
others() {
    for name in memmove memset; do printf '__%s_avx512_unaligned_erms\n__%s_evex_unaligned_erms\n' $name $name; done
    for name in memchr memrchr rawmemchr strlen strnlen strchr strrchr strchrnul strcmp strncmp strcpy stpcpy; do echo "__${name}_evex"; done
    for name in __memcmp_evex_movbe _start __libc_start_main_impl __new_memcpy_ifunc __libc_memmove_ifunc __trunc_ifunc __ceil_ifunc \
        __cos_ifunc __strcasecmp_ifunc __strncasecmp_ifunc _dl_new_object __strtoull_internal _IO_padn madvise __munmap; do echo $name; done
}
{ run get "$work/store.graben" Joint 150000; run info "$work/store.graben"; run count "$work/store.graben" Joint; others; } \
    | grep -v '^0x' | awk '!seen[$0]++' > Scripts/function-order.txt
wc -l Scripts/function-order.txt
