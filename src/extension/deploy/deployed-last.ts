/** The key of the window's storage with the path of the langgraph.json that was deployed last. */
export const DEPLOYED_LAST_KEY = 'deployedLast';
