import { tmpdir } from 'node:os';
import { type ContainerTool, NoContainerToolError } from '../../../containers/container-tool.ts';
import { findImage, type ImageDetails } from '../../../containers/image-details.ts';
import type { RememberedTool } from '../../../containers/remembered-tool.ts';
import type { SourceRevisionConfig } from '../../../contract/control-plane/sources.ts';
import { asSentence } from '../../../process/as-sentence.ts';
import { pickVariables } from '../../../process/pick-variables.ts';
import { BuildError } from '../../../project/build-error.ts';
import { CommandError, type CommandRunner } from './command-runner.ts';
import { isPinned, namesRegistry, pinnedTo } from './sources/image-reference.ts';
import type { SourceContext } from './sources/source.ts';

const PULL_TIMEOUT_MS = 30 * 60_000;

/** The image from which a revision is served. */
export interface ImageBuild {
  readonly kind: 'image';
  /** The image's ID on this machine. */
  readonly key: string;
  readonly commit: null;
  readonly changes: null;
  readonly image: ImageDetails;
}

/** Finds the images of revisions on this machine, or pulls them with the container tool's own credentials. */
export class ImageBuilder {
  readonly #tools: RememberedTool;
  readonly #runner: CommandRunner;

  constructor(tools: RememberedTool, runner: CommandRunner) {
    this.#tools = tools;
    this.#runner = runner;
  }

  /** An image on this machine, by its ID; undefined if there is none. @throws NoContainerToolError */
  async find(id: string): Promise<ImageBuild | undefined> {
    const image = await findImage(await this.#tools.find(), id);
    return image === undefined ? undefined : buildOf(image);
  }

  /**
   * Finds the image of a revision, and pulls it if necessary.
   * @param known the image ID of the revision that is being repeated.
   * @throws BuildError with the reason; the signal's reason when aborted.
   */
  async get(config: SourceRevisionConfig, known: string | null, context: SourceContext): Promise<ImageBuild> {
    const tool = await this.#tools.find().catch((error: unknown) => {
      throw error instanceof NoContainerToolError ? new BuildError(error.message) : error;
    });
    context.log('INFO', `Using ${tool.title}.`);
    const image = await this.#findOrPull(tool, config, known, context);
    context.log('INFO', `Image ${config.image_uri} is ${image.digest ?? image.id}.`);
    return buildOf(image);
  }

  /** The image of a revision. The one on this machine is used if a newer one cannot be pulled. */
  async #findOrPull(
    tool: ContainerTool,
    { image_uri, image_digest }: SourceRevisionConfig,
    known: string | null,
    context: SourceContext,
  ): Promise<ImageDetails> {
    const named = image_uri ?? '';
    if (known !== null) {
      const before = await findImage(tool, known);
      if (before !== undefined) return before;
    }
    // A repeated revision has the same content again, whatever its tag refers to now.
    const reference = known !== null && image_digest ? pinnedTo(named, image_digest) : named;
    const here = await findImage(tool, reference);
    // A registry may have a newer image for a tag. An image here whose name has no registry was probably
    // built here, and must not be replaced by an image of the same name from a public registry.
    if (here !== undefined && (isPinned(reference) || !namesRegistry(reference))) return here;
    try {
      await this.#pull(tool, reference, context);
    } catch (error) {
      context.signal.throwIfAborted();
      const reason = reasonOf(error);
      if (here === undefined) {
        throw new BuildError(
          `Image ${reference} is not on this machine, and could not be pulled: ${reason} ${adviceFor(tool, reference)}`,
        );
      }
      context.log(
        'WARNING',
        `Image ${reference} could not be pulled, so the one on this machine is used: ${reason}`,
      );
      return here;
    }
    const pulled = await findImage(tool, reference);
    if (pulled === undefined) throw new BuildError(`Image ${reference} was pulled, but cannot be found.`);
    return pulled;
  }

  async #pull(tool: ContainerTool, reference: string, { signal, log }: SourceContext): Promise<void> {
    log('INFO', `Pulling ${reference}.`);
    await this.#runner.run({
      command: tool.program,
      args: tool.command('pull', reference),
      cwd: tmpdir(),
      env: pickVariables(tool.environment),
      timeoutMs: PULL_TIMEOUT_MS,
      signal,
      onLine: (line) => log('DEBUG', line),
    });
  }
}

function buildOf(image: ImageDetails): ImageBuild {
  return { kind: 'image', key: image.id, commit: null, changes: null, image };
}

function adviceFor(tool: ContainerTool, reference: string): string {
  return `${adviceForName(reference)} For a private registry, sign in with '${tool.name} login' as the user who runs this server.`;
}

function adviceForName(reference: string): string {
  if (namesRegistry(reference)) return 'Check its name.';
  // The same digest cannot be built again: a rebuilt image has another one.
  if (isPinned(reference))
    return 'If it was built on this machine, it has been removed since: build it again, and deploy it by its tag. If not, begin its name with the host of its registry.';
  return 'Build it on this machine, or begin its name with the host of its registry.';
}

/**
 * The last line of the container tool's output that is not a warning, as a sentence.
 * @throws errors other than the tool's.
 */
function reasonOf(error: unknown): string {
  if (!(error instanceof CommandError)) throw error;
  const said = error.tail.filter((line) => !/level=warning/.test(line)).at(-1) ?? error.message;
  return asSentence(said.replace(/^error:\s*/i, '').trim());
}
