import type { Locator, Page } from 'playwright-core';
import { eventually, patience, textMatches } from '../wait.ts';
import type { DomElement } from './dom.ts';

export interface Notification {
  readonly severity: 'info' | 'warning' | 'error';
  readonly message: string;
  readonly buttons: readonly string[];
  readonly hasProgress: boolean;
}

/** The visible notifications: toasts, and the notification center when it is open. */
export class Notifications {
  readonly #page: Page;

  constructor(page: Page) {
    this.#page = page;
  }

  async all(): Promise<Notification[]> {
    return this.#items.evaluateAll((items: DomElement[]) =>
      items.map((item): Notification => {
        const icon = item.querySelector('.notification-list-item-icon')?.className ?? '';
        const progress = item.querySelector('.monaco-progress-container')?.className ?? 'done';
        return {
          severity: icon.includes('error') ? 'error' : icon.includes('warning') ? 'warning' : 'info',
          message: item.querySelector('.notification-list-item-message')?.textContent ?? '',
          buttons: [...item.querySelectorAll('.notification-list-item-buttons-container .monaco-button')].map(
            (button) => button.textContent ?? '',
          ),
          hasProgress: !progress.split(' ').includes('done'),
        };
      }),
    );
  }

  /** Waits for a notification with this message, or one that matches it. */
  async waitFor(message: string | RegExp, timeoutMs?: number): Promise<Notification> {
    return eventually(
      `a notification ${message}`,
      async () => (await this.all()).find((notification) => textMatches(notification.message, message)),
      Boolean,
      timeoutMs,
    );
  }

  /** Waits for a notification and presses one of its buttons. */
  async press(message: string | RegExp, button: string): Promise<void> {
    await this.waitFor(message);
    await this.#item(message).getByRole('button', { name: button, exact: true }).click();
  }

  /** Waits for a notification and closes it. */
  async dismiss(message: string | RegExp): Promise<void> {
    await this.waitFor(message);
    await this.#item(message).hover();
    await this.#item(message).locator('.codicon-notifications-clear').click();
  }

  /** Closes every visible notification. */
  async dismissAll(): Promise<void> {
    await eventually('no notification', async () => {
      const first = this.#items.first();
      if (!(await first.isVisible())) return true;
      await first.hover({ timeout: 1000 * patience });
      await first.locator('.codicon-notifications-clear').click({ timeout: 1000 * patience });
      return false;
    });
  }

  get #items(): Locator {
    return this.#page.locator(
      '.notifications-toasts.visible .notification-list-item, .notifications-center.visible .notification-list-item',
    );
  }

  #item(message: string | RegExp): Locator {
    const text = this.#page.locator('.notification-list-item-message');
    const wanted =
      typeof message === 'string'
        ? text.getByText(message, { exact: true })
        : text.filter({ hasText: message });
    return this.#items.filter({ has: wanted }).first();
  }
}
