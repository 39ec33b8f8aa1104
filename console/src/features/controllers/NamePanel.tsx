// Names a sensor or a device and says where it is: a tap for the place, a tap for the name.
import { Button, NativeSelect, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { answer, api, ifMatch } from '../../api/client';
import { farmKey } from '../../api/keys';
import type { components } from '../../api/schema';
import { type Place, useDomain } from '../../i18n/domain';
import { failureText } from '../../i18n/failure';
import { useFormat } from '../../i18n/format';
import { allPlaces, isWithin, placeKey } from '../../screen/place';
import { Banner } from '../../ui/Banner';
import { Choices } from '../../ui/Choices';
import formClasses from '../../ui/form.module.css';
import { Panel } from '../../ui/Panel';
import classes from './Found.module.css';
import { suggestedNames } from './naming';

/** A sensor or a device of the controller. */
export interface Thing {
  kind: 'sensor' | 'device';
  id: string;
  name: string | null;
  /** Its kind in words. */
  what: string;
  scope: Place;
  etag: string;
}

interface Props {
  farmId: string;
  thing: Thing;
  title: string;
  hint: string;
  /** Above the choices: why it is asked. */
  about?: ReactNode;
  polyhouses: readonly components['schemas']['Polyhouse'][];
  /** The house of its controller: its places come first. */
  house: string | null;
  /** The names in use on the farm. */
  taken: readonly string[];
  onNamed: (name: string) => void;
  onClose: () => void;
}

export function NamePanel({
  farmId,
  thing,
  title,
  hint,
  about,
  polyhouses,
  house,
  taken,
  onNamed,
  onClose,
}: Props) {
  const { t } = useTranslation();
  const { count } = useFormat();
  const domain = useDomain();
  const cache = useQueryClient();
  const [place, setPlace] = useState(placeKey(thing.scope));
  const [typed, setTyped] = useState('');
  const panel = useRef<HTMLDivElement>(null);
  // It comes by itself while the phone lies beside the sensor.
  useEffect(() => {
    // Newer browsers answer with a promise, which is nothing to be called when the panel goes.
    panel.current?.scrollIntoView({ block: 'nearest' });
  }, []);

  const save = useMutation({
    mutationFn: (name: string) => {
      const scope = places.find((each) => placeKey(each) === place);
      const body = { name, ...(scope && placeKey(thing.scope) !== place && { scope }) };
      const headers = ifMatch(thing);
      return answer<unknown>(
        thing.kind === 'device'
          ? api.PATCH('/api/farms/{farmId}/devices/{deviceId}', {
              params: { path: { farmId, deviceId: thing.id } },
              headers,
              body,
            })
          : api.PATCH('/api/farms/{farmId}/sensors/{sensorId}', {
              params: { path: { farmId, sensorId: thing.id } },
              headers,
              body,
            }),
      );
    },
    onSuccess: (_, name) => onNamed(name),
    onSettled: () => cache.invalidateQueries({ queryKey: farmKey(farmId) }),
  });

  const places = allPlaces(polyhouses);
  const near = places.filter((each) =>
    house === null
      ? each.type !== 'zone'
      : isWithin(each, { type: 'polyhouse', polyhouseId: house }, polyhouses),
  );
  const far = places.filter((each) => !near.includes(each));
  const nearHas = near.some((each) => placeKey(each) === place);
  const label = (each: Place) =>
    // Within the controller's own house a zone's own name is enough.
    house !== null && each.type === 'zone'
      ? (domain.placeNames(each, polyhouses).at(-1) ?? '')
      : domain.placePath(each, polyhouses);
  const names = suggestedNames(
    t,
    count,
    thing.what,
    taken.filter((name) => name !== thing.name),
  );
  const own = typed.trim();

  return (
    <div ref={panel} className={classes['naming']} data-naming={thing.id}>
      <Panel title={title} hint={hint}>
        {about}
        <Choices
          label={t('controllers.whereIsIt')}
          name="scope"
          choices={near.map((each) => ({ value: placeKey(each), label: label(each) }))}
          value={place}
          onChange={setPlace}
        />
        {far.length > 0 && (
          <NativeSelect
            label={t('controllers.elsewhere')}
            value={nearHas ? '' : place}
            onChange={(event) => setPlace(event.currentTarget.value || placeKey(thing.scope))}
            data={[
              { value: '', label: t('controllers.notElsewhere') },
              ...far.map((each) => ({ value: placeKey(each), label: domain.placePath(each, polyhouses) })),
            ]}
          />
        )}
        {/* biome-ignore lint/a11y/useSemanticElements: buttons that belong together, not fields */}
        <div role="group" aria-label={t('controllers.saveAs')} className={classes['names']}>
          <p aria-hidden>{t('controllers.saveAs')}</p>
          {thing.name && !names.includes(thing.name) && (
            <Button variant="light" disabled={save.isPending} onClick={() => save.mutate(thing.name ?? '')}>
              {thing.name}
            </Button>
          )}
          {names.map((name) => (
            <Button key={name} variant="light" disabled={save.isPending} onClick={() => save.mutate(name)}>
              {name}
            </Button>
          ))}
        </div>
        <form
          className={classes['own']}
          onSubmit={(event) => {
            event.preventDefault();
            if (own) save.mutate(own);
          }}
        >
          <TextInput
            label={t('controllers.ownName')}
            maxLength={120}
            autoComplete="off"
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
          />
          <Button type="submit" variant="default" disabled={save.isPending || own === ''}>
            {t('form.save')}
          </Button>
        </form>
        {save.isError && <Banner tone="bad" text={failureText(t, save.error, t('places.saveFailed'))} />}
        <div className={formClasses['links']}>
          <button type="button" className={formClasses['text']} onClick={onClose}>
            {t('controllers.later')}
          </button>
        </div>
      </Panel>
    </div>
  );
}
