import './attached-files.css';
import * as l10n from '@vscode/l10n';
import { Action } from '../../shared/action.tsx';
import { describe, isShowable } from '../../shared/attachment.ts';
import { iconOf } from '../../shared/attachments.tsx';
import { Icon } from '../../shared/icon.tsx';
import type { PanelProps } from '../panel-props.ts';

/** A button that lets the user choose files to send with a message. */
export function AttachButton({ store }: Pick<PanelProps, 'store'>) {
  const choose = async (): Promise<void> => {
    const chosen = await store.ask('chooseFiles', {});
    if (chosen !== undefined) store.attach(chosen);
  };
  return <Action icon="attach" label={l10n.t('Attach Files')} onClick={choose} />;
}

/** The attachments of the message that is being written. */
export function AttachedFiles({ store, view }: PanelProps) {
  if (view.attached.length === 0) return null;
  return (
    <ul class="attachments" aria-label={l10n.t('Attachments')}>
      {view.attached.map((file, index) => (
        <li key={index} class="chip">
          {isShowable(file) ? (
            <img class="thumbnail" src={`data:${file.mime};base64,${file.data}`} alt="" />
          ) : (
            <Icon name={iconOf(file)} />
          )}
          <span class="name">{describe(file)}</span>
          <Action
            icon="close"
            label={l10n.t('Remove {0}', describe(file))}
            onClick={() => store.detach([file])}
          />
        </li>
      ))}
    </ul>
  );
}
