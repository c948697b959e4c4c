#!/bin/sh
# Builds and runs Examples/GeneratedModel, whose classes are generated from a model while it is built; then looks at what a user meets who
# changes the model: nothing is generated anew without need, and a mistake is an error of the build with its file and line.
#
#   Scripts/generated-model.sh            against this working tree, by path; a debug build below .build/generated
#   Scripts/generated-model.sh PACKAGE    in a package that has a copy of the example's target (Scripts/outside.sh makes one); a release build
set -eu
root=$(CDPATH= cd -- "$(dirname -- "$0")/.." && pwd)
folder=$(mktemp -d "${TMPDIR:-/tmp}/graben-generated.XXXXXX")
trap 'rm -rf "$folder"' EXIT
trap 'exit 130' INT TERM
if [ $# -ge 1 ]; then
    package=$1
    scratch=$package/.build
    configuration=release
else
    # A copy, because the model is changed below; always at one place, so that the build knows what it has built already.
    scratch=$root/.build/generated
    configuration=debug
    package=$scratch/GeneratedModel
    rm -rf "$package"
    mkdir -p "$package"
    cp -R "$root/Examples/GeneratedModel/Sources" "$package/Sources"
    sed "s|path: \"../..\"|path: \"$root\"|" "$root/Examples/GeneratedModel/Package.swift" >"$package/Package.swift"
fi
model="$package/Sources/Town/Town.xcdatamodeld/Town 2.xcdatamodel/contents"

# OUTSIDE_CACHES: where a build by version keeps its caches, so that nothing of a version that never existed stays behind.
build() {
    swift build --package-path "$package" --scratch-path "$scratch" -c $configuration --product Town \
        ${OUTSIDE_CACHES:+--cache-path "$OUTSIDE_CACHES/cache" --security-path "$OUTSIDE_CACHES/security"}
}

echo "==> building the example"
build
echo "==> running it"
"$scratch/$configuration/Town"

echo "==> building it again: nothing is generated without need"
made=$(find "$scratch/plugins/outputs" -name TownModel.swift)
sleep 1
touch "$folder/before"
build >/dev/null
if [ -n "$(find "$made" -newer "$folder/before")" ]; then
    echo "generated-model.sh: the model did not change, and $made was made anew" >&2
    exit 1
fi

echo "==> a mistake in the model: an error with its line"
line=$(grep -n '<attribute name="z"' "$model" | cut -d: -f1)
sed -i.old 's/<attribute name="z"/<attribute name="y"/' "$model"
if build >"$folder/said" 2>&1; then
    echo "generated-model.sh: a model with two attributes of one name was built" >&2
    exit 1
fi
# The first of the two is where it is found.
line=$((line - 5))
if ! grep -F "$model:$line:1: error: Joint.y: " "$folder/said"; then
    echo "generated-model.sh: the error of line $line was expected; the build said:" >&2
    cat "$folder/said" >&2
    exit 1
fi

mv "$model.old" "$model"
echo "==> two models of a target that make one class: an error instead of generated code that does not compile"
printf '{"entities": [{"name": "Other"},\n{"name": "Joint"}]}\n' >"$package/Sources/Town/Villages.graben-model.json"
if build >"$folder/said" 2>&1; then
    echo "generated-model.sh: a target with two classes Joint was built" >&2
    exit 1
fi
if ! grep -F "$package/Sources/Town/Villages.graben-model.json:2:1: error: $package/Sources/Town/Town.xcdatamodeld in the same module makes Joint too" "$folder/said"; then
    echo "generated-model.sh: the error of the second model was expected; the build said:" >&2
    cat "$folder/said" >&2
    exit 1
fi
echo "==> two models whose types have one name"
mv "$package/Sources/Town/Villages.graben-model.json" "$package/Sources/Town/town-model.graben-model.json"
if build >"$folder/said" 2>&1 || ! grep -F "would both become" "$folder/said"; then
    echo "generated-model.sh: two models named Town were built, or the build said something else:" >&2
    cat "$folder/said" >&2
    exit 1
fi
echo "the example is as expected"
