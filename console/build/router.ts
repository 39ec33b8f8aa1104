// Lets the bundler leave out what nobody uses of react-router. It makes its components by calls and gives them names for debugging;
// a bundler must take both for effects, and keeps forms, fetchers and restored scrolling that the console does not have.
import type { Plugin } from 'vite';

const NAMES = /^\w+\.displayName = .*;$/gm;
const MADE = /(?<== )(?=React\d*\.(?:createContext|forwardRef|memo)\()/g;

export function unusedOfRouter(): Plugin {
  return {
    name: 'harit-router',
    apply: 'build',
    transform: {
      filter: { id: /\/react-router\/dist\/production\// },
      handler: (code) => ({ code: code.replace(NAMES, '').replace(MADE, '/* @__PURE__ */ '), map: null }),
    },
  };
}
