import path from 'node:path';
import { BuildError } from '../project/build-error.ts';
import { readText } from '../project/read-text.ts';

/** Settings of Node's package managers. */
const NODE_SETTINGS = /(?:^|\/)(?:\.npmrc|\.yarnrc(?:\.yml)?|bunfig\.toml)$/;
/** Files for Python's installers only: the installed packages do not need them. */
const PYTHON_SETTINGS =
  /(?:^|\/)(?:uv\.toml|(?:requirements|constraints)[^/]*\.txt|requirements\/[^/]+\.(?:txt|in))$/;
/** Files that stay in the image, because packages and tools look for them there. */
const MANIFESTS =
  /(?:^|\/)(?:package(?:-lock)?\.json|npm-shrinkwrap\.json|pnpm-lock\.yaml|pyproject\.toml|[^/]+\.lock)$/;
/** A credential in plain text, but not a variable such as `${NPM_TOKEN}`. Yarn 1 has a space between name and value. */
const CREDENTIAL =
  /(?:_authToken|_auth|password|npmAuthToken|npmAuthIdent|\btoken)["']?(?:[ \t]*[=:][ \t]*|[ \t]+)["']?(?![$=:])[^\s"']/;
/** A password in the address of an index or a package, or a token in place of the user. */
const URL_PASSWORD = /\bhttps?:\/\/(?:[^\s/:@"']*:(?!\$)[^\s/@"']+|(?!\$)[^\s/:@"']{20,})@/;

/**
 * Finds files with credentials that installers read, whatever the language of the graphs. The caller mounts them as
 * secrets, so that no layer of the image contains them.
 * @param deciding every file in the context that decides what is installed, relative to the context.
 * @throws BuildError for a manifest or lockfile with a password in an address, because the file stays in the image.
 */
export async function findCredentialFiles(
  context: string,
  deciding: readonly string[],
): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  for (const file of deciding) {
    const isNodeSettings = NODE_SETTINGS.test(file);
    const isPythonSettings = PYTHON_SETTINGS.test(file);
    if (!isNodeSettings && !isPythonSettings && !MANIFESTS.test(file)) continue;
    const text = await readText(path.join(context, file));
    const at = text.search(URL_PASSWORD);
    if (isNodeSettings || isPythonSettings) {
      if (at !== -1 || (isNodeSettings && CREDENTIAL.test(text))) found.add(file);
    } else if (at !== -1) throw whyRefused(file, text.slice(0, at).split('\n').length);
  }
  return found;
}

function whyRefused(file: string, line: number): BuildError {
  return new BuildError(
    `${file}:${line}: this address contains a password or token, which anyone with the image could read. Remove it, and put it into pip_config_file, uv.toml or .npmrc, which are not stored in the image.`,
  );
}
