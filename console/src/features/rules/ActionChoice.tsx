// What a rule does: which device, what it is told, after how long, or not at all.
import { Button } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import CurveIcon from '~icon/ChartLine';
import Wait from '~icon/Hourglass';
import Remove from '~icon/Trash';
import { useDomain } from '../../i18n/domain';
import type { Scope } from '../../screen/condition/places';
import { SpanWheel } from '../../screen/condition/SpanWheel';
import { durationUnits } from '../../screen/condition/span';
import { typeIcons } from '../../screen/device';
import { isWithin } from '../../screen/place';
import { OptionList } from '../../ui/OptionList';
import { CurveChoice } from './CurveChoice';
import { follows, newCurve } from './curve';
import type { FarmThings } from './farm';
import { type ActionName, actionsOf, type RuleForm, scopesOf, valueRange } from './form';
import type { Device } from './queries';
import type { ChoiceProps } from './SlotChoice';
import { DELAYS, LINGERS, RUNS } from './usual';
import { View } from './View';
import { useWordName } from './wording';

/** The times of an action. */
const times = {
  delay_sec: { title: 'rules.wait', usual: DELAYS, units: durationUnits },
  for_sec: { title: 'rules.program.lasts', usual: RUNS, units: durationUnits },
  linger_sec: { title: 'rules.program.lingers', usual: LINGERS, units: ['seconds'] },
} as const;

/** The action that a word is of. */
function actionOf({ slot, form }: Pick<ChoiceProps, 'slot' | 'form'>) {
  const of = Number(slot.of);
  return { of, at: `actions.${of}`, action: form.values.actions[of] };
}

export function DeviceChoice(props: ChoiceProps) {
  const { path, form, things, onDone } = props;
  const { t } = useTranslation();
  const wordName = useWordName();
  const { of, at, action } = actionOf(props);
  const chosen = action?.device_id ?? '';
  return (
    <>
      <OptionList
        label={wordName(path)}
        groups={useDeviceGroups(chosen, scopesOf(form.values, things).rule, things)}
        chosen={chosen}
        searchLabel={t('rules.searchDevices')}
        onChoose={(id) => {
          const device = things.devices.find((each) => each.id === id);
          const can = actionsOf(device);
          const before = action?.command.action ?? '';
          const next = before !== '' && can.includes(before) ? before : (can[0] ?? '');
          form.setFieldValue(path, id);
          form.setFieldValue(`${at}.command.action`, next);
          if (next !== before) {
            form.setFieldValue(`${at}.command.value`, '');
            form.setFieldValue(`${at}.curve`, null);
          }
          onDone();
        }}
      />
      <RemoveAction of={of} form={form} onDone={onDone} />
    </>
  );
}

