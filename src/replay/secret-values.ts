import { isSecretName, type SecretValue } from './mask.ts';

/** Shorter values are too likely to be part of other words. */
const MIN_CHARACTERS = 6;
/** Names of variables whose values are settings, not secrets. */
const SETTING_NAME = /(?:^|_)(?:ENV|ENVIRONMENT|MODE|MODEL|REGION|LEVEL|LOCALE|LANG|TZ|PROVIDER|VERSION)$/;
/** A URL without credentials and parameters. */
const ADDRESS = /^https?:\/\/(?:\[::1\]|[\w.-]+)(?::\d+)?(?:\/[\w./-]*)?$/;
/** Words, numbers and paths. */
const PLAIN = /^(?:[A-Za-z]+|[\d.]+|\.{0,2}\/[\w./-]*)$/;

/** Shells keep folders in these variables, whatever their names look like. */
const FOLDERS: ReadonlySet<string> = new Set(['PWD', 'OLDPWD']);

/** The inherited variables with names of secrets. */
export function inheritedSecrets(environment: Readonly<Record<string, string | undefined>>): SecretValue[] {
  const named = Object.entries(environment).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined && isSecretName(entry[0]) && !FOLDERS.has(entry[0]),
  );
  return secretValues(Object.fromEntries(named));
}

/** The variables of a project whose values must not be saved in run files. */
export function secretValues(variables: Readonly<Record<string, string>>): SecretValue[] {
  return Object.entries(variables)
    .filter(([name, value]) => isSecret(name, value))
    .map(([name, value]) => ({ name, value }));
}

/** The variables that a replay on another machine needs: addresses and settings, such as the model. */
export function plainVariables(variables: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(variables).filter(
      ([name, value]) => !isSecret(name, value) && (SETTING_NAME.test(name) || ADDRESS.test(value)),
    ),
  );
}

/**
 * Whether a variable may hold a secret: its value is long enough, and it has the name of a secret, or it has
 * neither the name of a setting nor a plain value (a word, a number, a path, an address).
 */
function isSecret(name: string, value: string): boolean {
  if (value.length < MIN_CHARACTERS) return false;
  if (isSecretName(name) || /(?:^|_)(?:KEY|TOKEN|PASS|PAT|DSN)(?:_|$)/i.test(name)) return true;
  return !SETTING_NAME.test(name) && !PLAIN.test(value) && !ADDRESS.test(value);
}
