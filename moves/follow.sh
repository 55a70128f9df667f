#!/usr/bin/env bash
# Brings a branch that was begun on the old layout to main, everything committed:
#
#     bash <(git show main:moves/follow.sh)
#
# It merges what main was before the move, moves the branch as main was moved, and merges the rest. Where git stops for a
# conflict, resolve it, commit, and give the same command again.
set -euo pipefail
main=${1:-main}
cd "$(git rev-parse --show-toplevel)"
move=$(git log --reverse --diff-filter=A --format=%H "$main" -- rlenv/core/__init__.py | head -n 1)
if ! git merge-base --is-ancestor "$move" HEAD; then
  git merge --no-edit "$move^"
  python3 moves/apply.py
  git commit --quiet --all --message "Modules: new places"
  git merge --no-edit --strategy ours "$move" # that commit did nothing but the same
fi
git merge --no-edit "$main"
