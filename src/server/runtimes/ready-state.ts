import type { RuntimeState } from '../../contract/harbor.ts';
import { extraSentence } from './extras.ts';
import type { Generation } from './generation.ts';

/** The description of a loaded generation. Of several languages, each field says all of them, in one order. */
export function readyState({ runtimes, graphs, project, failedExtras }: Generation): RuntimeState {
  const warnings = [
    ...(project.missingEnv === undefined ? [] : [project.missingEnv]),
    ...failedExtras.map(extraSentence),
  ];
  const all = (field: 'language' | 'language_version' | 'langgraph_version' | 'loader') =>
    runtimes.map(({ loaded }) => loaded[field]).join(' + ');
  return {
    state: 'ready',
    language: all('language'),
    language_version: all('language_version'),
    langgraph_version: all('langgraph_version'),
    loader: all('loader'),
    runtimes: runtimes.map(({ program }) => program),
    graphs: [...graphs],
    ...(warnings.length === 0 ? {} : { warnings }),
    ...(failedExtras.length === 0 ? {} : { failed_extras: [...failedExtras] }),
  };
}
