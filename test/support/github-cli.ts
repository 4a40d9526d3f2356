/**
 * A shell script that stands in for `gh`, which is not installed here: it writes the comment of pull request 7 to the file
 * `$COMMENT`, and refuses every other command line and every other token.
 */
export const GITHUB_CLI = `#!/usr/bin/env bash
expected='pr comment 7 --body-file FILE --edit-last --create-if-none'
if [ "$#" -ne 7 ] || [ "$1 $2 $3 $4 FILE $6 $7" != "$expected" ] || [ "$GH_TOKEN" != token ]; then
  echo "gh: not '$expected' with the token, but: $*" >&2
  exit 1
fi
cp "$5" "$COMMENT"
`;
