// Rules of a file, in the place of the list: what is in it, what stands for what it names, and then drafts, one by one.
import { Button, FileButton, NativeSelect } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import Done from '~icon/CircleCheck';
import Failed from '~icon/CircleX';
import Open from '~icon/FileSpreadsheet';
import { answer } from '../../api/client';
import { ApiError } from '../../api/errors';
import { keys } from '../../api/keys';
import { useDomain } from '../../i18n/domain';
import { failureText } from '../../i18n/failure';
import { useFormat } from '../../i18n/format';
import { useRuleWords } from '../../i18n/rule-words';
import { usePlaceChoices } from '../../screen/condition/PlaceField';
import { choiceOf, type PlaceChoice, type Scope } from '../../screen/condition/places';
import { Banner } from '../../ui/Banner';
import { Tick } from '../../ui/Tick';
import type { FarmThings } from './farm';
import classes from './ImportRules.module.css';
import { type Device, type Rule, saveRule } from './queries';
import { draftOf, type FiledRule, guess, inTurn, namesIn, type RuleFile, type Stands } from './transfer';
import { type FileProblem, readRuleFile } from './transfer-read';
import { useFieldName, useRuleProblemText } from './wording';
import { wordsOfRule } from './words';

interface Props {
  things: FarmThings;
  /** Leaves, with how many drafts were made. */
  onDone: (made: number) => void;
}

export default function ImportRules({ things, onDone }: Props) {
  const { t } = useTranslation();
  const [opened, setOpened] = useState<{ name: string; file?: RuleFile; problems?: FileProblem[] }>();
  const problemText = useFileProblemText();
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  return (
    <div className={classes['import']}>
      <div className={classes['head']}>
        <h1 ref={heading} tabIndex={-1}>
          {t('rules.transfer.title')}
        </h1>
        <Button variant="subtle" color="var(--h-ink)" onClick={() => onDone(0)}>
          {t('form.cancel')}
        </Button>
      </div>
      <p>{t('rules.transfer.importHint')}</p>
      <FileButton
        accept="application/json,.json"
        onChange={async (chosen) => {
          if (chosen) setOpened({ name: chosen.name, ...readRuleFile(await chosen.text()) });
        }}
      >
        {(props) => (
          <Button
            {...props}
            className={classes['choose'] ?? ''}
            variant={opened?.file ? 'default' : 'filled'}
            leftSection={<Open size={20} aria-hidden />}
          >
            {t(opened ? 'rules.transfer.chooseOther' : 'rules.transfer.choose')}
          </Button>
        )}
      </FileButton>
      {opened?.problems && (
        <div className={classes['wrong']} role="alert">
          <p>{t('rules.transfer.unreadable', { name: opened.name })}</p>
          <ul>
            {opened.problems.map((problem) => (
              <li key={JSON.stringify(problem)}>{problemText(problem)}</li>
            ))}
          </ul>
        </div>
      )}
      {opened?.file && <Contents key={opened.name} file={opened.file} things={things} onDone={onDone} />}
    </div>
  );
}

function useFileProblemText(): (problem: FileProblem) => string {
  const { t } = useTranslation();
  return (problem) =>
    'path' in problem
      ? t(`rules.transfer.problem.${problem.code}`, { path: problem.path })
      : t(`rules.transfer.problem.${problem.code}`);
}

/** What became of a rule of the file. */
type Outcome = { made: Rule } | { refused: unknown };

