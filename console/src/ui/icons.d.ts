// `~icon/Bell` is one icon's own file (vite.config.ts): the package's index has thousands and would be parsed for a dozen.
declare module '~icon/*' {
  import type { Icon } from '@tabler/icons-react';

  const icon: Icon;
  export default icon;
}
