#!/bin/sh
# Deploys the agent of this folder and waits until it is live: `deploy.sh [name]`.
# Prints the deployment's URL. If it does not become live, prints the reason and exits with 1.
set -eu

name=${1:-$(basename "$PWD")}
where=${DEPLOY_TO:-local}

set -- deploy --name "$name" --connection "$where" --wait --json
# The deployment's variables, in a file outside the folder that is deployed.
if [ -n "${DEPLOY_ENV_FILE:-}" ]; then set -- "$@" --env "$DEPLOY_ENV_FILE"; fi

result=$(agent-harbor "$@")
echo "$result" | node -e 'console.log(JSON.parse(require("node:fs").readFileSync(0, "utf8")).deployment_url)'
