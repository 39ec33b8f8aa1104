// A search and a choice of place above a list that is longer than a screen, and how much of it they leave.
import { NativeSelect, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import Search from '~icon/Search';
import classes from './ListFilters.module.css';

/** So many fit on a screen: fewer need no search. */
export const FEW = 6;

interface Props {
  /** What is searched for, as in "Search devices". */
  label: string;
  text: string;
  onText: (text: string) => void;
  /** The names of the polyhouses, and of the whole farm, that have something in the list. */
  places: readonly string[];
  place: string;
  onPlace: (place: string) => void;
  /** How many of how many are shown. */
  count: string;
  /** Further choices. */
  children?: ReactNode;
}

export function ListFilters({ label, text, onText, places, place, onPlace, count, children }: Props) {
  const { t } = useTranslation();
  return (
    <search className={classes['filters']}>
      <TextInput
        type="search"
        className={classes['search'] ?? ''}
        aria-label={label}
        placeholder={label}
        leftSection={<Search size={20} aria-hidden />}
        value={text}
        onChange={(event) => onText(event.currentTarget.value)}
      />
      <NativeSelect
        aria-label={t('control.place')}
        value={place}
        onChange={(event) => onPlace(event.currentTarget.value)}
        data={[{ value: '', label: t('control.anywhere') }, ...places]}
      />
      {children}
      <p role="status">{count}</p>
    </search>
  );
}
