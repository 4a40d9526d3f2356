import type { LanguageService } from 'vscode-json-languageservice';
import type { RuntimeState } from '../contract/harbor.ts';
import type { FolderConfigsParams } from '../contract/language-server.ts';
import { checkProject } from '../project/checks/check-project.ts';
import { fileOfPlace } from '../project/checks/check-references.ts';
import { type ConfigDocument, configuredGraphs, readConfigDocument } from '../project/config-document.ts';
import type { Problem } from '../project/problem.ts';
import type { ProjectFiles } from '../project/project-files.ts';
import { splitReference } from '../project/reference.ts';
import { normalPath } from './paths.ts';

export interface ProjectsParts {
  readonly service: LanguageService;
  readonly files: ProjectFiles;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** A graph of a langgraph.json, with its reference to the source file. */
export interface PlacedGraph {
  readonly config: ConfigDocument;
  readonly graphId: string;
  readonly exportName: string;
  readonly reference: NonNullable<ReturnType<typeof configuredGraphs>[number]['reference']>;
}

/** The projects of the open folders: each langgraph.json, and whether its graphs could be loaded. */
export class Projects {
  readonly #parts: ProjectsParts;
  /** The state of each langgraph.json in the open folders, if the server runs it. */
  readonly #runtimes = new Map<string, RuntimeState | undefined>();
  readonly #opened = new Set<string>();

  constructor(parts: ProjectsParts) {
    this.#parts = parts;
  }

  /** The paths of every known langgraph.json. */
  get files(): string[] {
    return [...new Set([...this.#runtimes.keys(), ...this.#opened])];
  }

  /** Replaces the configurations of the open folders. */
  set(configs: FolderConfigsParams['configs']): void {
    this.#runtimes.clear();
    for (const { path, runtime } of configs) this.#runtimes.set(normalPath(path), runtime);
  }

  /** Notes a langgraph.json that is open in the editor, whether or not it is in an open folder. */
  noteOpened(file: string): void {
    this.#opened.add(file);
  }

  noteClosed(file: string): void {
    this.#opened.delete(file);
  }

  /** Reads the current langgraph.json; undefined when there is none. */
  async read(file: string): Promise<ConfigDocument | undefined> {
    const text = await this.#parts.files.read(file);
    return text === undefined ? undefined : readConfigDocument(this.#parts.service, file, text);
  }

  /** Finds the problems of a project; none if its langgraph.json does not exist. */
  async check(file: string): Promise<Problem[]> {
    const config = await this.read(file);
    if (config === undefined) return [];
    const { files, environment } = this.#parts;
    return checkProject({ config, files, environment, runtime: this.#runtimes.get(file) });
  }

  /** Finds the graphs in any langgraph.json that refer to a source file. */
  async findGraphsIn(source: string): Promise<PlacedGraph[]> {
    const configs = await Promise.all(this.files.map((file) => this.read(file)));
    const found = await Promise.all(
      configs.filter((config) => config !== undefined).map((config) => this.#readGraphs(config, source)),
    );
    return found.flat();
  }

  async #readGraphs(config: ConfigDocument, source: string): Promise<PlacedGraph[]> {
    const placed = await Promise.all(
      configuredGraphs(config).map(async ({ graphId, reference }) => {
        if (reference === undefined) return undefined;
        const { place, exportName } = splitReference(reference.value);
        if (exportName === undefined) return undefined;
        const file = await fileOfPlace({ config, files: this.#parts.files }, place);
        const isThis = file !== undefined && normalPath(file) === source;
        return isThis ? { config, graphId, exportName, reference } : undefined;
      }),
    );
    return placed.filter((graph) => graph !== undefined);
  }
}
