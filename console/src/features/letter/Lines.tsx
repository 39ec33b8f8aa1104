// The lines of a part of a letter: each a sentence, what belongs to it below, and the way to where there is more of it.

import Missed from '~icon/AlertTriangle';
import Open from '~icon/ChevronRight';
import { Link } from '../../screen/Link';
import classes from './Letter.module.css';

export interface Line {
  id: string;
  text: string;
  /** Something was not as it should be: stands out of the others. */
  isBad?: boolean;
  /** Shorter ones that belong to it; what is no text is left out. */
  parts?: readonly (string | false | null | undefined)[];
  /** Where there is more. */
  to?: string | undefined;
}

export function Lines({ lines, none }: { lines: readonly Line[]; none?: string }) {
  if (lines.length === 0) return none ? <p className={classes['none']}>{none}</p> : null;
  return (
    // biome-ignore lint/a11y/noRedundantRoles: drawn without bullets it loses its role otherwise
    <ul role="list" className={classes['lines']}>
      {lines.map(({ id, text, isBad = false, parts = [], to }) => {
        const said = parts.filter((part): part is string => typeof part === 'string');
        const content = (
          <>
            {isBad && <Missed size={22} aria-hidden />}
            <span>
              {text}
              {said.length > 0 && <small>{said.join(' · ')}</small>}
            </span>
          </>
        );
        return (
          <li key={id} data-bad={isBad || undefined}>
            {to ? (
              <Link to={to} className={classes['line'] ?? ''}>
                {content}
                <Open size={20} aria-hidden />
              </Link>
            ) : (
              <div className={classes['line']}>{content}</div>
            )}
          </li>
        );
      })}
    </ul>
  );
}
