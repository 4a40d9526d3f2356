/** The start of a run: new input, an answer to an interrupt, or nothing, to continue. */
export type RunRequest =
  | { readonly input: unknown }
  | { readonly resume: unknown }
  | { readonly proceed: true };

/** How a run is asked for. */
export function bodyOf(request: RunRequest) {
  if ('resume' in request) return { command: { resume: request.resume } };
  // Without input a graph continues where it stopped.
  return { input: 'input' in request ? request.input : null };
}
