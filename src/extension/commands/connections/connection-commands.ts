import { addConnection } from './add-connection.ts';
import { reconnect } from './reconnect.ts';
import { removeConnection } from './remove-connection.ts';
import { renameConnection } from './rename-connection.ts';
import { restartServer } from './restart-server.ts';
import { signIn } from './sign-in.ts';
import { signOut } from './sign-out.ts';
import { startServer } from './start-server.ts';
import { stopServer } from './stop-server.ts';

/** Commands about platforms, the local server among them. */
export const connectionCommands = {
  addConnection,
  reconnect,
  removeConnection,
  renameConnection,
  restartServer,
  signIn,
  signOut,
  startServer,
  stopServer,
};
