#!/bin/bash
# The tests of a repository's row: put back as the image has them, then as the row says; read one by one when they ran.
export PYTHONDONTWRITEBYTECODE=1
cd @WORKDIR@ || exit 1
for path in @PUT_BACK@; do
    git clean -qfdx -- "$path"
    git checkout -q -f HEAD -- "$path" 2>/dev/null || rm -rf -- "$path"
done
git apply /tests/test.patch || exit 1
for path in @RUN@; do
    [ -f "$path" ] || continue
    printf '\n\n' >> "$path"
    cat /tests/more/test_more.py >> "$path"
done
rm -rf /logs/verifier/junit.xml
python3 -m pytest --rootdir=. -p no:cacheprovider -v -o junit_family=xunit1 --junitxml=/logs/verifier/junit.xml @RUN@
python3 -I -S /tests/read_junit.py /logs/verifier @RUN@
