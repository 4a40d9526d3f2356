/** The label of the keys that submit a form on this system: Command on macOS, Control elsewhere. */
export const SUBMIT_KEYS = navigator.userAgent.includes('Macintosh') ? '⌘Enter' : 'Ctrl+Enter';
