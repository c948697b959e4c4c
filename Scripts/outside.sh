#!/bin/sh
# Builds and runs the package in Tests/Outside, which depends on Graben as any user's does: a library of entities, and a program that adds
# its own. Then looks at the machine code of the program's packed accessors, which are to be loads without a call.
#
#   Scripts/outside.sh version   by version: a tagged clone of what is in the working tree now; a release build, with the look at the code,
#                                and then the example whose classes are generated (Scripts/generated-model.sh)
#   Scripts/outside.sh path      by path; a debug build
set -eu
root=$(CDPATH= cd -- "$(dirname -- "$0")/.." && pwd)
mode=${1:-version}

folder=$(mktemp -d "${TMPDIR:-/tmp}/graben-outside.XXXXXX")
trap 'rm -rf "$folder"' EXIT
trap 'exit 130' INT TERM
mkdir "$folder/package"
cp -R "$root/Tests/Outside/." "$folder/package"
cp -R "$root/Examples/GeneratedModel/Sources/Town" "$folder/package/Sources/Town"

case $mode in
version)
    echo "==> a tagged clone of the working tree"
    mkdir "$folder/graben"
    if git -C "$root" rev-parse --git-dir >/dev/null 2>&1; then
        (cd "$root" && git ls-files -co --exclude-standard) >"$folder/files"
    else
        (cd "$root" && find . -type f -not -path './.build/*') >"$folder/files"
    fi
    (cd "$root" && while IFS= read -r file; do if [ -e "$file" ]; then printf '%s\n' "$file"; fi; done <"$folder/files" | tar -cf - -T -) |
        tar -xf - -C "$folder/graben"
    git -C "$folder/graben" init -q
    git -C "$folder/graben" add -A
    git -C "$folder/graben" -c user.name=outside -c user.email=outside@localhost commit -q -m outside
    git -C "$folder/graben" tag 1.0.0
    GRABEN_URL="file://$folder/graben"
    export GRABEN_URL
    configuration=release
    ;;
path)
    GRABEN_PATH=$root
    export GRABEN_PATH
    configuration=debug
    ;;
*)
    echo "outside.sh: version or path, not '$mode'" >&2
    exit 64
    ;;
esac

echo "==> building a package that depends on it by $mode ($configuration)"
# Caches of its own: nothing of a version that never existed stays behind.
swift build --package-path "$folder/package" -c $configuration --cache-path "$folder/cache" --security-path "$folder/security" \
    --product Editor
echo "==> running it"
editor=$folder/package/.build/$configuration/Editor
"$editor" "$folder/drawing.graben"

# Assertions call, and debug builds have them.
[ $configuration = release ] || exit 0
echo "==> the machine code of its accessors"
disassembler=$(command -v llvm-objdump || command -v objdump || true)
functions="editor_read_lane editor_read_point editor_read_inherited_lane editor_read_float_lane"
if [ -z "$disassembler" ]; then
    echo "outside.sh: no objdump or llvm-objdump here; the accessors' machine code is not looked at" >&2
    functions=
fi
for function in $functions; do
    code=$("$disassembler" -d --no-show-raw-insn "$editor" | awk -v name="<$function>:" '
        index($0, name) { inside = 1; next }
        inside && NF == 0 { exit }
        inside { print }')
    # The only call is the slow path, for an object that does not read a column, and a branch on a bit of its word leads there.
    calls=$(printf '%s\n' "$code" | grep -E '[[:space:]](callq?|bl|blr)[[:space:]]' || true)
    first=$(printf '%s\n' "$code" | grep -Em1 '[[:space:]](j[a-ln-z][a-z]*|tbn?z|cbn?z|b\.[a-z]+|callq?|bl|blr)[[:space:]]' || true)
    if [ -z "$code" ] || printf '%s\n' "$calls" | grep -qv packedSlow || printf '%s\n' "$first" | grep -Eq '[[:space:]](callq?|bl|blr)[[:space:]]'; then
        echo "outside.sh: $function is to be loads without a call, but for the slow path behind a branch:" >&2
        printf '%s\n' "$code" >&2
        exit 1
    fi
    echo "$function: $(printf '%s\n' "$code" | wc -l | tr -d ' ') instructions, no call but the slow path"
done

OUTSIDE_CACHES=$folder "$root/Scripts/generated-model.sh" "$folder/package"
