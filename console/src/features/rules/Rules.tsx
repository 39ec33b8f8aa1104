// The automation rules (spec 2.17): the list, or in its place the editor.
import { Button, Skeleton } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useDeferredValue, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router';
import Import from '~icon/FileSpreadsheet';
import Add from '~icon/Plus';
import type { FarmPageProps } from '../../api/farms';
import { conditionsQuery, rulesQuery } from '../../api/queries';
import { sensorTypes } from '../../i18n/domain';
import { failedPart } from '../../i18n/failure';
import { useFormat } from '../../i18n/format';
import { useRuleWords } from '../../i18n/rule-words';
import { choiceOf } from '../../screen/condition/places';
import { FEW, ListFilters } from '../../screen/ListFilters';
import { allPlaces } from '../../screen/place';
import { Banner } from '../../ui/Banner';
import { Empty } from '../../ui/Empty';
import { ExportButton } from './ExportButton';
import { type FarmThings, useFarmThings } from './farm';
import type { Begun } from './form';
import { everything, grouped, matching, ordered } from './order';
import type { Rule, Sights } from './queries';
import { RuleRow } from './RuleRow';
import classes from './Rules.module.css';
import { wordsOfRule } from './words';

const RuleEditor = lazy(() => import('./RuleEditor'));
const ImportRules = lazy(() => import('./ImportRules'));

/** `?new` and `?edit=<id>` open the editor, `?import` what reads a file, so that the browser's own "back" leads to the list. */
export default function Rules({ farmId, writes }: FarmPageProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const [search, setSearch] = useSearchParams();
  const rules = useQuery(rulesQuery(farmId));
  const { things, ready, failed } = useFarmThings(farmId);
  const [saved, setSaved] = useState<Rule>();
  const [imported, setImported] = useState(0);
  const [deleted, setDeleted] = useState(0);
  const editId = search.get('edit');
  const edited = rules.data?.find(({ id }) => id === editId);
  const wantsEditor = writes && (search.has('new') || editId !== null);
  const begun = begunBy(search, things.houses);
  const leave = () => setSearch({}, { replace: true });
  const imports = writes && ready && search.has('import');
  const inEditor = imports || (wantsEditor && ready && (search.has('new') || edited !== undefined));
  const heading = useRef<HTMLHeadingElement>(null);
  const cameFromEditor = useRef(false);

  useEffect(() => {
    // Where the button was that led to the editor there may be another page now: the list begins at its heading.
    if (!inEditor && (cameFromEditor.current || deleted > 0))
      // The rule that was saved is scrolled to.
      heading.current?.focus({ preventScroll: saved !== undefined });
    cameFromEditor.current = inEditor;
  }, [inEditor, deleted, saved]);

  const trouble = failed && <Banner {...failedPart(t, failed, t('rules.failed.farm'))} />;
  if (imports)
    return (
      <div className={classes['page']}>
        {trouble}
        <Suspense fallback={<Loading />}>
          <ImportRules
            things={things}
            onDone={(made) => {
              setSaved(undefined);
              setImported(made);
              leave();
            }}
          />
        </Suspense>
      </div>
    );
  if (inEditor)
    return (
      <div className={classes['page']}>
        {trouble}
        <Suspense fallback={<Loading />}>
          <RuleEditor
            key={edited?.id ?? ''}
            rule={edited}
            begun={begun}
            things={things}
            onDone={(rule) => {
              setSaved(rule);
              setImported(0);
              leave();
            }}
          />
        </Suspense>
      </div>
    );
  return (
    <div className={classes['page']} aria-busy={rules.isPending}>
      <div className={classes['head']}>
        <h1 ref={heading} tabIndex={-1}>
          {t('rules.title')}
        </h1>
        {writes && rules.data && (
          <div className={classes['makes']}>
            <Button
              variant="default"
              leftSection={<Import size={20} aria-hidden />}
              onClick={() => setSearch({ import: '' })}
            >
              {t('rules.transfer.import')}
            </Button>
            {rules.data.length > 0 && (
              <Button leftSection={<Add size={20} aria-hidden />} onClick={() => setSearch({ new: '' })}>
                {t('rules.create')}
              </Button>
            )}
          </div>
        )}
      </div>
      {!writes && <Banner tone="quiet" text={t('rules.readOnly')} />}
      {imported > 0 && (
        <Banner
          tone="good"
          text={t('rules.transfer.done', { count: imported, value: format.count(imported) })}
        />
      )}
      {saved && <Banner tone="good" text={t(savedText(saved), { name: saved.name })} />}
      {wantsEditor && editId !== null && rules.data && !edited && (
        <Banner tone="warn" text={t('rules.gone')} />
      )}
      {rules.isError && <Banner {...failedPart(t, rules, t('rules.failed.fetch'))} />}
      {trouble}
      {rules.isPending && <Loading />}
      {rules.data?.length === 0 && (
        <Empty
          title={t('rules.empty')}
          action={
            writes && (
              <Button leftSection={<Add size={20} aria-hidden />} onClick={() => setSearch({ new: '' })}>
                {t('rules.createFirst')}
              </Button>
            )
          }
        >
          {t('rules.emptyHint')}
        </Empty>
      )}
      {rules.data && rules.data.length > 0 && (
        <List
          rules={rules.data}
          things={things}
          writes={writes}
          saved={saved?.id}
          onEdit={(rule) => setSearch({ edit: rule.id })}
          onChange={() => {
            setSaved(undefined);
            setImported(0);
          }}
          onDeleted={() => setDeleted((times) => times + 1)}
        />
      )}
    </div>
  );
}

