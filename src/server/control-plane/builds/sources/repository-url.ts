import { isLoopback } from '../../../../contract/loopback.ts';

const NOT_SUPPORTED = 'Must be an https://, ssh:// or file:// URL of a git repository.';

/** `git@host:path`, the short form of ssh URLs. */
const SCP_LIKE = /^[\w.-]+@[\w.-]+:(?!\/\/)[^\s]+$/;

/**
 * The problem with a repository URL, in a sentence; `undefined` if it is valid. https, ssh and file are
 * accepted, and http for this machine.
 */
export function problemOfRepositoryUrl(url: string): string | undefined {
  if (/\s/.test(url) || url.includes('\0')) return 'Must not contain spaces.';
  if (SCP_LIKE.test(url) && !url.startsWith('-')) return undefined;
  const parsed = URL.parse(url);
  if (parsed === null) return NOT_SUPPORTED;
  switch (parsed.protocol) {
    case 'https:':
    case 'http:':
      if (parsed.username !== '' || parsed.password !== '') {
        return "Must not contain a user name or password. Keep them in git's credential helper.";
      }
      if (parsed.protocol === 'http:' && !isLoopback(parsed)) {
        return 'Must be https:// unless the repository is on this machine.';
      }
      return undefined;
    case 'ssh:':
      // ssh would read a host that starts with a dash as an option.
      if (parsed.hostname === '' || parsed.hostname.startsWith('-')) return 'Must have a host.';
      return parsed.password === '' ? undefined : 'Must not contain a password. Use a key.';
    case 'file:':
      return parsed.host === '' || process.platform === 'win32'
        ? undefined
        : 'Must be file:/// followed by a path.';
    default:
      return NOT_SUPPORTED;
  }
}

/** Whether a valid repository URL refers to files on the machine that fetches it. */
export function isOnDisk(url: string): boolean {
  return URL.parse(url)?.protocol === 'file:';
}
