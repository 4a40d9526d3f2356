import assert from 'node:assert/strict';
import { type ServedProject, serveProject } from '../support/served-project.ts';
import { eventually } from '../support/wait.ts';

interface Metadata {
  readonly firstSeenState?: { readonly parent_checkpoint?: object | null };
  readonly branch?: string;
  readonly branchOptions?: readonly string[];
}
interface Message {
  readonly id?: string;
  readonly type: string;
  readonly content: unknown;
}
/** The part of the hook's result that is used here; its own types need React's. */
interface Chat {
  readonly messages: readonly Message[];
  readonly isLoading: boolean;
  readonly isThreadLoading: boolean;
  readonly error: unknown;
  readonly interrupt?: { readonly value?: unknown };
  readonly values: { readonly answers?: readonly string[] };
  submit(input: object | undefined, options?: object): Promise<void>;
  setBranch(branch: string): void;
  getMessagesMetadata(message: Message): Metadata | undefined;
}

describe('React’s useStream of the SDK', function () {
  this.timeout(60_000);
  let served: ServedProject;
  before(async () => {
    served = await serveProject();
  });
  after(() => served?.[Symbol.asyncDispose]());

  /** A component that uses the hook, in React itself. */
  async function mount(options: object): Promise<{ chat: () => Chat; unmount: () => void }> {
    const names: readonly [string, string, string] = [
      'react',
      'react-test-renderer',
      '@langchain/langgraph-sdk/react',
    ];
    const [react, renderer, sdk] = await Promise.all(names.map((name) => import(name)));
    let chat: Chat | undefined;
    const Component = () => {
      chat = sdk.useStream({ apiUrl: served.url, messagesKey: 'messages', ...options });
      return null;
    };
    const root = renderer.create(react.createElement(Component));
    await eventually('it is mounted', () => chat !== undefined);
    return {
      chat: () => {
        assert.ok(chat !== undefined);
        return chat;
      },
      unmount: () => root.unmount(),
    };
  }

  async function settled(chat: () => Chat): Promise<void> {
    await eventually('it has settled', () => !chat().isLoading && !chat().isThreadLoading);
    assert.equal(chat().error, undefined);
  }

  // With `fetchStateHistory: true`, the hook reads only the newest ten states, and finds no branches of older
  // messages.
  it('offers the branches of edited and regenerated messages, including the first one', async () => {
    const { chat, unmount } = await mount({ assistantId: 'agent', fetchStateHistory: { limit: 100 } });
    try {
      const say = async (content: string, id: string, instead?: Message) => {
        const message = { type: 'human', content, id };
        const at = instead && chat().getMessagesMetadata(instead)?.firstSeenState?.parent_checkpoint;
        await chat().submit({ messages: [message] }, instead === undefined ? {} : { checkpoint: at });
        await settled(chat);
      };
      const options = (at: number) => {
        const message = chat().messages.at(at);
        return message && chat().getMessagesMetadata(message)?.branchOptions;
      };
      const words = () => chat().messages.flatMap(({ type, content }) => (type === 'human' ? [content] : []));
      await say('one', 'h1');
      await say('two', 'h2');
      assert.deepEqual([words(), options(0), options(2)], [['one', 'two'], undefined, undefined]);

      await say('two, edited', 'h3', chat().messages[2]);
      assert.deepEqual(words(), ['one', 'two, edited']);
      assert.equal(options(2)?.length, 2);

      const answer = chat().messages.at(-1);
      assert.ok(answer !== undefined);
      const before = chat().getMessagesMetadata(answer)?.firstSeenState?.parent_checkpoint;
      await chat().submit(undefined, { checkpoint: before });
      await settled(chat);
      assert.equal(options(3)?.length, 2);

      await say('one, edited', 'h4', chat().messages[0]);
      assert.deepEqual(words(), ['one, edited']);
      assert.equal(options(0)?.length, 2);
      chat().setBranch(options(0)?.[0] ?? '');
      await eventually('the other branch is shown', () => words().includes('one'));
      assert.deepEqual(words(), ['one', 'two, edited']);
    } finally {
      unmount();
    }
  });

  it('shows an interrupt, and continues with the answer', async () => {
    const { chat, unmount } = await mount({ assistantId: 'approval', fetchStateHistory: true });
    try {
      await chat().submit({ topic: 'tea' });
      await settled(chat);
      await eventually('it is asked', () => chat().interrupt !== undefined);
      assert.deepEqual(chat().interrupt?.value, { question: 'Publish tea?' });
      await chat().submit(undefined, { command: { resume: 'yes' } });
      await settled(chat);
      assert.deepEqual(chat().values.answers, ['draft of tea', 'yes', 'published']);
      assert.equal(chat().interrupt, undefined);
    } finally {
      unmount();
    }
  });
});
