/** Options from an environment variable, separated by white space. */
export function splitOptions(text: string | undefined): string[] {
  return (text ?? '').split(/\s+/).filter((option) => option !== '');
}

/** Whether options of `run` put a container into the machine's own network. */
export function hostNetworkIn(options: readonly string[]): boolean {
  return options.some(
    (option, index) =>
      /^--net(?:work)?=host$/.test(option) ||
      (/^--net(?:work)?$/.test(option) && options[index + 1] === 'host'),
  );
}

/** Options of `run` without those that choose a network. */
export function withoutNetwork(options: readonly string[]): string[] {
  return options.filter(
    (option, index) =>
      !/^--net(?:work)?(?:=|$)/.test(option) && !/^--net(?:work)?$/.test(options[index - 1] ?? ''),
  );
}
