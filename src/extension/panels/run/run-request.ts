import type { RunOptions } from './messages.ts';

/** The start of a run: new input, an answer to an interrupt, or nothing, to continue. */
export type RunRequest =
  | { readonly input: unknown }
  | { readonly resume: unknown }
  | { readonly proceed: true };

/** The fields of a request body that tell how a run starts. */
export function bodyOf(request: RunRequest) {
  if ('resume' in request) return { command: { resume: request.resume } };
  // Without input a graph continues where it stopped.
  return { input: 'input' in request ? request.input : null };
}

/** The settings of a run that are sent unchanged. */
export function settingsOf({
  recursion_limit,
  tags,
  metadata,
  durability,
  multitask_strategy,
  record,
}: Pick<
  RunOptions,
  'recursion_limit' | 'tags' | 'metadata' | 'durability' | 'multitask_strategy' | 'record'
>) {
  const config = {
    ...(recursion_limit !== undefined && { recursion_limit }),
    ...(tags !== undefined && { tags }),
  };
  return {
    ...(Object.keys(config).length > 0 && { config }),
    ...(metadata !== undefined && { metadata }),
    ...(durability !== undefined && { durability }),
    ...(record && { record }),
    ...(multitask_strategy !== undefined && { multitask_strategy }),
  };
}
