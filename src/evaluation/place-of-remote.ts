/**
 * The host and path of a remote, whatever its protocol and user; undefined for a local path, which means nothing
 * elsewhere.
 */
export function placeOfRemote(remote: string): string | undefined {
  // git's short form of SSH, such as git@github.com:acme/agents.git. A URL has // after the colon, and a host of one
  // letter would be a drive of Windows.
  const [, user = '', host, file] = /^([^@/]+@)?([^:/\\]{2,}):(?!\/\/)(.+)$/.exec(remote) ?? [];
  const url = URL.parse(host === undefined ? remote : `ssh://${user}${host}/${file}`);
  if (url === null || url.hostname === '') return undefined;
  const hostname = url.hostname.toLowerCase();
  const path = url.pathname.replace(/^\/+/, '').replace(/\/*(?:\.git)?\/*$/, '');
  return azurePlace(hostname, path, url.username) ?? `${hostname}/${path}`;
}

/**
 * The place of a repository of Azure DevOps, which has other hosts and paths over SSH and at its older addresses:
 * https://learn.microsoft.com/azure/devops/repos/git/use-ssh-keys-to-authenticate
 * @returns undefined for other hosts
 */
function azurePlace(host: string, path: string, user: string): string | undefined {
  const isSsh = host === 'ssh.dev.azure.com' || host === 'vs-ssh.visualstudio.com';
  const [, sshOwner, sshProject, sshName] = (isSsh && /^v\d+\/([^/]+)\/([^/]+)\/([^/]+)$/.exec(path)) || [];
  if (sshOwner !== undefined) return `dev.azure.com/${sshOwner}/${sshProject}/_git/${sshName}`;
  const [, organization, rest] =
    host === 'dev.azure.com'
      ? (/^([^/]+)\/(.+)$/.exec(path) ?? [])
      : [undefined, olderOrganization(host, user), path.replace(/^DefaultCollection\//i, '')];
  const found = /^(?:([^/]+)\/)?_(?:git|ssh)\/(?:_optimized\/|_full\/)?([^/]+)$/.exec(rest ?? '');
  if (organization === undefined || found === null) return undefined;
  // The address of the repository that has the name of its project may leave out the project.
  const [, project = found[2], name] = found;
  return `dev.azure.com/${organization}/${project}/_git/${name}`;
}

/** The organization of an address at visualstudio.com: in the host, or the user of SSH. */
function olderOrganization(host: string, user: string): string | undefined {
  if (host === 'vs-ssh.visualstudio.com') return user || undefined;
  return /^([^.]+)\.visualstudio\.com$/.exec(host)?.[1];
}
