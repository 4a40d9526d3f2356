/** The state that the page of a run panel keeps when it shows a thread and nothing beside it. */
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
