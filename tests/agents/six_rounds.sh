#!/bin/sh
# An agent and judge for a story of six rounds, one of each kind: adopted, rejected, pending, rejected and then overturned
# by a person's verdict (written while round 5 runs), a failure, and a judge that takes too long.
# six_rounds.sh PYTHON: the interpreter for write_section.py.

write() {
    printf '%s\n' "$2" | "$python" -I -S "$XUEN_WORKSPACE/write_section.py" "$1"
}

python=$1
rounds=$XUEN_WORKSPACE/../rounds
case $XUEN_PURPOSE.$XUEN_ROUND in
research.5)
    write idea "half an idea"
    for snapshot in "$rounds"/cand-*-r4.md; do
        id=${snapshot##*/cand-}
        printf '%s 9 better than it looks\n' "${id%.md}" >>"$rounds/verdicts.txt"
    done
    exit 3
    ;;
research.*)
    write idea "idea of round $XUEN_ROUND" && write artifact "thing of round $XUEN_ROUND"
    ;;
judge.1) echo "SCORE: 8" ;;
judge.2 | judge.4) echo "SCORE: 3" ;;
judge.3) echo "I cannot say." ;;
judge.6) exec sleep 60 ;;
esac
