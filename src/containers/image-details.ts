import { z } from 'zod';
import { type ContainerTool, ContainerToolError } from './container-tool.ts';

const DEFAULT_PORT = 8000;

const Inspected = z.tuple([
  z.looseObject({
    Id: z.string(),
    Digest: z.string().nullish(),
    RepoDigests: z.array(z.string()).nullish(),
    Config: z
      .looseObject({
        ExposedPorts: z.record(z.string(), z.unknown()).nullish(),
        Volumes: z.record(z.string(), z.unknown()).nullish(),
      })
      .nullish(),
  }),
]);

/** An image that is on this machine. */
export interface ImageDetails {
  /** Its ID on this machine: 64 hexadecimal digits. */
  readonly id: string;
  /**
   * Its digest, `sha256:…`; undefined when the tool reports none, as Docker for an image that was built here
   * and not pushed.
   */
  readonly digest: string | undefined;
  /** The port that its server listens on. */
  readonly port: number;
  /** The folders whose content is kept: its volumes. */
  readonly volumes: readonly string[];
}

/**
 * Finds an image on this machine.
 * @param reference the image's name with a tag or digest, or its ID.
 * @returns undefined when there is no such image.
 */
export async function findImage(tool: ContainerTool, reference: string): Promise<ImageDetails | undefined> {
  const output = await tool.ask(['image', 'inspect', reference]).catch((error: unknown) => {
    if (error instanceof ContainerToolError && /no such image|not known|not found/i.test(error.message))
      return undefined;
    throw error;
  });
  if (output === undefined) return undefined;
  const [{ Id, Digest, RepoDigests, Config }] = Inspected.parse(JSON.parse(output));
  return {
    id: Id.replace(/^sha256:/, ''),
    digest: digestOf(RepoDigests ?? [], reference) ?? Digest ?? undefined,
    port: portOf(Object.keys(Config?.ExposedPorts ?? {})),
    volumes: Object.keys(Config?.Volumes ?? {}),
  };
}

/** The image's digest in the repository of the reference, otherwise in any repository. */
function digestOf(repoDigests: readonly string[], reference: string): string | undefined {
  const repository = reference.replace(/@.*$/, '').replace(/:[^/:]*$/, '');
  const own = repoDigests.find((entry) => entry.startsWith(`${repository}@`)) ?? repoDigests[0];
  return own?.split('@')[1];
}

/** The exposed TCP port if there is only one, otherwise the usual port of agent servers. */
function portOf(exposed: readonly string[]): number {
  const ports = exposed.filter((entry) => !entry.endsWith('/udp')).map((entry) => Number.parseInt(entry, 10));
  const [first] = ports;
  return ports.length === 1 && first !== undefined && first > 0 ? first : DEFAULT_PORT;
}
