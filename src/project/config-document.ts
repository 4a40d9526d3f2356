import path from 'node:path';
import {
  type ASTNode,
  type Diagnostic,
  getLanguageService,
  type JSONDocument,
  type LanguageService,
  type MatchingSchema,
  type Range,
  type StringASTNode,
} from 'vscode-json-languageservice';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { URI } from 'vscode-uri';
import schema from './langgraph.schema.json' with { type: 'json' };
import { range } from './problem.ts';

/** The kinds of references in langgraph.json, from `x-reference` in its schema. */
const REFERENCE_KINDS = ['graph', 'export', 'embedding', 'file', 'folder', 'env-file', 'dependency'] as const;
export type ReferenceKind = (typeof REFERENCE_KINDS)[number];

/** A string that refers to something outside langgraph.json. */
export interface ReferenceNode {
  readonly kind: ReferenceKind;
  readonly node: StringASTNode;
}

/** A parsed and validated langgraph.json. */
export interface ConfigDocument {
  readonly file: string;
  readonly dir: string;
  readonly document: TextDocument;
  readonly json: JSONDocument;
  /** Schema and syntax errors. */
  readonly complaints: readonly Diagnostic[];
  /** Every value with every part of the schema that applies to it. */
  readonly matches: readonly MatchingSchema[];
  readonly references: readonly ReferenceNode[];
}

const SCHEMA_URI = 'agent-harbor:/langgraph.schema.json';

/** Makes a JSON service that validates every file against the bundled schema. It never fetches a file's `$schema`. */
export function makeJsonService(): LanguageService {
  const service = getLanguageService({
    schemaRequestService: async () => JSON.stringify(schema),
    workspaceContext: { resolveRelativePath: () => SCHEMA_URI },
  });
  service.configure({
    validate: true,
    allowComments: false,
    schemas: [{ uri: SCHEMA_URI, fileMatch: ['*'], schema }],
  });
  return service;
}

/** Parses langgraph.json with positions; text that is not valid JSON is parsed as far as possible. */
export async function readConfigDocument(
  service: LanguageService,
  file: string,
  text: string,
): Promise<ConfigDocument> {
  const document = TextDocument.create(URI.file(file).toString(), 'json', 0, text);
  const json = service.parseJSONDocument(document);
  const complaints = await service.doValidation(document, json, { schemaValidation: 'error' }, schema);
  const matches = await service.getMatchingSchemas(document, json, schema);
  return {
    file,
    dir: path.dirname(file),
    document,
    json,
    complaints,
    matches,
    references: referencesIn(matches),
  };
}

function referencesIn(matches: readonly MatchingSchema[]): ReferenceNode[] {
  const found = new Map<ASTNode, ReferenceNode>();
  for (const { node, schema } of matches) {
    const wanted: unknown = 'x-reference' in schema ? schema['x-reference'] : undefined;
    const kind = REFERENCE_KINDS.find((known) => known === wanted);
    if (kind !== undefined && node.type === 'string') found.set(node, { kind, node });
  }
  return [...found.values()].toSorted((a, b) => a.node.offset - b.node.offset);
}

/** The path of a value, such as `graphs.agent` or `dependencies[0]`. */
export function keysOf(node: ASTNode): string {
  const { parent } = node;
  if (parent === undefined) return '';
  const above = keysOf(parent);
  if (parent.type === 'array') return `${above}[${parent.items.indexOf(node)}]`;
  if (parent.type !== 'property') return above;
  return [above, parent.keyNode.value].filter(Boolean).join('.');
}

/** The value at a path of keys. */
export function nodeAt(
  { json }: Pick<ConfigDocument, 'json'>,
  ...keys: readonly string[]
): ASTNode | undefined {
  let node = json.root;
  for (const key of keys) {
    if (node?.type !== 'object') return undefined;
    node = node.properties.find(({ keyNode }) => keyNode.value === key)?.valueNode;
  }
  return node;
}

/** The strings of an object, by key. */
export function stringsOf(node: ASTNode | undefined): Map<string, StringASTNode> {
  if (node?.type !== 'object') return new Map();
  return new Map(
    node.properties.flatMap(({ keyNode, valueNode }) =>
      valueNode?.type === 'string' ? [[keyNode.value, valueNode] as const] : [],
    ),
  );
}

/** The position of a node in the document. */
export function rangeOf({ document }: Pick<ConfigDocument, 'document'>, node: ASTNode): Range {
  return {
    start: document.positionAt(node.offset),
    end: document.positionAt(node.offset + node.length),
  };
}

/** The range of the key `graphs`, where problems of all graphs are shown; the first character without it. */
export function rangeOfGraphsKey(config: Pick<ConfigDocument, 'json' | 'document'>): Range {
  const { root } = config.json;
  const property =
    root?.type === 'object' ? root.properties.find(({ keyNode }) => keyNode.value === 'graphs') : undefined;
  return property === undefined ? range(0, 0, 0, 1) : rangeOf(config, property.keyNode);
}

/** The range of a part of a string, without quotes; the whole string if it contains escapes. */
export function rangeInString(
  { document }: Pick<ConfigDocument, 'document'>,
  node: StringASTNode,
  from = 0,
  to = node.value.length,
): Range {
  const isPlain = node.length === node.value.length + 2;
  const start = node.offset + 1 + (isPlain ? from : 0);
  const end = node.offset + 1 + (isPlain ? to : node.length - 2);
  return { start: document.positionAt(start), end: document.positionAt(end) };
}

/** A graph of langgraph.json. */
interface ConfiguredGraph {
  readonly graphId: string;
  readonly keyNode: StringASTNode;
  /** The string with its file and export; undefined if its value is invalid. */
  readonly reference: StringASTNode | undefined;
}

/** The graphs of langgraph.json in file order, including those with invalid values. */
export function configuredGraphs(config: Pick<ConfigDocument, 'json'>): ConfiguredGraph[] {
  const graphs = nodeAt(config, 'graphs');
  if (graphs?.type !== 'object') return [];
  return graphs.properties.map(({ keyNode, valueNode }) => {
    const named =
      valueNode?.type === 'object'
        ? valueNode.properties.find((property) => property.keyNode.value === 'path')?.valueNode
        : valueNode;
    return { graphId: keyNode.value, keyNode, reference: named?.type === 'string' ? named : undefined };
  });
}
