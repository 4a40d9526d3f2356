import './thumb.css';
import { Icon } from '../icon.tsx';

interface ThumbProps {
  readonly icon: 'thumbsup' | 'thumbsdown';
  readonly label: string;
  readonly pressed: boolean;
  readonly onClick: () => void;
}

/** A thumb button that stays pressed. */
export function Thumb({ icon, label, pressed, onClick }: ThumbProps) {
  return (
    <button
      type="button"
      class="thumb"
      title={label}
      aria-label={label}
      aria-pressed={pressed}
      onClick={onClick}
    >
      <Icon name={pressed ? `${icon}-filled` : icon} />
    </button>
  );
}
