const { TreeItem, ViewColumn, commands, window } = require('vscode');

const HTML = `<p class="answer"></p><script>
  const text = document.querySelector('.answer');
  addEventListener('message', ({ data }) => { text.textContent += data; });
</script>`;

exports.activate = () => {
  window.registerTreeDataProvider('floor.rows', {
    getChildren: () => ['row'],
    getTreeItem: (label) => new TreeItem(label),
  });
  commands.registerCommand('floor.tellTheTime', () => {
    const { webview, onDidDispose } = window.createWebviewPanel('floor', 'The Time', ViewColumn.One, {
      enableScripts: true,
    });
    webview.html = HTML;
    const timer = setInterval(() => webview.postMessage(`${Date.now()} `), 53);
    onDidDispose(() => clearInterval(timer));
  });
};
