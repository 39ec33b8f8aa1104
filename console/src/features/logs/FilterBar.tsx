// The filters of the log. On a phone they fold away.
import { Button, NativeSelect, TextInput, type TextInputProps } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useEffect, useId, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import FilterIcon from '~icon/Filter';
import ClearIcon from '~icon/FilterOff';
import { useFormat } from '../../i18n/format';
import {
  type FilterName,
  filterNames,
  type LogFilters,
  logResults,
  logTypes,
  MAX_TEXT,
  withFilter,
  writePlace,
} from './filters';
import classes from './Logs.module.css';
import { resultWords, typeWords } from './words';

/** How long somebody must pause in typing before the log is asked. */
export const TYPING_PAUSE_MS = 400;

interface Props {
  filters: LogFilters;
  /** `replace`: the change goes on with the one before, as typing does, and is no step of its own to go back to. */
  onChange: (filters: LogFilters, replace: boolean) => void;
}

export function FilterBar({ filters, onChange }: Props) {
  const { t } = useTranslation();
  const format = useFormat();
  const fields = useId();
  const [open, setOpen] = useState(false);
  // Clearing also drops what was typed a moment ago and not yet asked for.
  const [cleared, setCleared] = useState(0);
  const typing = useRef<FilterName>(undefined);
  const active = filterNames.filter((name) => filters[name] !== undefined).length;
  const wanted = useWanted(filters);
  const set = (name: FilterName, value: string, typed = false) => {
    const next = withFilter(wanted.now(), name, value);
    if (!wanted.ask(next)) return;
    onChange(next, typed && typing.current === name);
    typing.current = typed ? name : undefined;
  };
  const backwards = filters.start !== undefined && filters.end !== undefined && filters.end < filters.start;

  return (
    // biome-ignore lint/a11y/useSemanticElements: the browsers of older phones do not know <search>
    <form
      role="search"
      aria-label={t('logs.filters')}
      className={classes['filters']}
      onSubmit={(event) => event.preventDefault()}
    >
      <Button
        className={classes['fold'] ?? ''}
        variant="default"
        leftSection={<FilterIcon size={20} aria-hidden />}
        aria-expanded={open}
        aria-controls={fields}
        onClick={() => setOpen(!open)}
      >
        {active === 0 ? t('logs.filters') : t('logs.filtersOn', { active: format.count(active) })}
      </Button>
      <div id={fields} className={classes['fields']} data-open={open}>
        <NativeSelect
          label={t('logs.type')}
          value={filters.type ?? ''}
          onChange={(event) => set('type', event.currentTarget.value)}
          data={[
            { value: '', label: t('logs.allTypes') },
            ...logTypes.map((type) => ({ value: type, label: t(typeWords[type].label) })),
          ]}
        />
        <NativeSelect
          label={t('logs.result')}
          value={filters.result ?? ''}
          onChange={(event) => set('result', event.currentTarget.value)}
          data={[
            { value: '', label: t('logs.allResults') },
            ...logResults.map((result) => ({ value: result, label: t(resultWords[result].label) })),
          ]}
        />
        <TypedFilter
          key={`device ${cleared}`}
          type="search"
          label={t('logs.device')}
          placeholder={t('logs.deviceHint')}
          value={filters.device ?? ''}
          onText={(text) => set('device', text, true)}
        />
        <TypedFilter
          key={`user ${cleared}`}
          type="search"
          label={t('logs.user')}
          placeholder={t('logs.userHint')}
          value={filters.user ?? ''}
          onText={(text) => set('user', text, true)}
        />
        <TypedFilter
          key={`start ${cleared}`}
          type="date"
          label={t('logs.startDate')}
          max={filters.end}
          value={filters.start ?? ''}
          onText={(day) => set('start', day, true)}
        />
        <TypedFilter
          key={`end ${cleared}`}
          type="date"
          label={t('logs.endDate')}
          min={filters.start}
          error={backwards && t('logs.backwards')}
          value={filters.end ?? ''}
          onText={(day) => set('end', day, true)}
        />
        <Button
          className={classes['clear'] ?? ''}
          variant="default"
          leftSection={<ClearIcon size={20} aria-hidden />}
          onClick={() => {
            setCleared(cleared + 1);
            typing.current = undefined;
            if (wanted.ask({})) onChange({}, false);
          }}
        >
          {t('logs.clear')}
        </Button>
      </div>
    </form>
  );
}

const inUrl = (filters: LogFilters) => writePlace({ filters, page: 1 }).toString();

/** What has been asked for. The URL follows a moment later, and a second field may be asked for before it has. */
function useWanted(filters: LogFilters) {
  const latest = useRef(filters);
  const onTheWay = useRef<string[]>([]);
  useEffect(() => {
    const own = onTheWay.current.lastIndexOf(inUrl(filters));
    onTheWay.current = own === -1 ? [] : onTheWay.current.slice(own + 1);
    // Somebody else changed the URL: the browser's back button, a link.
    if (own === -1) latest.current = filters;
  }, [filters]);
  return {
    now: () => latest.current,
    /** False when that is asked for already. */
    ask: (next: LogFilters) => {
      if (inUrl(next) === inUrl(latest.current)) return false;
      latest.current = next;
      onTheWay.current.push(inUrl(next));
      return true;
    },
  };
}

interface TypedProps
  extends Pick<TextInputProps, 'type' | 'label' | 'placeholder' | 'min' | 'max' | 'error'> {
  /** What the URL says. */
  value: string;
  onText: (text: string) => void;
}

/** A text or a day that is asked for when the typing pauses, or at Enter. */
function TypedFilter({ value, onText, ...field }: TypedProps) {
  const [typed, setTyped] = useState(value);
  // Going back and forward in the history changes the URL under the field. What was asked for here arrives in the URL too,
  // on a slow phone after more was typed: that must not take the letters away again.
  const [known, setKnown] = useState(value);
  const [onTheWay, setOnTheWay] = useState<readonly string[]>([]);
  if (value !== known) {
    const own = onTheWay.lastIndexOf(value);
    setKnown(value);
    setOnTheWay(own === -1 ? [] : onTheWay.slice(own + 1));
    if (own === -1) setTyped(value);
  }
  const ask = useDebouncedCallback(
    (text: string) => {
      const next = text.trim() === '' ? '' : text;
      if (next === (onTheWay.at(-1) ?? known) || text !== typed) return;
      setOnTheWay((before) => [...before, next]);
      onText(next);
    },
    { delay: TYPING_PAUSE_MS },
  );
  return (
    <TextInput
      {...field}
      value={typed}
      maxLength={MAX_TEXT}
      autoComplete="off"
      enterKeyHint="search"
      onChange={(event) => {
        setTyped(event.currentTarget.value);
        ask(event.currentTarget.value);
      }}
      onKeyDown={(event) => {
        if (event.key === 'Enter') ask.flush();
      }}
    />
  );
}
