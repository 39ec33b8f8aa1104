// What may be added to a rule's sentence: a condition, a time, an action, an end.
import { Button } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import Add from '~icon/Plus';
import { spanOf } from '../../screen/condition/span';
import { Choice } from '../../ui/Choice';
import { type Option, OptionList } from '../../ui/OptionList';
import { DEFAULT_HOLD_SEC, MAX_ACTIONS, newAction, type RuleFields, type RuleForm, stopLike } from './form';
import {
  clockAt,
  type GroupFields,
  isBlank,
  type LeafKind,
  leafKinds,
  MAX_LEAVES,
  newLeaf,
  withLeaves,
} from './leaves';
import classes from './RuleEditor.module.css';
import { MAX_MOMENTS } from './schedule';
import { type GroupName, groupAt, groupPaths } from './slots';
import { View } from './View';
import { putAt } from './wording';

/** Where a further condition goes. */
type Where = { of: GroupName; joined: GroupFields['joined'] };

/** A run that is given an end lasts so long at first. */
const USUAL_RUN_SEC = 600;

export function Adds({ form, noActions }: { form: RuleForm; noActions: boolean }) {
  const { t } = useTranslation();
  const fields = form.values;
  const [opened, setOpened] = useState(false);
  const [where, setWhere] = useState<Where>();
  const offers = useOffers(fields);
  const close = () => {
    setOpened(false);
    setWhere(undefined);
  };
  return (
    <div className={classes['adds']}>
      <Button
        data-path="actions"
        data-wrong={noActions ? '' : undefined}
        variant="default"
        leftSection={<Add size={18} aria-hidden />}
        disabled={fields.actions.length >= MAX_ACTIONS}
        onClick={() => form.insertListItem('actions', newAction(fields.actions))}
      >
        {t('rules.editor.addAction')}
      </Button>
      <Choice
        opened={opened}
        onClose={close}
        title={t(where ? 'rules.program.looksAt' : 'rules.program.addCondition')}
        closeLabel={t('form.close')}
        target={
          <Button
            variant="default"
            leftSection={<Add size={18} aria-hidden />}
            aria-haspopup="dialog"
            onClick={() => (opened ? close() : setOpened(true))}
          >
            {t('rules.program.addCondition')}
          </Button>
        }
      >
        {where ? (
          <View>
            <OptionList
              label={t('rules.program.looksAt')}
              groups={[
                {
                  options: leafKinds.map((kind) => ({ value: kind, label: t(`rules.program.kind.${kind}`) })),
                },
              ]}
              chosen=""
              onChoose={(kind) => {
                addLeaf(form, where, kind as LeafKind);
                close();
              }}
            />
          </View>
        ) : (
          <OptionList
            label={t('rules.program.addCondition')}
            groups={[{ options: offers }]}
            chosen=""
            onChoose={(value) => {
              const [of = '', joined] = value.split(' ');
              if (joined) return setWhere({ of: of as GroupName, joined: joined as Where['joined'] });
              addTime(form, of);
              close();
            }}
          />
        )}
      </Choice>
      {!fields.stops && (
        <Button
          variant="default"
          leftSection={<Add size={18} aria-hidden />}
          onClick={() => {
            form.setFieldValue('stops', true);
            if (fields.stop_condition.of.every(isBlank))
              form.setFieldValue('stop_condition', stopLike(fields.trigger));
          }}
        >
          {t('rules.addStop')}
        </Button>
      )}
    </div>
  );
}

/** What fits the rule as it is. */
function useOffers(fields: RuleFields): Option[] {
  const { t } = useTranslation();
  const { starts, schedule, stops, run_sec } = fields;
  const group = (of: GroupName): Option[] => {
    const { joined, of: leaves } = groupAt(of, fields);
    if (leaves.length >= MAX_LEAVES) return [];
    return (['all', 'any'] as const)
      .filter((way) => leaves.length === 1 || way === joined)
      .map((way) => ({ value: `${of} ${way}`, label: t(`rules.program.further.${of}.${way}`) }));
  };
  const byClock: Option[] = [
    ...(schedule.guarded
      ? group('guard')
      : [{ value: 'guard all', label: t('rules.program.further.guard.first') }]),
    ...(starts === 'at' && schedule.at.length < MAX_MOMENTS
      ? [{ value: 'moment', label: t('rules.program.addMoment') }]
      : []),
    ...(schedule.dated ? [] : [{ value: 'dates', label: t('rules.program.addDates') }]),
  ];
  return [
    ...(starts === 'condition' ? group('trigger') : byClock),
    ...(stops ? group('stop') : []),
    ...(starts === 'condition' && run_sec.amount === '0'
      ? [{ value: 'run', label: t('rules.program.addRun') }]
      : []),
  ];
}

function addLeaf(form: RuleForm, { of, joined }: Where, kind: LeafKind) {
  const { schedule } = form.values;
  const leaf = newLeaf({ kind });
  if (of === 'guard' && !schedule.guarded) {
    const guard = { joined, of: [leaf], duration_sec: spanOf(0) };
    return putAt(form, 'schedule', { ...schedule, guarded: true, guard });
  }
  const group = groupAt(of, form.values);
  const more = withLeaves(group, [...group.of, leaf], DEFAULT_HOLD_SEC);
  return putAt(form, groupPaths[of], { ...more, joined });
}

/** What is no condition: another time of day, a part of the year, an end of the run. */
function addTime(form: RuleForm, what: string) {
  const { schedule } = form.values;
  if (what === 'moment') putAt(form, 'schedule.at', [...schedule.at, clockAt('18:00')]);
  else if (what === 'dates') putAt(form, 'schedule', { ...schedule, dated: true });
  else form.setFieldValue('run_sec', spanOf(USUAL_RUN_SEC));
}
