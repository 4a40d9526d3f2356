/** The message of a failed request, which the host writes for the user. */
export function sentenceOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
