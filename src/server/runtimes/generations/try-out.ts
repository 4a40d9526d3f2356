import { messageOf } from '../../../process/message-of.ts';
import { RollOutError } from '../process/runtime-errors.ts';
import { extraSentence } from '../project/extras.ts';
import type { Project } from '../project/project.ts';
import type { Generation } from './generation.ts';
import { failureSentences } from './load-failures.ts';
import { type RuntimeSource, readSource } from './runtime-source.ts';

/** Reads the project of a source, without loading its graphs. @throws RollOutError; the signal's reason when aborted. */
export async function readForRollOut(source: RuntimeSource, signal: AbortSignal): Promise<Project> {
  const project = await readSource(source).catch((cause: unknown) => {
    throw new RollOutError(messageOf(cause), { cause });
  });
  signal.throwIfAborted();
  return project;
}

/**
 * Loads a source into new processes, and checks that every graph has loaded and that the processes respond. After an error,
 * the processes are killed.
 * @throws RollOutError; the signal's reason when aborted.
 */
export async function tryOut(
  source: RuntimeSource,
  signal: AbortSignal,
  load: (project: Project) => Promise<Generation>,
): Promise<Generation> {
  let generation: Generation | undefined;
  const giveUp = () => generation?.kill();
  try {
    const project = await readSource(source);
    signal.throwIfAborted();
    generation = await load(project);
    signal.addEventListener('abort', giveUp);
    const failures = failureSentences(generation.graphs);
    if (failures.length > 0) throw new RollOutError(failures.join('\n'), { isLogged: true });
    const [extra] = generation.failedExtras;
    if (extra !== undefined) throw new RollOutError(extraSentence(extra), { isLogged: true });
    await Promise.all(
      generation.runtimes.map((runtime) => runtime.use((connection) => connection.request('ping', {}))),
    );
    signal.throwIfAborted();
    return generation;
  } catch (error) {
    generation?.kill();
    signal.throwIfAborted();
    if (error instanceof RollOutError) throw error;
    throw new RollOutError(messageOf(error), { cause: error });
  } finally {
    signal.removeEventListener('abort', giveUp);
  }
}
