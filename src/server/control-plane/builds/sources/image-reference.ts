const REFERENCE =
  /^(?:[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?(?::\d{1,5})?\/)?[a-z0-9]+(?:(?:[._/]|__|-+)[a-z0-9]+)*(?::\w[\w.-]{0,127})?(?:@sha256:[0-9a-f]{64})?$/i;
const MAX_CHARS = 512;

/** Why the name of an image is not valid; undefined if it may be. */
export function problemOfImage(reference: string): string | undefined {
  if (reference.length <= MAX_CHARS && REFERENCE.test(reference)) return undefined;
  return 'Must be the name of an image, with a tag or digest: registry.example.com/team/agent:1.0, or agent:1.0.';
}

/** Whether a name can only refer to an image in a registry, and not to one that was built here. */
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
