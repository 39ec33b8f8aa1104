// What may be chosen of one condition of a rule: its word, and behind a button what is the same for all conditions.
import { Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import Back from '~icon/ArrowLeft';
import More from '~icon/Settings';
import Remove from '~icon/Trash';
import { operators, type SensorTypeName, sensorTypes, useDomain } from '../../i18n/domain';
import { usePlaceChoices } from '../../screen/condition/PlaceField';
import { choiceOf, type PlaceChoice } from '../../screen/condition/places';
import { secondsIn, spanOf } from '../../screen/condition/span';
import { isWithin } from '../../screen/place';
import { Chips } from '../../ui/Chips';
import { OptionList } from '../../ui/OptionList';
import { useDeviceGroups } from './ActionChoice';
import { DateChoice, DaysChoice, MomentChoice } from './ClockChoice';
import { DEFAULT_HOLD_SEC, placeOf, scopesOf, withSensor } from './form';
import { AT_ONCE_SEC, type LeafFields, type LeafKind, leafKinds, withLeaves } from './leaves';
import { setpointOperators } from './problems';
import type { ChoiceProps } from './SlotChoice';
import classes from './SlotChoice.module.css';
import { groupPaths, leafOf } from './slots';
import { BRANCH_HOLDS } from './usual';
import { View } from './View';
import { putAt, useWordName } from './wording';

type Props = ChoiceProps & { children: ReactNode };

/** `children` are what is offered for words that are not the condition's own. */
export function LeafChoice(props: Props) {
  const { t } = useTranslation();
  const [tools, setTools] = useState(false);
  if (tools) return <LeafTools {...props} onBack={() => setTools(false)} />;
  return (
    <>
      <LeafWord {...props} />
      {props.children}
      <Button variant="default" leftSection={<More size={20} aria-hidden />} onClick={() => setTools(true)}>
        {t('rules.program.ofCondition')}
      </Button>
    </>
  );
}

function LeafWord(props: Props) {
  const { slot, path, form, onDone } = props;
  const { t } = useTranslation();
  const wordName = useWordName();
  const found = leafOf(slot, form.values);
  if (!found) return null;
  const { leaf, at } = found;
  switch (slot.name) {
    case 'sensor':
      return <SensorChoice {...props} />;
    case 'place':
      return <PlaceChoiceList {...props} />;
    case 'compared':
      return <ComparisonChoice {...props} />;
    case 'from':
    case 'to':
      return leaf.kind === 'dates' ? (
        <DateChoice form={form} path={`${at}.dates`} onDone={onDone} />
      ) : (
        <MomentChoice form={form} path={path} onDone={onDone} />
      );
    case 'days':
      return <DaysChoice form={form} path={path} all={leaf.kind === 'time'} onDone={onDone} />;
    case 'rule':
      return <RuleChoice {...props} />;
    case 'device':
      return <LeafDeviceChoice {...props} />;
    case 'is':
      return (
        <OptionList
          label={wordName(path)}
          groups={[
            {
              options: (['on', 'off'] as const).map((value) => ({
                value,
                label: t(value === 'on' ? 'domain.action.on' : 'domain.action.off'),
              })),
            },
          ]}
          chosen={leaf.is}
          onChoose={(value) => {
            form.setFieldValue(path, value);
            onDone();
          }}
        />
      );
    default:
      return null;
  }
}

/** Where the condition of a word looks. */
function placeAt({ slot, form, things }: ChoiceProps) {
  const found = leafOf(slot, form.values);
  return placeOf(found?.of ?? 'trigger', found?.leaf, form.values, things);
}

function SensorChoice(props: ChoiceProps) {
  const { slot, path, form, things, sensors, onDone } = props;
  const { t } = useTranslation();
  const words = useDomain();
  const wordName = useWordName();
  const found = leafOf(slot, form.values);
  const place = placeAt(props);
  // What is measured there stands first.
  const measured = (type: SensorTypeName) =>
    sensors?.some(
      (sensor) => sensor.type === type && !sensor.gone && isWithin(sensor.scope, place, things.houses),
    );
  const options = sensorTypes.map((type) => ({ value: type, label: words.quantity(type) }));
  if (!found) return null;
  return (
    <OptionList
      label={wordName(path)}
      groups={
        sensors
          ? [
              { options: options.filter(({ value }) => measured(value)) },
              { title: t('rules.notMeasured'), options: options.filter(({ value }) => !measured(value)) },
            ]
          : [{ options }]
      }
      chosen={found.leaf.sensor_type}
      onChoose={(type) => {
        const { sensor_type } = found.leaf;
        for (const [at, value] of withSensor(form.values, found.at, sensor_type, type as SensorTypeName))
          form.setFieldValue(at, value);
        form.clearFieldError(path);
        onDone();
      }}
    />
  );
}

function PlaceChoiceList(props: ChoiceProps) {
  const { path, form, things, onDone } = props;
  const wordName = useWordName();
  const chosen = choiceOf(placeAt(props));
  const options = usePlaceChoices(chosen, things.houses);
  return (
    <OptionList
      label={wordName(path)}
      groups={[{ options }]}
      chosen={chosen}
      searchLabel={wordName(path)}
      onChoose={(choice) => {
        form.setFieldValue(path, choice as PlaceChoice);
        // Which sensors there are depends on the place.
        form.setErrors((errors) =>
          Object.fromEntries(Object.entries(errors).filter(([at]) => !at.endsWith('.sensor_type'))),
        );
        onDone();
      }}
    />
  );
}

function ComparisonChoice({ slot, path, form, onDone }: ChoiceProps) {
  const { t } = useTranslation();
  const words = useDomain();
  const wordName = useWordName();
  const found = leafOf(slot, form.values);
  // A stop condition that is one comparison knows no "between".
  const narrow = slot.of === 'stop' && found?.group.of.length === 1 && !found.leaf.not;
  return (
    <OptionList
      label={wordName(path)}
      groups={[
        {
          options: operators
            .filter((value) => !narrow || value !== 'between')
            .filter((value) => !found?.leaf.setpoint || setpointOperators.includes(value))
            .map((value) => ({
              value,
              label: t('rules.editor.option', {
                words: words.operator(value),
                sign: words.operatorSign(value),
              }),
            })),
        },
      ]}
      chosen={found?.leaf.operator ?? ''}
      onChoose={(value) => {
        form.setFieldValue(path, value as LeafFields['operator']);
        onDone();
      }}
    />
  );
}

function RuleChoice({ slot, path, form, things, onDone }: ChoiceProps) {
  const { t } = useTranslation();
  const wordName = useWordName();
  if (things.rules.length === 0) return <p>{t('rules.program.noRules')}</p>;
  return (
    <OptionList
      label={wordName(path)}
      groups={[{ options: things.rules.map(({ id, name }) => ({ value: id, label: name })) }]}
      chosen={leafOf(slot, form.values)?.leaf.rule ?? ''}
      searchLabel={t('rules.search')}
      onChoose={(id) => {
        form.setFieldValue(path, id);
        onDone();
      }}
    />
  );
}

function LeafDeviceChoice({ slot, path, form, things, onDone }: ChoiceProps) {
  const { t } = useTranslation();
  const wordName = useWordName();
  const chosen = leafOf(slot, form.values)?.leaf.device ?? '';
  return (
    <OptionList
      label={wordName(path)}
      groups={useDeviceGroups(chosen, scopesOf(form.values, things).rule, things)}
      chosen={chosen}
      searchLabel={t('rules.searchDevices')}
      onChoose={(id) => {
        form.setFieldValue(path, id);
        onDone();
      }}
    />
  );
}

/** What is asked of every condition: what it looks at, whether the opposite counts, its own time, and whether it is wanted. */
function LeafTools({ slot, form, onBack, onDone }: Props & { onBack: () => void }) {
  const { t } = useTranslation();
  const words = useDomain();
  const found = leafOf(slot, form.values);
  if (!found) return null;
  const { of, at, nth, group, leaf } = found;
  const many = group.of.length > 1;
  const put = (leaves: readonly LeafFields[], joined = group.joined) =>
    putAt(form, groupPaths[of], { ...withLeaves(group, leaves, DEFAULT_HOLD_SEC), joined });
  const told = (seconds: number) => (seconds === 0 ? t('rules.program.none0') : words.duration(seconds));
  return (
    <View>
      <OptionList
        label={t('rules.program.looksAt')}
        groups={[
          {
            title: t('rules.program.looksAt'),
            options: leafKinds.map((kind) => ({ value: kind, label: t(`rules.program.kind.${kind}`) })),
          },
        ]}
        chosen={leaf.kind}
        onChoose={(kind) => {
          put(group.of.map((each, i) => (i === nth ? { ...each, kind: kind as LeafKind } : each)));
          onDone();
        }}
      />
      <div className={classes['tool']}>
        <p>{t('rules.program.counts')}</p>
        <Chips
          label={t('rules.program.counts')}
          values={['yes', 'not']}
          told={(value) => t(value === 'not' ? 'rules.program.opposite' : 'rules.program.asIs')}
          chosen={leaf.not ? 'not' : 'yes'}
          onChoose={(value) => putAt(form, `${at}.not`, value === 'not')}
        />
      </div>
      {(many || of === 'guard') && (
        <div className={classes['tool']}>
          <p>{t('rules.program.ownHold')}</p>
          <Chips
            label={t('rules.program.ownHold')}
            values={BRANCH_HOLDS}
            told={told}
            chosen={secondsIn(leaf.hold_sec) as 0}
            onChoose={(seconds) => form.setFieldValue(`${at}.hold_sec`, spanOf(seconds))}
          />
        </div>
      )}
      {many && (
        <div className={classes['tool']}>
          <p>{t('rules.program.joined')}</p>
          <Chips
            label={t('rules.program.joined')}
            values={['all', 'any'] as const}
            told={(joined) => t(`rules.program.${joined}`)}
            chosen={group.joined}
            onChoose={(joined) => put(group.of, joined)}
          />
        </div>
      )}
      {many && (
        <div className={classes['tool']}>
          <p>{t('rules.program.wholeHold')}</p>
          <Chips
            label={t('rules.program.wholeHold')}
            values={of === 'guard' ? BRANCH_HOLDS : [AT_ONCE_SEC, ...BRANCH_HOLDS.slice(1)]}
            told={(seconds) => (seconds === AT_ONCE_SEC ? t('rules.program.none0') : told(seconds))}
            chosen={secondsIn(group.duration_sec)}
            onChoose={(seconds) => form.setFieldValue(`${groupPaths[of]}.duration_sec`, spanOf(seconds))}
          />
        </div>
      )}
      {(many || of === 'guard') && (
        <Button
          variant="subtle"
          color="var(--h-bad)"
          leftSection={<Remove size={20} aria-hidden />}
          onClick={() => {
            onDone();
            if (many) put(group.of.filter((_, i) => i !== nth));
            else putAt(form, 'schedule', { ...form.values.schedule, guarded: false });
            form.getInputNode('actions')?.focus();
          }}
        >
          {t('rules.program.removeCondition')}
        </Button>
      )}
      <Button variant="default" leftSection={<Back size={20} aria-hidden />} onClick={onBack}>
        {t('rules.program.backToWord')}
      </Button>
      <Button onClick={onDone}>{t('rules.done')}</Button>
    </View>
  );
}
