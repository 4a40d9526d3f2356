import { GraphLoadError } from './runtime-error.ts';
import { firstUserFrame } from './stack-frames.ts';

/** The error of a module that could not be imported, with where it is as far as that can be told. */
export async function importError(file: string, error: unknown): Promise<GraphLoadError> {
  const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  const stack = error instanceof Error ? error.stack : undefined;
  return new GraphLoadError(`${file} could not be loaded: ${message}`, {
    cause: error,
    location: stack === undefined ? undefined : firstUserFrame(stack),
  });
}
