/**
 * The part of the server's environment that commands and runtimes of deployments get: paths of programs, home and
 * temporary files, languages, proxies and certificates. Everything else is left out, above all credentials, so that a
 * deployment does not depend on who started the server.
 */
const ALWAYS = new Set([
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'LANG',
  'LANGUAGE',
  'TZ',
  'TMPDIR',
  'TEMP',
  'TMP',
  'SYSTEMROOT',
  'SYSTEMDRIVE',
  'WINDIR',
  'COMSPEC',
  'PATHEXT',
  'USERPROFILE',
  'USERNAME',
  'HOMEDRIVE',
  'HOMEPATH',
  'APPDATA',
  'LOCALAPPDATA',
  'PROGRAMDATA',
  'PROGRAMFILES',
  'PROGRAMFILES(X86)',
  'PROCESSOR_ARCHITECTURE',
  'NUMBER_OF_PROCESSORS',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'ALL_PROXY',
  'NO_PROXY',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'NODE_EXTRA_CA_CERTS',
  'REQUESTS_CA_BUNDLE',
  'XDG_CONFIG_HOME',
  'XDG_CACHE_HOME',
  'XDG_DATA_HOME',
]);

/** Variables that git and package managers need to reach their servers, without those that npm sets for scripts. */
const FOR_BUILDS =
  /^(?:SSH_AUTH_SOCK|SSH_AGENT_PID|GIT_SSH(?:_COMMAND)?|GIT_SSL_.*|GIT_CONFIG_GLOBAL|GIT_CONFIG_SYSTEM|npm_config_(?:registry|userconfig|cache|cafile|strict_ssl|.*proxy)|NPM_CONFIG_.*|COREPACK_.*|YARN_.*|PNPM_HOME|PIP_.*|UV_.*|PYENV_.*)$/;

/** The variables from the server's environment with which a deployment's runtime starts. */
export function runtimeBase(from: NodeJS.ProcessEnv): Record<string, string> {
  return pick(from, (name) => isAlways(name));
}

/** The variables from the server's environment that git and package managers get. */
export function buildBase(from: NodeJS.ProcessEnv): Record<string, string> {
  return {
    ...pick(from, (name) => isAlways(name) || FOR_BUILDS.test(name)),
    CI: 'true',
    // pip prints names of packages and folders, which may contain any characters.
    PYTHONIOENCODING: 'utf-8:backslashreplace',
    PYTHONUTF8: '1',
    NO_COLOR: '1',
    npm_config_update_notifier: 'false',
    COREPACK_ENABLE_DOWNLOAD_PROMPT: '0',
  };
}

function isAlways(name: string): boolean {
  return ALWAYS.has(name.toUpperCase()) || name.startsWith('LC_');
}

function pick(from: NodeJS.ProcessEnv, wanted: (name: string) => boolean): Record<string, string> {
  return Object.fromEntries(
    Object.entries(from).filter(
      (entry): entry is [string, string] => entry[1] !== undefined && wanted(entry[0]),
    ),
  );
}
