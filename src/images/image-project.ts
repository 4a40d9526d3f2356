import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { exists } from '../process/exists.ts';
import { messageOf } from '../process/message-of.ts';
import { BuildError } from '../project/build-error.ts';
import { type ConfigDocument, makeJsonService, readConfigDocument } from '../project/config-document.ts';
import { findDecidingFiles } from '../project/install/deciding-files.ts';
import { languagesOf } from '../project/languages.ts';
import { isInside } from '../project/paths.ts';
import { readText } from '../project/read-text.ts';
import type { SourceLanguage } from '../project/reference.ts';
import { findCredentialFiles } from './credential-files.ts';
import { ImageConfig } from './image-config.ts';
import { type NodePart, readNodePart } from './node-part.ts';
import { relativeTo } from './project-place.ts';
import { type PythonPart, readPythonPart } from './python-part.ts';

/**
 * A project to build an image of. Paths are relative to the context, with slashes, unless stated otherwise.
 */
export interface ImageProject {
  /** Absolute path of the folder that the container tool gets. */
  readonly context: string;
  readonly configPath: string;
  /** The folder of langgraph.json; `.` when it is the context. */
  readonly dir: string;
  readonly config: ImageConfig;
  readonly languages: ReadonlySet<SourceLanguage>;
  /** Undefined without a package.json. */
  readonly node: NodePart | undefined;
  /** Undefined without Python graphs. */
  readonly python: PythonPart | undefined;
  /** The file that `env` names, and others with variables: no image contains them. */
  readonly envFiles: readonly string[];
  readonly pipConfigFile: string | undefined;
  /** Files with credentials that installers read, and that no image contains. */
  readonly credentialFiles: ReadonlySet<string>;
}

/**
 * Reads the files that determine an image: langgraph.json, manifests and lockfiles.
 * @param file path of a langgraph.json.
 * @param envFile path of an env file to use instead of the one in langgraph.json.
 * @throws BuildError for an error in langgraph.json, with the line, and for dependencies that cannot be installed.
 */
export async function readImageProject(file: string, envFile?: string): Promise<ImageProject> {
  // Folders are compared by their real paths. If the file is missing, reading it reports the problem.
  const configPath = await realpath(file).catch(() => file);
  const document = await readDocument(configPath);
  const config = ImageConfig.parse(JSON.parse(document.document.getText()));
  const dir = path.dirname(configPath);
  const place = { dir, top: await findTop(dir) };
  const languages = languagesOf(document, ['graph', 'export', 'embedding']);
  // The bundler of components is a Node package, even if the graphs are in Python.
  if (config.ui !== undefined) languages.add('javascript');
  const node = languages.has('javascript') ? await readNodePart(place) : undefined;
  const python = languages.has('python') ? await readPythonPart(place, config) : undefined;
  const context = commonFolder([dir, ...(node?.folders ?? []), ...(python?.folders ?? [])]);
  const inContext = (absolute: string) => relativeTo(context, absolute);
  const deciding = (await findDecidingFiles(context)).map(inContext).sort();
  const credentialFiles = await findCredentialFiles(context, deciding);
  return {
    context,
    configPath: inContext(configPath),
    dir: inContext(dir),
    config,
    languages,
    node: node && (await node.inContext(context, deciding, credentialFiles)),
    python: python && (await python.inContext(context, deciding, credentialFiles)),
    envFiles: (await envFilesOf(dir, config, envFile)).map(inContext),
    pipConfigFile:
      config.pip_config_file === undefined ? undefined : inContext(path.resolve(dir, config.pip_config_file)),
    credentialFiles,
  };
}

/** The paths of the env files, and the targets of those that are links: either may be in the context. */
async function envFilesOf(dir: string, { env }: ImageConfig, other: string | undefined): Promise<string[]> {
  const named = [
    ...(typeof env === 'string' ? [path.resolve(dir, env)] : []),
    ...(other === undefined ? [] : [path.resolve(other)]),
  ];
  // Another check reports a missing file.
  const real = await Promise.all(named.map((file) => realpath(file).catch(() => file)));
  return [...new Set([...named, ...real])];
}

async function readDocument(configPath: string): Promise<ConfigDocument> {
  const text = await readText(configPath).catch((error: unknown) => {
    throw new BuildError(`${configPath} could not be read: ${messageOf(error)}`);
  });
  const document = await readConfigDocument(makeJsonService(), configPath, text);
  const [wrong] = document.complaints.filter(({ severity }) => severity === 1);
  if (wrong === undefined) return document;
  const { line, character } = wrong.range.start;
  throw new BuildError(`langgraph.json:${line + 1}:${character + 1}: ${wrong.message}`);
}

/** The root of the repository that a folder is in; the folder itself outside a repository. */
async function findTop(dir: string): Promise<string> {
  for (let folder = dir; ; folder = path.dirname(folder)) {
    if (await exists(path.join(folder, '.git'))) return await realpath(folder);
    if (path.dirname(folder) === folder) return dir;
  }
}

/** The innermost folder that contains all of the given folders. */
function commonFolder(folders: readonly string[]): string {
  return folders.reduce((common, folder) => {
    let outer = common;
    while (folder !== outer && !isInside(outer, folder)) outer = path.dirname(outer);
    return outer;
  });
}
