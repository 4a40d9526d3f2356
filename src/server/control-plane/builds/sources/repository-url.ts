/** The forms of a repository's address that are taken, and why others are not. */

const SCP_LIKE = /^[\w.-]+@[\w.-]+:(?!\/\/)[^\s]+$/;

/**
 * What is wrong with a repository's address, in a sentence; `undefined` when nothing is.
 * https, ssh and file are taken, and http to this machine alone.
 */
export function problemOfRepositoryUrl(url: string): string | undefined {
  if (/\s/.test(url) || url.includes('\0')) return 'Must not contain spaces.';
  if (SCP_LIKE.test(url) && !url.startsWith('-')) return undefined;
  const parsed = URL.parse(url);
  if (parsed === null) return 'Must be an https://, ssh:// or file:// URL of a git repository.';
  switch (parsed.protocol) {
    case 'https:':
    case 'http:':
      if (parsed.username !== '' || parsed.password !== '') {
        return "Must not contain a user name or password. Keep them in git's credential helper.";
      }
      if (
        parsed.protocol === 'http:' &&
        !/^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(parsed.hostname)
      ) {
        return 'Must be https:// unless the repository is on this machine.';
      }
      return undefined;
    case 'ssh:':
      // A host that begins with a dash would be read as an option of ssh.
      if (parsed.hostname === '' || parsed.hostname.startsWith('-')) return 'Must have a host.';
      return parsed.password === '' ? undefined : 'Must not contain a password. Use a key.';
    case 'file:':
      return parsed.host === '' || process.platform === 'win32'
        ? undefined
        : 'Must be file:/// followed by a path.';
    default:
      return 'Must be an https://, ssh:// or file:// URL of a git repository.';
  }
}

/** What is wrong with the name of a branch, a tag or a commit; `undefined` when nothing is. */
export function problemOfRef(ref: string): string | undefined {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: git allows none of them
  const forbidden = /[\u0000-\u0020\u007f~^:?*[\\]|\.\.|@\{|\/\/|\.lock(?:\/|$)|^[-/.]|[/.]$/;
  return forbidden.test(ref)
    ? 'Must be the name of a branch, refs/heads/…, refs/tags/…, or a commit.'
    : undefined;
}
