#!/bin/sh
# Builds the fuzzer of logs and indexes with libFuzzer and the address sanitizer, and runs it: fuzz-log.sh SECONDS [OPTIONS OF LIBFUZZER]
#
# By hand and not by the package, since the fuzzer brings its own main. Status 77 where the compiler has no libFuzzer.
set -eu
seconds=$1
shift
root=$(cd "$(dirname "$0")/.." && pwd)
build="$root/.build/fuzz-log"
mkdir -p "$build/corpus"
cd "$build"

printf '@_cdecl("LLVMFuzzerTestOneInput") public func f(_ p: UnsafePointer<UInt8>?, _ n: Int) -> CInt { 0 }\n' > probe.swift
if ! swiftc -sanitize=fuzzer,address -parse-as-library probe.swift -o probe > probe.txt 2>&1; then
    echo "fuzz-log: this compiler has no libFuzzer, so logs are not fuzzed:" >&2
    cat probe.txt >&2
    exit 77
fi

for file in "$root"/Sources/CGraben/*.c; do
    clang -std=c17 -D_GNU_SOURCE -O1 -g -fsanitize=address -I "$root/Sources/CGraben/include" -c "$file" -o "$(basename "$file" .c).o"
done
mkdir -p modules
printf 'module CGraben { header "%s" export * }\n' "$root/Sources/CGraben/include/CGraben.h" > modules/module.modulemap
common="-O -g -swift-version 6 -package-name graben -parse-as-library -sanitize=fuzzer,address -enforce-exclusivity=checked
    -I . -I modules -I $root/Sources/CLZ4"
module() {
    # shellcheck disable=SC2086
    find "$2" -name '*.swift' | sort > "$1.files"
    swiftc $common -wmo -module-name "$1" -emit-module -emit-module-path "$1.swiftmodule" -c @"$1.files" -o "$1.o"
}
module GrabenLog "$root/Sources/GrabenLog"
module GrabenFixtures "$root/Tests/Support"
module StoreCrashing "$root/Tests/Crashing"
# shellcheck disable=SC2086
swiftc $common "$root/Tests/FuzzLog/Entry.swift" ./*.o -llz4 -o fuzz-log 2>link.txt || { cat link.txt >&2; exit 1; }
ASAN_OPTIONS=detect_leaks=0 ./fuzz-log -max_total_time="$seconds" -timeout=20 -rss_limit_mb=2048 -max_len=400 -len_control=0 -print_final_stats=1 \
    -artifact_prefix="$build/" "$@" corpus
