import type { RuntimeState } from '../../../contract/harbor.ts';
import { extraSentence } from '../project/extras.ts';
import type { Generation } from './generation.ts';

type ReadyState = Extract<RuntimeState, { state: 'ready' }>;

/** Describes a loaded generation. If there are several languages, fields name all of them: `node + python`. */
export function readyState({
  id,
  runtimes,
  graphs,
  project,
  failedExtras,
  lackingEnv,
}: Generation): ReadyState {
  const warnings = [
    ...(project.missingEnv === undefined ? [] : [project.missingEnv]),
    ...failedExtras.map(extraSentence),
  ];
  const all = (field: 'language' | 'language_version' | 'langgraph_version' | 'loader') =>
    runtimes.map(({ loaded }) => loaded[field]).join(' + ');
  return {
    state: 'ready',
    load_id: id,
    language: all('language'),
    language_version: all('language_version'),
    langgraph_version: all('langgraph_version'),
    loader: all('loader'),
    runtimes: runtimes.map(({ program }) => program),
    graphs: [...graphs],
    ...(lackingEnv === undefined ? {} : { lacking_env: lackingEnv }),
    ...(warnings.length === 0 ? {} : { warnings }),
    ...(failedExtras.length === 0 ? {} : { failed_extras: [...failedExtras] }),
  };
}

/** Which graphs are loaded: `Reloaded: agent. Failed: travel.` */
export function loadedSentence(graphs: Generation['graphs'], again: boolean): string {
  const named = (status: 'loaded' | 'failed') =>
    graphs.filter((graph) => graph.status === status).map(({ graph_id }) => graph_id);
  const [loaded, failed] = [named('loaded'), named('failed')];
  const verb = again ? 'Reloaded' : 'Loaded';
  return [
    ...(loaded.length === 0 ? [] : [`${verb}: ${loaded.join(', ')}.`]),
    ...(failed.length === 0 ? [] : [`Failed: ${failed.join(', ')}.`]),
  ].join(' ');
}
