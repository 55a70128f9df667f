#!/bin/bash
cd /app
make wc >&2
right=0
for case in "a b c:3" "one:1" ":0" "  two  words :2"; do
    [ "$(printf '%s' "${case%:*}" | ./wc)" = "${case##*:}" ] && right=$((right + 1))
done
if [ $right -eq 0 ]; then style=0; else style=1; fi
echo "{\"reward\": 0.$((right * 25)), \"style\": $style}" | sed 's/0\.100/1.0/' > /logs/verifier/reward.json
