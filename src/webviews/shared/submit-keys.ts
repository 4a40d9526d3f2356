/** The keys that submit a form, as text: with Command on macOS, with Control elsewhere. */
export const SUBMIT_KEYS = navigator.userAgent.includes('Macintosh') ? '⌘Enter' : 'Ctrl+Enter';
