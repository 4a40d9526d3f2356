/** Names of files and folders in which programs store passwords and keys. */
export const CREDENTIALS = [
  '.envrc',
  '.netrc',
  '_netrc',
  '.pypirc',
  'pip.conf',
  'pip.ini',
  '.git-credentials',
  '.docker',
  '.dockercfg',
  '.aws',
  '.azure',
  '.kube',
  '.gnupg',
  '.ssh',
  'id_rsa',
  'id_dsa',
  'id_ecdsa',
  'id_ed25519',
] as const;

const CREDENTIAL_NAMES: ReadonlySet<string> = new Set(CREDENTIALS);
const ENV_FILE = /^\.env(?:\.|$)|\.env$/;
/** Private keys, and the settings of package managers, which may contain tokens. */
const MAY_HAVE_KEYS = /^\.npmrc$|^\.yarnrc(?:\.yml)?$|\.(?:pem|key|p12|pfx)$/;

/**
 * Whether a file is likely to hold secrets: env files except `.env.example`, credentials, private keys.
 * @param path separated by `/`, also on Windows
 */
export function isSecretFile(path: string): boolean {
  const parts = path.toLowerCase().split('/');
  const name = parts.at(-1) ?? '';
  if (name === '.env.example') return false;
  return ENV_FILE.test(name) || MAY_HAVE_KEYS.test(name) || parts.some((part) => CREDENTIAL_NAMES.has(part));
}
