/** The grammar of Docker's image names: an optional registry, the path, a tag and a digest. */
const REFERENCE =
  /^(?:[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?(?::\d{1,5})?\/)?[a-z0-9]+(?:(?:[._/]|__|-+)[a-z0-9]+)*(?::\w[\w.-]{0,127})?(?:@sha256:[0-9a-f]{64})?$/i;
const MAX_CHARS = 512;

/** Why the name of an image is not valid, as a sentence; undefined if it is valid. */
export function problemOfImage(reference: string): string | undefined {
  if (reference.length <= MAX_CHARS && REFERENCE.test(reference)) return undefined;
  return 'Must be the name of an image, with a tag or digest: registry.example.com/team/agent:1.0, or agent:1.0.';
}

/** Whether a name begins with the host of a registry. Otherwise, it may name an image that was built here. */
export function namesRegistry(reference: string): boolean {
  const [first = '', ...rest] = reference.split('/');
  return rest.length > 0 && /[.:]/.test(first);
}

/** Whether a name always refers to the same content. */
export function isPinned(reference: string): boolean {
  return reference.includes('@sha256:');
}

/** The name of the same image by its digest. */
export function pinnedTo(reference: string, digest: string): string {
  return `${reference.replace(/@.*$/, '').replace(/:[^/:]*$/, '')}@${digest}`;
}
