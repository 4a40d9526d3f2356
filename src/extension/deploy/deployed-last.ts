/** The key in the window's storage for the path of the langgraph.json that was deployed last. */
export const DEPLOYED_LAST_KEY = 'deployedLast';
