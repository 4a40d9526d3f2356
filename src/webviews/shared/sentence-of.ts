/** The message of a failed request, which the host words for people. */
export function sentenceOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
