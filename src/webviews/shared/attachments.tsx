import './attachments.css';
import * as l10n from '@vscode/l10n';
import { type Attachment, describe, isShowable } from './attachment.ts';
import { Icon } from './icon.tsx';

/** The requests to the host about an attachment. */
export interface AttachmentActions {
  /** Shows the bytes of the attachment in an editor. */
  readonly onOpenFile: (file: { name: string; mime: string; data: string }) => void;
  /** Shows the original block. */
  readonly onOpenJson: (title: string, value: unknown) => void;
}

/** The attachments of a message: pictures are shown, others are described, and all of them can be opened. */
export function Attachments({
  files,
  onOpenFile,
  onOpenJson,
}: AttachmentActions & { readonly files: readonly Attachment[] }) {
  if (files.length === 0) return null;
  return (
    <ul class="attachments" aria-label={l10n.t('Attachments')}>
      {files.map((file, index) => {
        const { data, url, mime = 'application/octet-stream', name } = file;
        const text = describe(file);
        const open = () =>
          data === undefined
            ? onOpenJson(text, file.block)
            : onOpenFile({ name: name ?? `${file.kind}-${index + 1}`, mime, data });
        return (
          <li key={index}>
            {isShowable(file) && <img src={`data:${mime};base64,${data}`} alt={name ?? text} />}
            <span class="chip" title={mime}>
              <Icon name={iconOf(file)} />
              <span class="name">{text}</span>
              {url === undefined ? (
                <button type="button" class="link" aria-label={l10n.t('Open {0}', text)} onClick={open}>
                  {l10n.t('Open')}
                </button>
              ) : (
                <a href={url}>{l10n.t('Open')}</a>
              )}
            </span>
          </li>
        );
      })}
    </ul>
  );
}

export function iconOf({ kind }: Attachment): string {
  return { image: 'file-media', audio: 'unmute', video: 'device-camera-video', file: 'file', other: 'json' }[
    kind
  ];
}