/** What the address says that a new rule is to be about: `scope` and `type`, as far as the farm has them. */
function begunBy(search: URLSearchParams, houses: FarmThings['houses']): Begun {
  const [scope, type] = [search.get('scope'), search.get('type')];
  return {
    scope: allPlaces(houses)
      .map(choiceOf)
      .find((each) => each === scope),
    type: sensorTypes.find((each) => each === type),
  };
}

function savedText(rule: Rule) {
  if (!rule.deployed) return 'rules.saved.draft';
  return rule.mode === 'auto' ? 'rules.saved.deployed' : 'rules.saved.disabled';
}

const NOTHING_SEEN: readonly Sights[] = [];

interface ListProps {
  rules: readonly Rule[];
  things: FarmThings;
  writes: boolean;
  /** The one that was saved last. */
  saved: string | undefined;
  onEdit: (rule: Rule) => void;
  onChange: () => void;
  onDeleted: () => void;
}

function List({ rules, saved, ...row }: ListProps) {
  const { t } = useTranslation();
  const words = useRuleWords();
  const format = useFormat();
  const { things } = row;
  const seen = useQuery(conditionsQuery(things.farmId)).data ?? NOTHING_SEEN;
  const [filter, setFilter] = useState(everything);
  const told = ordered(rules, seen).map((rule) => ({
    rule,
    place: words.placeNames(rule.scope, things.houses)[0] ?? '',
    sentence: words.ruleSentence(wordsOfRule(rule, things.devices, rules, things.setpoints), things.houses),
  }));
  // Typing goes first, also with a hundred rules on a slow phone.
  const shown = matching(told, useDeferredValue(filter));
  const [unfolded, setUnfolded] = useLocalStorage<string[]>({ key: 'rules-unfolded', defaultValue: [] });
  const unfold = (id: string, open: boolean) =>
    // Rules that are gone are forgotten.
    setUnfolded((before) => [
      ...before.filter((known) => known !== id && rules.some((rule) => rule.id === known)),
      ...(open ? [id] : []),
    ]);
  return (
    <>
      {rules.length > FEW && (
        <ListFilters
          label={t('rules.search')}
          text={filter.text}
          onText={(text) => setFilter({ ...filter, text })}
          places={[...new Set(told.map(({ place }) => place))].sort(format.compare)}
          place={filter.place}
          onPlace={(place) => setFilter({ ...filter, place })}
          count={t('rules.count', { shown: format.count(shown.length), all: format.count(rules.length) })}
        />
      )}
      {shown.length === 0 && (
        <Empty
          action={
            <Button variant="default" onClick={() => setFilter(everything)}>
              {t('rules.showAll')}
            </Button>
          }
        >
          {t('rules.nothingFound')}
        </Empty>
      )}
      {grouped(shown, seen, format.compare).map(({ place, told: here }) => (
        <section key={place} className={classes['group']} aria-label={place}>
          <div className={classes['place']}>
            <h2>{place}</h2>
            {row.writes && (
              <ExportButton
                title={place}
                rules={here.map(({ rule }) => rule)}
                things={things}
                label={t('rules.transfer.exportOf', { name: place })}
              />
            )}
          </div>
          <ul className={classes['list']}>
            {here.map(({ rule }) => (
              <li key={rule.id}>
                <RuleRow
                  rule={rule}
                  rules={rules}
                  seen={seen.find((each) => each.rule === rule.id)}
                  saved={rule.id === saved}
                  unfolded={unfolded.includes(rule.id)}
                  onUnfold={(open) => unfold(rule.id, open)}
                  {...row}
                />
              </li>
            ))}
          </ul>
        </section>
      ))}
    </>
  );
}

function Loading() {
  const { t } = useTranslation();
  return (
    <>
      <p role="status" className={classes['loading']}>
        {t('app.loading')}
      </p>
      <div className={classes['list']} aria-hidden>
        <Skeleton height={52} radius="md" />
        <Skeleton height={52} radius="md" />
        <Skeleton height={52} radius="md" />
      </div>
    </>
  );
}
