/** Names of files and folders in which programs store passwords and keys. */
export const CREDENTIALS = [
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
  'id_ecdsa',
  'id_ed25519',
] as const;

const CREDENTIAL_NAMES: ReadonlySet<string> = new Set(CREDENTIALS);
const ENV_FILE = /^\.env(?:\.|$)|\.env$/;
/** Settings of package managers, which may have tokens, and private keys. */
const MAY_HAVE_KEYS = /^\.npmrc$|^\.yarnrc(?:\.yml)?$|\.(?:pem|key|p12|pfx)$/;

/** Whether a file is likely to hold secrets, by its path with slashes: env files, credentials, private keys. */
export function isSecretFile(path: string): boolean {
  const parts = path.toLowerCase().split('/');
  const name = parts.at(-1) ?? '';
  if (name === '.env.example') return false;
  return ENV_FILE.test(name) || MAY_HAVE_KEYS.test(name) || parts.some((part) => CREDENTIAL_NAMES.has(part));
}
