import { jsonOrUndefined } from '../../process/json-or-undefined.ts';
import { isObject, objectAt } from '../../process/objects.ts';
import { isProviderAndModel, referenceLanguage } from '../../project/reference.ts';

/** Whether the text of a `langgraph.json` names a graph in Python; false for text that is not valid JSON. */
export function hasPythonGraph(text: string): boolean {
  return Object.values(objectAt(parse(text), 'graphs')).some((graph) =>
    isPython(isObject(graph) ? graph.path : graph),
  );
}

/**
 * Whether the text of a `langgraph.json` names a graph in Python, or other code in Python that runs beside
 * the graphs: authentication, routes, or embeddings.
 */
export function usesPython(text: string): boolean {
  if (hasPythonGraph(text)) return true;
  const config = parse(text);
  const { path: auth } = objectAt(config, 'auth');
  const { app } = objectAt(config, 'http');
  const { embed } = objectAt(objectAt(config, 'store'), 'index');
  return [auth, app, embed].some((place) => isPython(place) && !isProviderAndModel(String(place)));
}

function parse(text: string): Readonly<Record<string, unknown>> {
  const config = jsonOrUndefined(text);
  return isObject(config) ? config : {};
}

function isPython(place: unknown): boolean {
  return typeof place === 'string' && referenceLanguage(place) === 'python';
}
