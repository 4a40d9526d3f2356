/** A token that one host takes for git over https. */
export interface GitAccess {
  /** Such as `https://github.com`. */
  readonly origin: string;
  readonly token: string;
}

const VARIABLE = 'AGENT_HARBOR_GIT_TOKEN';

/**
 * Lets git answer one host with a token, wherever redirects lead and whatever the user's own helpers know. The token
 * stands in no argument, which every process of the machine could read; git runs the helper in its own shell.
 */
export function gitAccess(access: GitAccess | undefined): {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
} {
  if (access === undefined) return { args: [], env: {} };
  const name = `credential.${access.origin}.helper`;
  const helper = `!f() { echo username=x-access-token; echo "password=$${VARIABLE}"; }; f`;
  return { args: ['-c', `${name}=`, '-c', `${name}=${helper}`], env: { [VARIABLE]: access.token } };
}
