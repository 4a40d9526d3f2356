/** VS Code's default for each of the four kinds of color themes. */
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

/** In the order in which pictures are taken in them, so that a window ends in the theme that it begins in. */
export const allThemes: readonly Theme[] = ['light', 'high-contrast', 'high-contrast-light', 'dark'];

/**
 * The themes that pictures are taken in. Each takes seconds; `AGENT_HARBOR_THEMES=all` takes pictures in all themes.
 */
export const picturedThemes: readonly Theme[] =
  process.env.AGENT_HARBOR_THEMES === 'all' ? allThemes : ['dark'];
