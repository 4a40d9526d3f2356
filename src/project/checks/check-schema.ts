import type { ObjectASTNode, PropertyASTNode } from 'vscode-json-languageservice';
import { messageOf } from '../../process/message-of.ts';
import type { ConfigDocument } from '../config-document.ts';
import { rangeOf } from '../config-document.ts';
import { nearest } from '../nearest.ts';
import type { Problem } from '../problem.ts';

/** Whether an error code of the JSON service means a syntax error. */
const isSyntax = (code: unknown) => typeof code === 'number' && code >= 0x101 && code < 0x300;

/** The JSON service's message for an object without properties. */
const EMPTY = /^Object has fewer properties than the required number of 1/;

/** Reports syntax errors, or if there are none, violations of the schema. */
export function checkSchema(config: ConfigDocument): Problem[] {
  const unknown = unknownKeys(config);
  const reported = new Set(unknown.map(({ range }) => startOf(range)));
  const others = config.complaints
    .filter(({ range }) => !reported.has(startOf(range)))
    .map(({ range, message, code }): Problem => {
      const said = (typeof message === 'string' ? message : message.value).replaceAll('"', "'");
      const about = { file: config.file, range, severity: 'error' } as const;
      return isSyntax(code)
        ? { ...about, code: 'syntax', message: `Not valid JSON: ${said}` }
        : { ...about, code: 'schema', message: EMPTY.test(said) ? 'Must not be empty.' : said };
    });
  const syntax = others.filter(({ code }) => code === 'syntax');
  return syntax.length > 0 ? syntax : [...others, ...unknown, ...checkPatterns(config)];
}

/** Unknown keys, with the most similar known key. */
function unknownKeys(config: ConfigDocument): Problem[] {
  const known = new Map<ObjectASTNode, Set<string>>();
  for (const { node, schema } of config.matches) {
    if (node.type !== 'object' || schema.additionalProperties !== false) continue;
    const names = known.get(node) ?? new Set();
    for (const name of Object.keys(schema.properties ?? {})) names.add(name);
    known.set(node, names);
  }
  return [...known].flatMap(([node, names]) =>
    node.properties
      .filter(({ keyNode }) => !names.has(keyNode.value))
      .map((property) => unknownKey(config, node, property, names)),
  );
}

function unknownKey(
  config: ConfigDocument,
  parent: ObjectASTNode,
  { keyNode }: PropertyASTNode,
  names: ReadonlySet<string>,
): Problem {
  const present = new Set(parent.properties.map((property) => property.keyNode.value));
  const meant = nearest(
    keyNode.value,
    [...names].filter((name) => !present.has(name)),
  );
  const range = rangeOf(config, keyNode);
  return {
    file: config.file,
    range,
    severity: 'warning',
    code: 'unknown-key',
    message: `Unknown key '${keyNode.value}'${meant[0] === undefined ? '.' : `. Did you mean '${meant[0]}'?`}`,
    fixes: meant.map((name) => ({
      title: `Change to '${name}'`,
      change: { kind: 'replace', file: config.file, range, text: JSON.stringify(name) },
    })),
  };
}

/** Checks values with `format: regex`, which the JSON service does not check. */
function checkPatterns(config: ConfigDocument): Problem[] {
  return config.matches.flatMap(({ node, schema }): Problem[] => {
    if (schema.format !== 'regex' || node.type !== 'string') return [];
    try {
      new RegExp(node.value);
      return [];
    } catch (error) {
      const message = messageOf(error);
      return [
        {
          file: config.file,
          range: rangeOf(config, node),
          severity: 'error',
          code: 'schema',
          message: `${message}.`,
        },
      ];
    }
  });
}

function startOf({ start }: Problem['range']): string {
  return `${start.line}:${start.character}`;
}
