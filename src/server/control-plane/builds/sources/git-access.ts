/** A token for git over https, for one host. */
export interface GitAccess {
  /** The origin of the host, such as `https://github.com`. */
  readonly origin: string;
  readonly token: string;
}

const TOKEN_VARIABLE = 'AGENT_HARBOR_GIT_TOKEN';

/**
 * The arguments and variables with which git sends a token to one host only, whatever the redirects and the user's
 * credential helpers. The token is passed as a variable, because other processes can read arguments.
 */
export function gitAccess(access: GitAccess | undefined): {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
} {
  if (access === undefined) return { args: [], env: {} };
  const name = `credential.${access.origin}.helper`;
  // Git runs this function in a shell. The empty helper before it removes the helpers of the user.
  const helper = `!f() { echo username=x-access-token; echo "password=$${TOKEN_VARIABLE}"; }; f`;
  return { args: ['-c', `${name}=`, '-c', `${name}=${helper}`], env: { [TOKEN_VARIABLE]: access.token } };
}
