/**
 * Ends the process here without a warning, as a power cut would, if the fault tests ask for it:
 * `AGENT_HARBOR_CRASH_AT=<name>` or `<name>:<n>` for the n-th time. Does nothing otherwise.
 */
export function crashPoint(name: string): void {
  if (wanted === undefined || wanted.name !== name) return;
  if (--wanted.times <= 0) process.kill(process.pid, 'SIGKILL');
}

const wanted = parse(process.env.AGENT_HARBOR_CRASH_AT);

function parse(text: string | undefined): { name: string; times: number } | undefined {
  if (text === undefined || text === '') return undefined;
  const [name = '', times = '1'] = text.split(':');
  return { name, times: Number(times) };
}
