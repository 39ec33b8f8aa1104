// What a rule does: devices that can be told something, and what each can be told.
import { ActionIcon, Button, NativeSelect, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import Add from '~icon/Plus';
import Remove from '~icon/Trash';
import { useDomain } from '../../i18n/domain';
import { useFormat } from '../../i18n/format';
import { DurationField } from './DurationField';
import type { FarmThings } from './farm';
import {
  type ActionFields,
  type ActionName,
  actionsOf,
  hasValue,
  MAX_ACTIONS,
  newAction,
  valueRange,
} from './form';
import { liesIn, type Scope } from './places';
import { fieldId, HINT_BELOW } from './problems';
import type { Device } from './queries';
import classes from './RuleEditor.module.css';

interface Props {
  actions: readonly ActionFields[];
  /** Where the rule is: its devices come first. */
  place: Scope;
  things: FarmThings;
  problemAt: (path: string) => string | undefined;
  onChange: (actions: readonly ActionFields[]) => void;
}

export function ActionList({ actions, place, things, problemAt, onChange }: Props) {
  const { t } = useTranslation();
  const format = useFormat();
  const missing = problemAt('actions');
  const change = (key: number, made: Partial<ActionFields>) =>
    onChange(actions.map((action) => (action.key === key ? { ...action, ...made } : action)));
  return (
    <div className={classes['actions']}>
      {actions.map((action, index) => {
        const number = format.count(index + 1);
        return (
          // biome-ignore lint/a11y/useSemanticElements: a legend cannot stand in a row with a button
          <div
            key={action.key}
            role="group"
            aria-labelledby={`${fieldId(`actions[${index}]`)}-title`}
            className={classes['action']}
          >
            <div className={classes['actionHead']}>
              <h3 id={`${fieldId(`actions[${index}]`)}-title`}>{t('rules.editor.action', { number })}</h3>
              <ActionIcon
                variant="subtle"
                color="var(--h-bad)"
                size="3rem"
                aria-label={t('rules.editor.removeAction', { number })}
                title={t('rules.editor.removeAction', { number })}
                onClick={() => {
                  onChange(actions.filter(({ key }) => key !== action.key));
                  document.getElementById(fieldId('actions'))?.focus();
                }}
              >
                <Remove size={22} aria-hidden />
              </ActionIcon>
            </div>
            <Row
              at={`actions[${index}]`}
              action={action}
              place={place}
              things={things}
              problemAt={problemAt}
              onChange={(made) => change(action.key, made)}
            />
          </div>
        );
      })}
      {missing && <p className={classes['problem']}>{missing}</p>}
      <Button
        id={fieldId('actions')}
        variant="default"
        leftSection={<Add size={20} aria-hidden />}
        disabled={actions.length >= MAX_ACTIONS}
        onClick={() => onChange([...actions, newAction()])}
      >
        {t('rules.editor.addAction')}
      </Button>
    </div>
  );
}

interface RowProps {
  at: string;
  action: ActionFields;
  place: Scope;
  things: FarmThings;
  problemAt: (path: string) => string | undefined;
  onChange: (made: Partial<ActionFields>) => void;
}

function Row({ at, action, place, things, problemAt, onChange }: RowProps) {
  const { t } = useTranslation();
  const words = useDomain();
  const format = useFormat();
  const device = things.devices.find(({ id }) => id === action.deviceId);
  const offered = device ? actionsOf(device) : [];
  // What a stored rule asks for stays visible, also where the device cannot do it (any more).
  const shown =
    action.action === '' || offered.includes(action.action) ? offered : [...offered, action.action];
  const valued = action.action !== '' && hasValue(action.action);
  const range = action.action === '' ? undefined : valueRange(action.action, device);
  const unit = action.action === '' ? '' : words.actionUnit(action.action);
  return (
    <div className={classes['fields']}>
      <NativeSelect
        id={fieldId(`${at}.device_id`)}
        label={t('rules.editor.device')}
        required
        value={action.deviceId}
        error={problemAt(`${at}.device_id`)}
        data={[
          { value: '', label: t('rules.editor.chooseDevice') },
          ...useDeviceChoices(action.deviceId, place, things),
        ]}
        onChange={(event) => {
          const deviceId = event.currentTarget.value;
          const can = actionsOf(things.devices.find(({ id }) => id === deviceId));
          const kept = action.action !== '' && can.includes(action.action) ? action.action : can[0];
          onChange({ deviceId, action: deviceId === '' ? '' : (kept ?? '') });
        }}
      />
      <NativeSelect
        id={fieldId(`${at}.command.action`)}
        label={t('rules.editor.what')}
        required
        disabled={!device && action.action === ''}
        value={action.action}
        error={problemAt(`${at}.command.action`)}
        data={[
          ...(action.action === '' ? [{ value: '', label: t('rules.editor.chooseAction') }] : []),
          ...shown.map((value) => ({ value, label: words.action(value) })),
        ]}
        onChange={(event) => onChange({ action: event.currentTarget.value as ActionName })}
      />
      <TextInput
        id={fieldId(`${at}.command.value`)}
        label={unit ? t('rules.editor.valueIn', { unit }) : t('rules.editor.value')}
        description={
          valued && range
            ? t('rules.editor.range', {
                from: format.reading(range.min),
                to: format.reading(range.max),
              })
            : t('rules.editor.noValue')
        }
        type="number"
        inputMode="decimal"
        inputWrapperOrder={HINT_BELOW}
        required={valued}
        disabled={!valued}
        min={range?.min}
        max={range?.max}
        step={action.action === 'set_flow_rate' ? 0.1 : 1}
        value={valued ? action.value : ''}
        error={problemAt(`${at}.command.value`)}
        onChange={(event) => onChange({ value: event.currentTarget.value })}
      />
      <DurationField
        label={t('rules.editor.delay')}
        path={`${at}.delay_sec`}
        value={action.delay}
        problem={problemAt(`${at}.delay_sec`)}
        onChange={(delay) => onChange({ delay })}
      />
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
