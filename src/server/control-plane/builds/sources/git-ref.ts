/** The problem with a branch, tag or commit name; `undefined` if it is valid. */
export function problemOfRef(ref: string): string | undefined {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: git allows none of them
  const forbidden = /[\u0000-\u0020\u007f~^:?*[\\]|\.\.|@\{|\/\/|\.lock(?:\/|$)|^[-/.]|[/.]$/;
  return forbidden.test(ref)
    ? 'Must be the name of a branch, refs/heads/…, refs/tags/…, or a commit.'
    : undefined;
}
