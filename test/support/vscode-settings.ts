/** Settings of VS Code, as in `settings.json`. */
export type Settings = Readonly<Record<string, unknown>>;

/**
 * A quiet workbench: no welcome pages, questions, telemetry, or anything else that covers the content under
 * test.
 */
export const quietSettings: Settings = {
  'workbench.startupEditor': 'none',
  'workbench.welcomePage.walkthroughs.openOnInstall': false,
  'workbench.tips.enabled': false,
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'workbench.enableExperiments': false,
  'workbench.settings.enableNaturalLanguageSearch': false,
  'workbench.reduceMotion': 'on',
  'workbench.colorTheme': 'Dark 2026',
  'window.autoDetectColorScheme': false,
  'window.commandCenter': false,
  'workbench.hover.delay': 60_000,
  'window.confirmBeforeClose': 'never',
  'chat.disableAIFeatures': true,
  'chat.commandCenter.enabled': false,
  'security.workspace.trust.enabled': false,
  'telemetry.telemetryLevel': 'off',
  'update.mode': 'none',
  'update.showReleaseNotes': false,
  'extensions.autoCheckUpdates': false,
  'extensions.autoUpdate': false,
  'extensions.ignoreRecommendations': true,
  'files.simpleDialog.enable': true,
  'git.openRepositoryInParentFolders': 'never',
  'git.autofetch': false,
  'remote.autoForwardPorts': false,
  // Draws the terminal as text in the page, where tests can read it.
  'terminal.integrated.gpuAcceleration': 'off',
  'typescript.disableAutomaticTypeAcquisition': true,
};
