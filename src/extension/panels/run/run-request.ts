/** What a run is made of: new input, an answer to what the thread waits for, or nothing: it just goes on. */
export type RunRequest =
  | { readonly input: unknown }
  | { readonly resume: unknown }
  | { readonly proceed: true };

/** How a run is asked for. */
export function bodyOf(request: RunRequest) {
  if ('resume' in request) return { command: { resume: request.resume } };
  // Without input a graph goes on where it stopped.
  return { input: 'input' in request ? request.input : null };
}
