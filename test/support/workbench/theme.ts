/** The four kinds of color themes, each as the one that VS Code ships as its default. */
export const themes = {
  dark: { setting: 'Dark 2026', label: 'Dark 2026', bodyClass: 'vs-dark' },
  light: { setting: 'Light 2026', label: 'Light 2026', bodyClass: 'vs' },
  'high-contrast': { setting: 'Default High Contrast', label: 'Dark High Contrast', bodyClass: 'hc-black' },
  'high-contrast-light': {
    setting: 'Default High Contrast Light',
    label: 'Light High Contrast',
    bodyClass: 'hc-light',
  },
} as const;

export type Theme = keyof typeof themes;

/** In the order in which a window is pictured in them: it ends in the one that it begins in. */
export const allThemes: readonly Theme[] = ['light', 'high-contrast', 'high-contrast-light', 'dark'];

/** Those that pictures are taken in. Each takes seconds: `AGENT_HARBOR_THEMES=all` takes them in all of them. */
export const picturedThemes: readonly Theme[] =
  process.env.AGENT_HARBOR_THEMES === 'all' ? allThemes : ['dark'];
