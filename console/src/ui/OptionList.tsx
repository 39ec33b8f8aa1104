// The answers to a question, one under another: a tap chooses, the arrow keys walk.
import { TextInput } from '@mantine/core';
import { type KeyboardEvent, useState } from 'react';
import Chosen from '~icon/Check';
import Search from '~icon/Search';
import classes from './OptionList.module.css';

export interface Option {
  value: string;
  label: string;
  /** What there is to know of it. */
  note?: string | undefined;
}

interface Props {
  label: string;
  groups: readonly { title?: string; options: readonly Option[] }[];
  chosen: string;
  onChoose: (value: string) => void;
  /** What a search is called where there are many. */
  searchLabel?: string;
}

/** More than these are searched. */
const MANY = 12;
const keys: Record<string, (at: number, last: number) => number> = {
  ArrowDown: (at, last) => Math.min(at + 1, last),
  ArrowUp: (at) => Math.max(at - 1, 0),
  Home: () => 0,
  End: (_, last) => last,
};

export function OptionList({ label, groups, chosen, onChoose, searchLabel }: Props) {
  const [sought, setSought] = useState('');
  const words = sought.toLocaleLowerCase().split(/\s+/).filter(Boolean);
  const found = groups
    .map(({ title, options }) => ({
      title,
      options: options.filter((option) =>
        words.every((word) => `${option.label} ${option.note ?? ''}`.toLocaleLowerCase().includes(word)),
      ),
    }))
    .filter(({ options }) => options.length > 0);
  const many = groups.reduce((count, { options }) => count + options.length, 0) > MANY;
  const walk = (event: KeyboardEvent<HTMLElement>) => {
    const buttons = [...event.currentTarget.querySelectorAll<HTMLElement>('button')];
    const next = keys[event.key]?.(buttons.indexOf(event.target as HTMLElement), buttons.length - 1);
    if (next === undefined) return;
    event.preventDefault();
    buttons[next]?.focus();
  };
  return (
    <>
      {many && searchLabel && (
        <TextInput
          type="search"
          aria-label={searchLabel}
          placeholder={searchLabel}
          leftSection={<Search size={20} aria-hidden />}
          value={sought}
          onChange={(event) => setSought(event.currentTarget.value)}
        />
      )}
      {/* biome-ignore lint/a11y/useSemanticElements: buttons that belong together, not fields */}
      <div className={classes['groups']} role="group" aria-label={label} onKeyDown={walk}>
        {found.map(({ title, options }) => (
          <div key={title ?? ''} className={classes['group']}>
            {title && <h3>{title}</h3>}
            {options.map(({ value, label: text, note }) => (
              <button
                key={value}
                type="button"
                aria-pressed={value === chosen}
                data-autofocus={value === chosen || undefined}
                onClick={() => onChoose(value)}
              >
                <span>
                  {text}
                  {note && <small>{note}</small>}
                </span>
                {value === chosen && <Chosen size={20} aria-hidden />}
              </button>
            ))}
          </div>
        ))}
      </div>
    </>
  );
}
