import { usage } from '../terminal/failure.ts';

const OPTIONS = {
  python: { option: '--debug-port', others: 'run on Node', instead: '--inspect' },
  javascript: { option: '--inspect', others: 'are in Python', instead: '--debug-port' },
} as const;

/**
 * Refuses an option for debugging a language that no graph of the project is written in.
 * @param configPath the path of a langgraph.json; one that names no graphs passes, because the server reports
 * what is wrong with it
 * @throws Failure that names the right option
 */
export async function checkDebugOptions(
  configPath: string,
  { debugPort, inspect }: { readonly debugPort?: number | undefined; readonly inspect?: number | undefined },
): Promise<void> {
  const wanted = [
    ...(debugPort === undefined ? [] : (['python'] as const)),
    ...(inspect === undefined ? [] : (['javascript'] as const)),
  ];
  if (wanted.length === 0) return;
  // These modules are imported here because most starts need neither the schema nor the parser.
  const [{ makeJsonService, readConfigDocument }, { languagesOf }, { readText }] = await Promise.all([
    import('../../project/config-document.ts'),
    import('../../project/languages.ts'),
    import('../../project/read-text.ts'),
  ]);
  const languages = languagesOf(
    await readConfigDocument(makeJsonService(), configPath, await readText(configPath)),
    ['graph', 'export'],
  );
  for (const language of wanted) {
    const { option, others, instead } = OPTIONS[language];
    if (languages.size > 0 && !languages.has(language))
      throw usage(
        `${option} has no effect here, because the graphs of ${configPath} ${others}. Use ${instead}.`,
      );
  }
}
