import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { ifPresent, ifReadable } from '../../../process/if-present.ts';
import { removeEach } from '../../../process/remove-each.ts';
import { removeFolder } from '../../../process/remove-folder.ts';
import { replace } from '../../../process/replace.ts';

/** The data of a finished build. It is written last, so its presence means that the folder is complete. */
const Manifest = z.object({
  key: z.string(),
  commit: z.string().nullable(),
  /** Number of files that differed from the commit. */
  changes: z.int().nullable().default(null),
  /** Path of langgraph.json, relative to the folder, with slashes. */
  config_path: z.string(),
  installation_key: z.string(),
  /** The outermost `node_modules` folders, relative to the folder. */
  packages: z.array(z.string()),
  /** Path of the Python environment that was created for the build, relative to the folder. */
  python: z.string().nullable().default(null),
  /**
   * The real path of the build's folder, because files of a Python environment contain it; null without
   * Python.
   */
  made_in: z.string().nullable().default(null),
  /** Whether all files that contain the path `made_in` are known, so that the build can be moved. */
  is_movable: z.boolean().default(false),
  /** Whether the build was made in a container, with that container's Python. */
  is_apart: z.boolean().default(false),
  /** The kind of machine that the build was made on; null if that was not recorded. */
  machine: z.string().nullable().default(null),
  /** Whether the build has components in `ui` that are only bundled when a page requests them. */
  has_unbundled_ui: z.boolean().default(false),
  finished_at: z.string(),
});
export type Manifest = z.output<typeof Manifest>;

/** The key of the archive with the source of a revision whose build failed. */
export function failedSourceKey(revisionId: string): string {
  return `failed-${revisionId}`;
}

/** The files of one deployment in the data folder. */
export class DeploymentFolder {
  readonly #root: string;

  constructor(dataDir: string, deploymentId: string) {
    this.#root = path.join(dataDir, 'deployments', deploymentId);
  }

  /** The IDs of all deployments that have a folder. */
  static deploymentIds(dataDir: string): Promise<string[]> {
    return listNames(path.join(dataDir, 'deployments'));
  }

  /** The bare git repository that is kept between revisions. */
  get mirror(): string {
    return path.join(this.#root, 'git');
  }

  upload(id: string): string {
    return path.join(this.#root, 'uploads', `${id}.tar.gz`);
  }

  /** Where a revision's source is collected before its key is known. */
  staging(revisionId: string): string {
    return path.join(this.#root, 'staging', revisionId);
  }

  /**
   * The archive with the packed source of a build. Sources are packed if they cannot be fetched again, or for
   * other servers.
   */
  archive(key: string): string {
    return path.join(this.#root, 'sources', `${key}.tar.gz`);
  }

  /** Removes packed sources. @param kept the keys of the archives to keep. */
  async removeArchives(kept: ReadonlySet<string>): Promise<void> {
    for (const name of await listNames(path.join(this.#root, 'sources'))) {
      const key = name.slice(0, name.indexOf('.'));
      if (!kept.has(key)) await rm(path.join(this.#root, 'sources', name), { force: true });
    }
  }

  /** The `HOME` of builds in containers, which is kept between builds. */
  get home(): string {
    return path.join(this.#root, 'home');
  }

  /** The folder that contains one folder per build. */
  get builds(): string {
    return path.join(this.#root, 'builds');
  }

  build(key: string): string {
    return path.join(this.builds, key);
  }

  /** Creates the folders that a build needs. */
  async prepare(): Promise<void> {
    await mkdir(this.builds, { recursive: true });
    await mkdir(path.join(this.#root, 'staging'), { recursive: true });
  }

  /**
   * Reads a manifest.
   * @returns undefined if the file is missing or not a manifest.
   * @throws NodeJS.ErrnoException if it cannot be read, because the build may then be complete.
   */
  static async read(file: string): Promise<Manifest | undefined> {
    const text = await ifPresent(readFile(file, 'utf8'));
    if (text === undefined) return undefined;
    try {
      return Manifest.parse(JSON.parse(text));
    } catch {
      return undefined;
    }
  }

  /** The manifest of a build; undefined if the build is not finished. */
  find(key: string): Promise<Manifest | undefined> {
    return DeploymentFolder.read(this.#manifest(key));
  }

  /** Marks a build as complete. */
  async finish(manifest: Manifest): Promise<void> {
    const file = this.#manifest(manifest.key);
    await writeFile(`${file}.new`, `${JSON.stringify(manifest, null, 2)}\n`);
    await replace(`${file}.new`, file);
  }

  /** Reads the manifests of all finished builds, newest first, except those that cannot be read. */
  async listManifests(): Promise<Manifest[]> {
    const names = await listNames(this.builds);
    const found = await Promise.all(
      names.filter((name) => name.endsWith('.json')).map((name) => ifReadable(this.find(name.slice(0, -5)))),
    );
    return found
      .filter((manifest) => manifest !== undefined)
      .sort((a, b) => b.finished_at.localeCompare(a.finished_at));
  }

  async remove(key: string): Promise<void> {
    // The manifest is removed first, so that the rest counts as unfinished.
    await rm(this.#manifest(key), { force: true });
    await removeFolder(this.build(key));
  }

  /** Removes the files of unfinished builds. */
  async removeUnfinished(): Promise<void> {
    const names = await listNames(this.builds);
    const finished = new Set(names.filter((name) => name.endsWith('.json')).map((name) => name.slice(0, -5)));
    const unfinished = names.filter((name) => !name.endsWith('.json') && !finished.has(name));
    await removeEach(
      [path.join(this.#root, 'staging'), ...unfinished.map((key) => this.build(key))],
      removeFolder,
    );
  }

  async removeAll(): Promise<void> {
    await removeFolder(this.#root);
  }

  #manifest(key: string): string {
    return path.join(this.builds, `${key}.json`);
  }
}

async function listNames(folder: string): Promise<string[]> {
  return (await ifPresent(readdir(folder))) ?? [];
}