function Contents({ file, things, onDone }: Props & { file: RuleFile }) {
  const { t } = useTranslation();
  const format = useFormat();
  const words = useRuleWords();
  const cache = useQueryClient();
  const [taken, setTaken] = useState(() => new Set(file.rules.map(({ key }) => key)));
  const [stands, setStands] = useState<Stands>(() => guess(file, things));
  const [outcomes, setOutcomes] = useState<ReadonlyMap<string, Outcome>>(new Map());
  const [tried, setTried] = useState(false);
  const isMade = ({ key }: FiledRule) => 'made' in (outcomes.get(key) ?? {});
  const left = file.rules.filter((rule) => taken.has(rule.key) && !isMade(rule));
  const names = namesIn(left);
  const others = names.rules.filter((id) => !file.rules.some(({ key }) => key === id && taken.has(key)));
  const open =
    names.devices.some((id) => !stands.devices[id]) ||
    [...names.places.keys()].some((place) => !stands.places[place]) ||
    others.some((id) => !stands.rules[id]) ||
    names.setpoints.some((id) => !stands.setpoints[id]);

  const making = useMutation({
    mutationFn: async () => {
      const known = new Map(outcomes);
      const made = new Map(
        [...known].flatMap(([key, o]) => ('made' in o ? [[key, o.made.id] as const] : [])),
      );
      for (const rule of inTurn(left)) {
        try {
          const saved = await answer(
            saveRule(things.farmId, undefined, draftOf(rule, stands, made, things), {}),
          );
          made.set(rule.key, saved.id);
          known.set(rule.key, { made: saved });
        } catch (refused) {
          // The others are made all the same, and it is said which was not.
          known.set(rule.key, { refused });
        }
        setOutcomes(new Map(known));
      }
      return known;
    },
    onSuccess: (known) => {
      if (left.every(({ key }) => 'made' in (known.get(key) ?? {})))
        onDone([...known.values()].filter((outcome) => 'made' in outcome).length);
    },
    onSettled: () => cache.invalidateQueries({ queryKey: keys.rules(things.farmId) }),
  });

  const fileNames = Object.entries(file.devices).map(([id, { name }]) => ({
    id,
    name,
  })) as unknown as Device[];
  const ruleNames = [
    ...Object.entries(file.named).map(([id, name]) => ({ id, name })),
    ...file.rules.map(({ key, name }) => ({ id: key, name })),
  ];
  const setpointNames = Object.entries(file.setpoints).map(([id, { name }]) => ({ id, name }));
  const failed = left.filter(({ key }) => 'refused' in (outcomes.get(key) ?? {})).length;
  return (
    <>
      <ul className={classes['rules']} aria-label={t('rules.transfer.contents')}>
        {file.rules.map((rule) => (
          <li key={rule.key}>
            <Tick
              checked={taken.has(rule.key)}
              disabled={isMade(rule) || making.isPending}
              onChange={() => {
                const next = new Set(taken);
                if (!next.delete(rule.key)) next.add(rule.key);
                setTaken(next);
              }}
            >
              {rule.name}
            </Tick>
            <p>
              {words.ruleSentence(wordsOfRule(rule as unknown as Rule, fileNames, ruleNames, setpointNames))}
            </p>
            <Became outcome={outcomes.get(rule.key)} />
          </li>
        ))}
      </ul>
      {left.length > 0 &&
        (names.devices.length > 0 ||
          names.places.size > 0 ||
          others.length > 0 ||
          names.setpoints.length > 0) && (
          <section className={classes['stands']} aria-label={t('rules.transfer.stands')}>
            <h2>{t('rules.transfer.stands')}</h2>
            <p>{t('rules.transfer.standsHint')}</p>
            <div className={classes['fields']}>
              {[...names.places].map(([place, scope]) => (
                <PlaceStand
                  key={place}
                  scope={scope}
                  things={things}
                  value={stands.places[place] ?? ''}
                  wrong={tried && !stands.places[place]}
                  onChange={(choice) =>
                    setStands({ ...stands, places: { ...stands.places, [choiceOf(scope)]: choice } })
                  }
                />
              ))}
              {names.devices.map((id) => (
                <Stand
                  key={id}
                  label={file.devices[id]?.name ?? id}
                  value={stands.devices[id] ?? ''}
                  wrong={tried && !stands.devices[id]}
                  options={fitting(file.devices[id]?.type, things.devices)}
                  onChange={(device) =>
                    setStands({ ...stands, devices: { ...stands.devices, [id]: device } })
                  }
                />
              ))}
              {others.map((id) => (
                <Stand
                  key={id}
                  label={file.named[id] ?? file.rules.find(({ key }) => key === id)?.name ?? id}
                  value={stands.rules[id] ?? ''}
                  wrong={tried && !stands.rules[id]}
                  options={things.rules}
                  onChange={(rule) => setStands({ ...stands, rules: { ...stands.rules, [id]: rule } })}
                />
              ))}
              {names.setpoints.map((id) => (
                <Stand
                  key={id}
                  label={file.setpoints[id]?.name ?? id}
                  value={stands.setpoints[id] ?? ''}
                  wrong={tried && !stands.setpoints[id]}
                  options={things.setpoints.filter(
                    ({ sensor_type: type }) => type === (file.setpoints[id]?.sensor_type ?? type),
                  )}
                  onChange={(setpoint) =>
                    setStands({ ...stands, setpoints: { ...stands.setpoints, [id]: setpoint } })
                  }
                />
              ))}
            </div>
          </section>
        )}
      {tried && open && <Banner tone="bad" text={t('rules.transfer.open')} />}
      {failed > 0 && !making.isPending && (
        <Banner
          tone="bad"
          text={t('rules.transfer.partly', {
            made: format.count(file.rules.filter(isMade).length),
            all: format.count(taken.size),
          })}
        />
      )}
      <div className={classes['saving']}>
        <p>{t('rules.transfer.draftsHint')}</p>
        <Button
          loading={making.isPending}
          disabled={left.length === 0}
          onClick={() => {
            setTried(true);
            if (!open) making.mutate();
          }}
        >
          {t('rules.transfer.make', { count: left.length, value: format.count(left.length) })}
        </Button>
      </div>
    </>
  );
}

