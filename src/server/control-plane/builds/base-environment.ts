import { pickVariables } from '../../../process/pick-variables.ts';

/**
 * The variables of the server's environment that commands and runtimes of deployments inherit: search paths,
 * the user and the system, the folders for home and temporary files, languages and the time zone, proxies and
 * certificates. All others are left out, above all credentials, so that a deployment does not depend on who
 * started the server.
 */
const BASE_NAMES = new Set([
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

/**
 * The variables that git and package managers also need. Other `npm_config_` variables are left out, because npm sets
 * them for the scripts that it runs.
 */
const BUILD_NAMES =
  /^(?:SSH_AUTH_SOCK|SSH_AGENT_PID|GIT_SSH(?:_COMMAND)?|GIT_SSL_.*|GIT_CONFIG_GLOBAL|GIT_CONFIG_SYSTEM|npm_config_(?:registry|userconfig|cache|cafile|strict_ssl|.*proxy)|NPM_CONFIG_.*|COREPACK_.*|YARN_.*|PNPM_HOME|PIP_.*|UV_.*|PYENV_.*)$/;

/** The variables that a deployment's runtime inherits. @param from the server's environment. */
export function runtimeBase(from: NodeJS.ProcessEnv): Record<string, string> {
  return pickVariables(from, isBase);
}

/** The variables of git and package managers: inherited ones, and settings for output without prompts. */
export function buildBase(from: NodeJS.ProcessEnv): Record<string, string> {
  return {
    ...pickVariables(from, (name) => isBase(name) || BUILD_NAMES.test(name)),
    CI: 'true',
    // pip prints names of packages and folders, which may contain any characters.
    PYTHONIOENCODING: 'utf-8:backslashreplace',
    PYTHONUTF8: '1',
    NO_COLOR: '1',
    npm_config_update_notifier: 'false',
    COREPACK_ENABLE_DOWNLOAD_PROMPT: '0',
  };
}

function isBase(name: string): boolean {
  return BASE_NAMES.has(name.toUpperCase()) || name.startsWith('LC_');
}
