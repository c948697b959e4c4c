#!/bin/sh
# Lists the statements about how objects behave that no test's display name begins with: S, C and B numbers, several of which may begin one
# name ("S1 S2 one id is ..."). Ends with status 1 where one is missing. Numbers never change, so gaps (S20) stay gaps.
#
# usage: Scripts/statements.sh [-v]     -v: also how many tests each one has

cd "$(dirname "$0")/.." || exit 2

# The words a display name begins with, as long as they are numbers.
tested=$(grep -rhoE --include='*.swift' '"([SCB][0-9]+[ ,:]+)+' Tests | tr -d '",:' | tr ' ' '\n' | grep -E '^[SCB][0-9]+$')

numbers() {
    letter=$1
    shift
    while [ $# -gt 0 ]; do
        number=$1
        while [ "$number" -le "$2" ]; do
            [ "$letter$number" = S20 ] || echo "$letter$number"
            number=$((number + 1))
        done
        shift 2
    done
}

missing=
for statement in $(numbers C 1 9; numbers S 1 124; numbers B 1 10); do
    count=$(printf '%s\n' "$tested" | grep -cx "$statement")
    [ "$1" = -v ] && echo "$statement $count"
    [ "$count" -gt 0 ] || missing="$missing $statement"
done

if [ -z "$missing" ]; then
    echo "every statement has a test"
else
    echo "statements without a test:$missing"
    exit 1
fi
