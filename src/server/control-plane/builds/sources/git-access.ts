/** A token for git over https, for one host. */
export interface GitAccess {
  /** The origin of the host, such as `https://github.com`. */
  readonly origin: string;
  readonly token: string;
}

const TOKEN_VARIABLE = 'AGENT_HARBOR_GIT_TOKEN';

/**
 * Makes git use a token for one host only, independent of redirects and the user's credential helpers. The
 * token is not an argument, because other processes could read it; git runs the helper in its own shell.
 */
export function gitAccess(access: GitAccess | undefined): {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
} {
  if (access === undefined) return { args: [], env: {} };
  const name = `credential.${access.origin}.helper`;
  const helper = `!f() { echo username=x-access-token; echo "password=$${TOKEN_VARIABLE}"; }; f`;
  return { args: ['-c', `${name}=`, '-c', `${name}=${helper}`], env: { [TOKEN_VARIABLE]: access.token } };
}
