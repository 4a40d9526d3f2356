import { jsonOrUndefined } from '../../process/json-or-undefined.ts';
import { isObject, objectAt } from '../../process/objects.ts';
import { referenceLanguage } from '../../project/reference.ts';

/** Whether the text of a `langgraph.json` names a graph in Python; false for text that is not valid JSON. */
export function hasPythonGraph(text: string): boolean {
  const config = jsonOrUndefined(text);
  const graphs = isObject(config) ? Object.values(objectAt(config, 'graphs')) : [];
  return graphs.some((graph) => {
    const reference = isObject(graph) ? graph.path : graph;
    return typeof reference === 'string' && referenceLanguage(reference) === 'python';
  });
}
