import * as vscode from 'vscode';

/** What is used of the Python extension's public interface. */
interface PythonExtension {
  readonly environments: {
    getActiveEnvironmentPath(resource?: vscode.Uri): { readonly path: string };
    resolveEnvironment(path: {
      readonly path: string;
    }): Promise<
      { readonly executable: { readonly uri?: vscode.Uri }; readonly environment?: object } | undefined
    >;
  };
}

/**
 * The interpreter that the user chose for a folder: the environment selected in the Python extension, else the
 * configured one. Undefined when nobody chose: then the server looks for one, as people expect.
 */
export async function chosenInterpreter(folder: vscode.Uri): Promise<string | undefined> {
  const python = pythonExtension();
  if (python !== undefined) {
    const active = python.environments.getActiveEnvironmentPath(folder);
    const resolved = await python.environments.resolveEnvironment(active);
    // An interpreter of the system is what the extension falls back to, not a choice.
    if (resolved?.environment !== undefined) return resolved.executable.uri?.fsPath;
  }
  return configuredInterpreter(folder);
}

/** Only when it is active already: a workspace without Python must not start it. */
function pythonExtension(): PythonExtension | undefined {
  const extension = vscode.extensions.getExtension<PythonExtension>('ms-python.python');
  return extension?.isActive === true ? extension.exports : undefined;
}

function configuredInterpreter(folder: vscode.Uri): string | undefined {
  const configured = vscode.workspace
    .getConfiguration('python', folder)
    .inspect<string>('defaultInterpreterPath');
  const value = configured?.workspaceFolderValue ?? configured?.workspaceValue ?? configured?.globalValue;
  const root = vscode.workspace.getWorkspaceFolder(folder)?.uri.fsPath ?? folder.fsPath;
  return value === undefined || value === '' || value === 'python'
    ? undefined
    : value.replace(/\$\{workspaceFolder\}/g, root);
}
