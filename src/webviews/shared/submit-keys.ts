/** How the keys that submit a form are written where VS Code runs: Command on macOS, Control elsewhere. */
export const SUBMIT_KEYS = navigator.userAgent.includes('Macintosh') ? '⌘Enter' : 'Ctrl+Enter';
