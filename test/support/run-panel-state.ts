/** The state of a run panel that shows a thread, with nothing opened beside it, as its page keeps it. */
export function runPanelState(thread_id: string) {
  return {
    version: 1,
    target: { deployment: 'docs', assistant_id: 'agent', thread_id },
    draft: '',
    steps: true,
    options: { stream_modes: ['values'], interrupt_before: [], interrupt_after: [] },
    shows_options: false,
    side: 'none',
    unfolded: false,
    heat: 'none',
    wide: false,
  };
}
