/** Where the workspace keeps the path of the langgraph.json that was deployed last. */
export const DEPLOYED_LAST_KEY = 'deployedLast';
