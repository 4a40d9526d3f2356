import path from 'node:path';
import type { LocationLink, Position, Range } from 'vscode-languageserver';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { fileOfPlace, isPlaceOfExport } from '../project/checks/check-references.ts';
import { type ConfigDocument, rangeInString, rangeOf } from '../project/config-document.ts';
import { readModuleExports } from '../project/exports/module-exports.ts';
import type { ProjectFiles } from '../project/project-files.ts';
import { splitReference } from '../project/reference.ts';
import { uriOf } from './paths.ts';
import type { PlacedGraph, Projects } from './projects.ts';
import { referenceAt } from './reference-at.ts';

const START_OF_FILE: Range = { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } };

/** The definition of a reference in langgraph.json: its file, at the position of its export. */
export async function definitionInConfig(
  files: ProjectFiles,
  config: ConfigDocument,
  position: Position,
): Promise<LocationLink[]> {
  const reference = referenceAt(config, position);
  if (reference === undefined) return [];
  const { kind, node } = reference;
  const isPath = kind === 'file' || kind === 'env-file';
  if (kind === 'dependency' || kind === 'folder') return [];
  if (kind === 'embedding' && !isPlaceOfExport(node.value)) return [];
  const { place, exportName } = isPath ? { place: node.value } : splitReference(node.value);
  const file = isPath ? path.resolve(config.dir, place) : await fileOfPlace({ config, files }, place);
  if (file === undefined || (await files.kind(file)) !== 'file') return [];
  const range =
    exportName === undefined
      ? START_OF_FILE
      : ((await exportRange(files, file, exportName)) ?? START_OF_FILE);
  return [
    {
      originSelectionRange: rangeInString(config, node),
      targetUri: uriOf(file),
      targetRange: range,
      targetSelectionRange: range,
    },
  ];
}

/** The references in langgraph.json to the graph that is exported at a position. */
export async function definitionInSource(
  files: ProjectFiles,
  projects: Projects,
  source: string,
  position: Position,
): Promise<LocationLink[]> {
  const located = await locateGraphs(files, projects, source);
  return located.flatMap(({ graph, range }): LocationLink[] => {
    const isHere =
      range.start.line === position.line &&
      range.start.character <= position.character &&
      position.character <= range.end.character;
    if (!isHere) return [];
    const target = rangeOf(graph.config, graph.reference);
    return [
      {
        originSelectionRange: range,
        targetUri: uriOf(graph.config.file),
        targetRange: target,
        targetSelectionRange: target,
      },
    ];
  });
}

/** The graphs of a source file, each with the range of its export. */
export async function locateGraphs(
  files: ProjectFiles,
  projects: Projects,
  source: string,
): Promise<{ graph: PlacedGraph; range: Range }[]> {
  const graphs = await projects.findGraphsIn(source);
  const placed = await Promise.all(
    graphs.map(async (graph) => {
      const range = await exportRange(files, source, graph.exportName);
      return range === undefined ? undefined : { graph, range };
    }),
  );
  return placed.filter((entry) => entry !== undefined);
}

/** The range of an export in its own file; undefined for re-exports from other files. */
async function exportRange(files: ProjectFiles, file: string, name: string): Promise<Range | undefined> {
  const exported = (await readModuleExports(files, file))?.names.get(name);
  const text = exported === undefined ? undefined : await files.read(file);
  if (exported === undefined || text === undefined || exported.end === 0) return undefined;
  const document = TextDocument.create('', '', 0, text);
  return { start: document.positionAt(exported.start), end: document.positionAt(exported.end) };
}
