// What a rule does: devices that can be told something, and what each can be told.
import { ActionIcon, Button, NativeSelect, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import Add from '~icon/Plus';
import Remove from '~icon/Trash';
import { useDomain } from '../../i18n/domain';
import { useFormat } from '../../i18n/format';
import { HINT_BELOW } from '../../screen/condition/fields';
import type { Scope } from '../../screen/condition/places';
import { SpanField } from '../../screen/condition/SpanField';
import type { FarmThings } from './farm';
import {
  type ActionFields,
  actionsOf,
  hasValue,
  MAX_ACTIONS,
  newAction,
  type RuleFields,
  valueRange,
} from './form';
import { liesIn } from './places';
import type { Device } from './queries';
import classes from './RuleEditor.module.css';

interface Props {
  form: UseFormReturnType<RuleFields>;
  /** Where the rule is: its devices come first. */
  place: Scope;
  things: FarmThings;
}

export function ActionList({ form, place, things }: Props) {
  const { t } = useTranslation();
  const format = useFormat();
  const id = useId();
  const { actions } = form.values;
  const missing = form.errors['actions'];
  return (
    <div className={classes['actions']}>
      {actions.map((action, index) => {
        const number = format.count(index + 1);
        const title = `${id}-${action.key}`;
        return (
          // biome-ignore lint/a11y/useSemanticElements: a legend cannot stand in a row with a button
          <div key={action.key} role="group" aria-labelledby={title} className={classes['action']}>
            <div className={classes['actionHead']}>
              <h3 id={title}>{t('rules.editor.action', { number })}</h3>
              <ActionIcon
                variant="subtle"
                color="var(--h-bad)"
                size="3rem"
                aria-label={t('rules.editor.removeAction', { number })}
                title={t('rules.editor.removeAction', { number })}
                onClick={() => {
                  form.removeListItem('actions', index);
                  form.getInputNode('actions')?.focus();
                }}
              >
                <Remove size={22} aria-hidden />
              </ActionIcon>
            </div>
            <Row form={form} at={`actions.${index}`} action={action} place={place} things={things} />
          </div>
        );
      })}
      {missing && <p className={classes['problem']}>{missing}</p>}
      <Button
        data-path="actions"
        data-wrong={missing ? '' : undefined}
        variant="default"
        leftSection={<Add size={20} aria-hidden />}
        disabled={actions.length >= MAX_ACTIONS}
        onClick={() => form.insertListItem('actions', newAction(actions))}
      >
        {t('rules.editor.addAction')}
      </Button>
    </div>
  );
}

interface RowProps extends Props {
  at: string;
  action: ActionFields;
}

function Row({ form, at, action: { device_id, command }, place, things }: RowProps) {
  const { t } = useTranslation();
  const words = useDomain();
  const format = useFormat();
  const { action } = command;
  const device = things.devices.find(({ id }) => id === device_id);
  const offered = device ? actionsOf(device) : [];
  // What a stored rule asks for stays visible, also where the device cannot do it (any more).
  const shown = action === '' || offered.includes(action) ? offered : [...offered, action];
  const range = action !== '' && hasValue(action) ? valueRange(action, device) : undefined;
  const unit = action === '' ? '' : words.actionUnit(action);
  const value = form.getInputProps(`${at}.command.value`);
  return (
    <div className={classes['fields']}>
      <NativeSelect
        {...form.getInputProps(`${at}.device_id`)}
        label={t('rules.editor.device')}
        required
        data={[
          { value: '', label: t('rules.editor.chooseDevice') },
          ...useDeviceChoices(device_id, place, things),
        ]}
        onChange={(event) => {
          const chosen = event.currentTarget.value;
          const can = actionsOf(things.devices.find(({ id }) => id === chosen));
          const kept = action !== '' && can.includes(action) ? action : can[0];
          form.setFieldValue(`${at}.device_id`, chosen);
          form.setFieldValue(`${at}.command.action`, chosen === '' ? '' : (kept ?? ''));
        }}
      />
      <NativeSelect
        {...form.getInputProps(`${at}.command.action`)}
        label={t('rules.editor.what')}
        required
        disabled={!device && action === ''}
        data={[
          ...(action === '' ? [{ value: '', label: t('rules.editor.chooseAction') }] : []),
          ...shown.map((each) => ({ value: each, label: words.action(each) })),
        ]}
      />
      <TextInput
        {...value}
        label={unit ? t('rules.editor.valueIn', { unit }) : t('rules.editor.value')}
        description={
          range
            ? t('condition.range', { from: format.reading(range.min), to: format.reading(range.max) })
            : t('condition.noValue')
        }
        type="number"
        inputMode="decimal"
        inputWrapperOrder={HINT_BELOW}
        required={range !== undefined}
        disabled={!range}
        min={range?.min}
        max={range?.max}
        step={action === 'set_flow_rate' ? 0.1 : 1}
        value={range ? value.value : ''}
      />
      <SpanField form={form} path={`${at}.delay_sec`} label={t('rules.editor.delay')} />
    </div>
  );
}

/** What is switched most stands first. */
const kinds: readonly Device['type'][] = ['fan', 'vent', 'pump', 'valve', 'dosing_pump', 'sensor'];

/** The devices that can be told something: those of the rule's place, those that serve it from around, then all others. */
function useDeviceChoices(chosen: string, place: Scope, { devices, houses }: FarmThings) {
  const { t } = useTranslation();
  const words = useDomain();
  const usable = devices
    .filter(({ id, type, gone }) => id === chosen || (type !== 'sensor' && !gone))
    .sort((a, b) => kinds.indexOf(a.type) - kinds.indexOf(b.type) || a.name.localeCompare(b.name));
  const option = ({ id, name, gone }: Device) => ({
    value: id,
    label: gone ? t('rules.editor.deviceGone', { name }) : name,
  });
  const far = (device: Device) => ({
    value: device.id,
    label: t('rules.editor.deviceOption', {
      name: option(device).label,
      place: words.placePath(device.scope, houses),
    }),
  });
  const here = usable.filter(({ scope }) => liesIn(scope, place, houses));
  const around = usable.filter((device) => !here.includes(device) && liesIn(place, device.scope, houses));
  const others = usable.filter((device) => !here.includes(device) && !around.includes(device));
  const groups = [
    { group: t('rules.editor.devicesHere'), items: here.map(option) },
    { group: t('rules.editor.devicesAround'), items: around.map(option) },
    { group: t('rules.editor.devicesElsewhere'), items: others.map(far) },
  ].filter(({ items }) => items.length > 0);
  // A device that is no more stays visible until another is chosen.
  const lost =
    chosen !== '' && !devices.some(({ id }) => id === chosen)
      ? [{ value: chosen, label: t('rules.editor.deviceGone', { name: chosen }) }]
      : [];
  return [...groups, ...lost];
}
