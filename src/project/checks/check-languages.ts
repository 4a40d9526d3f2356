import { nodeAt, rangeOf } from '../config-document.ts';
import { languagesOf } from '../languages.ts';
import type { Problem } from '../problem.ts';
import type { CheckInput } from './check-input.ts';

/** Checks keys that a language requires, or that exclude each other. */
export function checkLanguages(input: CheckInput): Problem[] {
  const { config } = input;
  const problems: Problem[] = [];
  const dependencies = nodeAt(config, 'dependencies');
  const graphs = nodeAt(config, 'graphs');
  const isUv = nodeAt(config, 'source', 'kind')?.value === 'uv';
  const add = (node: typeof graphs, severity: Problem['severity'], message: string) => {
    if (node !== undefined)
      problems.push({ file: config.file, range: rangeOf(config, node), severity, code: 'language', message });
  };
  const languages = languagesOf(config);
  if (isUv)
    add(
      dependencies,
      'error',
      "'dependencies' cannot be used with source.kind 'uv', because uv.lock lists them.",
    );
  else if (dependencies === undefined && languages.has('python')) {
    add(
      graphs,
      'warning',
      'A project with Python graphs cannot be deployed without \'dependencies\'; ["."] is the project itself.',
    );
  }
  if (isUv && nodeAt(config, 'python_version') === undefined)
    add(nodeAt(config, 'source'), 'warning', "'source' needs 'python_version' to be deployed.");
  return problems;
}