export function ActionChoice(props: ChoiceProps) {
  const { path, form, things, onDone } = props;
  const { t } = useTranslation();
  const words = useDomain();
  const wordName = useWordName();
  const [asked, setAsked] = useState<keyof typeof times | 'curve'>();
  const { of, at, action } = actionOf(props);
  if (!action) return null;
  const device = things.devices.find(({ id }) => id === action.device_id);
  const offered = actionsOf(device);
  const { action: chosen } = action.command;
  // What a stored rule asks for stays visible, also where the device cannot do it (any more).
  const shown = chosen === '' || offered.includes(chosen) ? offered : [...offered, chosen];
  if (asked === 'curve')
    return (
      <View>
        <CurveChoice {...props} />
      </View>
    );
  if (asked) {
    const span = `${at}.${asked}`;
    const { usual, units } = times[asked];
    return (
      <View>
        <SpanWheel
          label={wordName(span)}
          span={action[asked]}
          onSpan={(next) => form.setFieldValue(span, next)}
          onUsual={(next) => {
            form.setFieldValue(span, next);
            onDone();
          }}
          usual={usual}
          units={units}
          none={t('rules.program.none0')}
          min={0}
          problem={undefined}
          problemId=""
        />
        <Button onClick={onDone}>{t('rules.done')}</Button>
      </View>
    );
  }
  return (
    <>
      <OptionList
        label={wordName(path)}
        groups={[{ options: shown.map((value) => ({ value, label: words.action(value) })) }]}
        chosen={chosen}
        onChoose={(value) => {
          const next = value as ActionName;
          form.setFieldValue(path, next);
          // A value of another kind says nothing of this one; 100 per cent is what is meant most.
          if (next !== chosen) form.setFieldValue(`${at}.curve`, null);
          if (next !== chosen)
            form.setFieldValue(
              `${at}.command.value`,
              next === 'set_speed' || next === 'set_position' ? String(valueRange(next, device).max) : '',
            );
          onDone();
        }}
      />
      {follows(chosen) && (
        <Button
          variant="default"
          leftSection={<CurveIcon size={20} aria-hidden />}
          onClick={() => {
            if (!action.curve)
              form.setFieldValue(`${at}.curve`, newCurve(chosen, valueRange(chosen, device)));
            // What is set while the signal is not known has to be said: as if nothing were to be done.
            if (action.command.value === '')
              form.setFieldValue(`${at}.command.value`, String(valueRange(chosen, device).min));
            setAsked('curve');
          }}
        >
          {t('rules.curve.by')}
        </Button>
      )}
      {(Object.keys(times) as (keyof typeof times)[])
        // A pulse has its own seconds.
        .filter((name) => name === 'delay_sec' || chosen !== 'pulse')
        .map((name) => (
          <Button
            key={name}
            variant="default"
            leftSection={<Wait size={20} aria-hidden />}
            onClick={() => setAsked(name)}
          >
            {t(times[name].title)}
          </Button>
        ))}
      <RemoveAction of={of} form={form} onDone={onDone} />
    </>
  );
}

function RemoveAction({ of, form, onDone }: { of: number; form: RuleForm; onDone: () => void }) {
  const { t } = useTranslation();
  if (form.values.actions.length < 2) return null;
  return (
    <Button
      variant="subtle"
      color="var(--h-bad)"
      leftSection={<Remove size={20} aria-hidden />}
      onClick={() => {
        onDone();
        form.removeListItem('actions', of);
        form.getInputNode('actions')?.focus();
      }}
    >
      {t('rules.removeAction')}
    </Button>
  );
}

/** What is switched most stands first. */
const kinds = Object.keys(typeIcons) as Device['type'][];

/** The devices that can be told something: those of the rule's place, those that serve it from around, then all others. */
export function useDeviceGroups(chosen: string, place: Scope, { devices, houses }: FarmThings) {
  const { t } = useTranslation();
  const words = useDomain();
  const usable = devices
    .filter(({ id, type, gone }) => id === chosen || (type !== 'sensor' && !gone))
    .sort((a, b) => kinds.indexOf(a.type) - kinds.indexOf(b.type) || a.name.localeCompare(b.name));
  const option = ({ id, name, gone }: Device) => ({
    value: id,
    label: gone ? t('rules.editor.deviceGone', { name }) : name,
  });
  const far = (device: Device) => ({ ...option(device), note: words.placePath(device.scope, houses) });
  const here = usable.filter(({ scope }) => isWithin(scope, place, houses));
  const around = usable.filter((device) => !here.includes(device) && isWithin(place, device.scope, houses));
  const others = usable.filter((device) => !here.includes(device) && !around.includes(device));
  // A device that is no more stays visible until another is chosen.
  const lost =
    chosen !== '' && !devices.some(({ id }) => id === chosen)
      ? [{ value: chosen, label: t('rules.editor.deviceGone', { name: chosen }) }]
      : [];
  return [
    { title: t('rules.editor.devicesHere'), options: [...here.map(option), ...lost] },
    { title: t('rules.editor.devicesAround'), options: around.map(option) },
    { title: t('rules.editor.devicesElsewhere'), options: others.map(far) },
  ];
}