/** Devices of the same kind; all where the file does not say which it was. */
function fitting(type: Device['type'] | undefined, devices: readonly Device[]) {
  return devices.filter((device) => !device.gone && (type ? device.type === type : device.type !== 'sensor'));
}

interface StandProps {
  label: string;
  value: string;
  wrong: boolean;
  options: readonly { id: string; name: string }[];
  onChange: (id: string) => void;
}

function Stand({ label, value, wrong, options, onChange }: StandProps) {
  const { t } = useTranslation();
  return (
    <NativeSelect
      label={t('rules.transfer.standFor', { name: label })}
      value={value}
      error={wrong && t('condition.problem.required')}
      data={[
        { value: '', label: t('rules.transfer.pick') },
        ...options.map(({ id, name }) => ({ value: id, label: name })),
      ]}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

interface PlaceProps {
  scope: Scope;
  things: FarmThings;
  value: PlaceChoice;
  wrong: boolean;
  onChange: (choice: PlaceChoice) => void;
}

function PlaceStand({ scope, things, value, wrong, onChange }: PlaceProps) {
  const words = useDomain();
  const choices = usePlaceChoices(value, things.houses);
  return (
    <Stand
      label={scope.path ?? words.placePath(scope)}
      value={value}
      wrong={wrong}
      options={choices.map((choice) => ({ id: choice.value, name: choice.label }))}
      onChange={(choice) => onChange(choice as PlaceChoice)}
    />
  );
}

/** Whether a rule was made, and if not, why. */
function Became({ outcome }: { outcome: Outcome | undefined }) {
  const { t } = useTranslation();
  const problemText = useRuleProblemText();
  const fieldName = useFieldName();
  if (!outcome) return null;
  if ('made' in outcome)
    return (
      <p className={classes['made']}>
        <Done size={20} aria-hidden />
        {t('rules.transfer.made')}
      </p>
    );
  const { refused } = outcome;
  const problems = refused instanceof ApiError ? refused.problems : [];
  const told =
    problems.length > 0
      ? problems
          .map((problem) =>
            t('rules.problem.item', { field: fieldName(problem.path), problem: problemText(problem) }),
          )
          .join(' ')
      : failureText(t, refused instanceof Error ? refused : null, '');
  return (
    <p className={classes['refused']}>
      <Failed size={20} aria-hidden />
      {t('rules.transfer.refused', { why: told })}
    </p>
  );
}
