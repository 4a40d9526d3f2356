import { useEffect, useRef, useState } from 'preact/hooks';
import type { EditableState } from '../../../extension/panels/run/messages.ts';
import type { PanelProps } from '../panel-props.ts';
import { readEditedState } from './read-edited-state.ts';

/**
 * The state of the state editor: the text, its problem, and functions that change and save it.
 * @param checkpointId the checkpoint to edit; undefined for the newest
 * @returns undefined until the state has been read
 */
export function useStateEdit(store: PanelProps['store'], checkpointId: string | undefined) {
  const [state, setState] = useState<EditableState | undefined>(undefined);
  const [text, setText] = useState('');
  const [asNode, setAsNode] = useState('');
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const [isSaving, setSaving] = useState(false);
  const editor = useRef<HTMLTextAreaElement>(null);
  const at = checkpointId === undefined ? {} : { checkpoint_id: checkpointId };
  useEffect(() => {
    let isCurrent = true;
    void store.ask('stateToEdit', at).then((read) => {
      if (!isCurrent) return undefined;
      if (read === undefined) return store.closeEditor();
      setState(read);
      setText(JSON.stringify(read.values, undefined, 2) ?? '{}');
      editor.current?.focus();
      return undefined;
    });
    return () => {
      isCurrent = false;
    };
  }, [store, checkpointId]);
  if (state === undefined) return undefined;

  const save = async (after: 'stop' | 'continue'): Promise<void> => {
    if (isSaving) return;
    const edited = readEditedState(state.values, text);
    if ('problem' in edited) return setProblem(edited.problem);
    setSaving(true);
    const params = {
      ...at,
      values: edited.values,
      ...(state.checkpoint_id !== undefined && { read: state.checkpoint_id }),
      ...(asNode !== '' && { as_node: asNode }),
    };
    const saved = await store.did('updateState', params);
    const isDone = saved && (after === 'stop' || (await store.run('proceed')));
    setSaving(false);
    if (isDone) store.closeEditor();
    return undefined;
  };
  const openDocument = async (): Promise<void> => {
    if (await store.did('editStateDocument', at)) store.closeEditor();
  };
  const changeText = (changed: string): void => {
    setText(changed);
    setProblem(undefined);
  };
  return {
    state,
    text,
    asNode,
    problem,
    isSaving,
    editor,
    setText: changeText,
    setAsNode,
    save,
    openDocument,
  };
}
