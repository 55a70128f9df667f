#!/bin/bash
cd /app
if [ "$(cat /srv/report/total.txt 2>/dev/null)" = "$(cat /tests/expected.txt)" ]; then echo 1 > /logs/verifier/reward.txt
else echo 0 > /logs/verifier/reward.txt; fi
