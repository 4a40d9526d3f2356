/** esbuild collects imported stylesheets in the CSS file of the bundle. */
declare module '*.css';
