import path from 'node:path';
import { readText } from '../project/read-text.ts';

/** Settings of package managers. */
const SETTINGS = /(?:^|\/)(?:\.npmrc|\.yarnrc(?:\.yml)?|bunfig\.toml)$/;
/** A credential as it is; one that names a variable is none. Yarn 1 has a space between a name and its value. */
const CREDENTIAL =
  /(?:_authToken|_auth|password|npmAuthToken|npmAuthIdent|\btoken)["']?(?:[ \t]*[=:][ \t]*|[ \t]+)["']?(?![$=:])[^\s"']/;
const URL_PASSWORD = /:\/\/[^\s/:@"']*:(?!\$)[^\s/@"']+@/;

/**
 * The settings of package managers that have credentials in them, whatever language the graphs are in.
 * @param deciding every file of the context that decides what is installed, relative to it.
 */
export async function findCredentialFiles(
  context: string,
  deciding: readonly string[],
): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  for (const file of deciding) {
    if (!SETTINGS.test(file)) continue;
    const text = await readText(path.join(context, file));
    if (CREDENTIAL.test(text) || URL_PASSWORD.test(text)) found.add(file);
  }
  return found;
}
