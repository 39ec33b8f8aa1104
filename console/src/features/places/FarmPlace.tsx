// Where the farm is: typed, or where this phone is.
import { Button, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import Here from '~icon/CurrentLocation';
import { api } from '../../api/client';
import type { Farm } from '../../api/farms';
import { keys } from '../../api/keys';
import { FormDialog } from '../../screen/FormDialog';
import { Banner } from '../../ui/Banner';

/** How long a phone may look for where it is. */
const LOOKS_MS = 20_000;
/** A ten-thousandth of a degree is 11 m: a phone's place needs no more digits. */
const PARTS = 10_000;

interface Props {
  farm: Farm;
  opened: boolean;
  onClose: () => void;
}

const rounded = (value: number) => String(Math.round(value * PARTS) / PARTS);

/** What was typed, with a comma or a point; nothing where it is no number. */
export function degrees(text: string): number | undefined {
  const value = Number(text.trim().replace(',', '.').replace('−', '-'));
  return text.trim() !== '' && Number.isFinite(value) ? value : undefined;
}

/** Whether a field is left empty or holds a number of degrees. */
function isFine(text: string, most: number): boolean {
  const value = degrees(text);
  return text.trim() === '' || (value !== undefined && Math.abs(value) <= most);
}

export function FarmPlace({ farm, opened, onClose }: Props) {
  const { t } = useTranslation();
  const cache = useQueryClient();
  return (
    <FormDialog
      farmId={farm.id}
      opened={opened}
      onClose={onClose}
      title={t('places.farmPlace')}
      failed={t('places.saveFailed')}
      known={farm}
      values={(known) => ({
        lat: known?.position ? String(known.position.lat) : '',
        lng: known?.position ? String(known.position.lng) : '',
      })}
      check={({ lat, lng }) => ({
        lat: !isFine(lat, 90) && t('places.latitudeWrong'),
        lng: isFine(lng, 180)
          ? (lat.trim() === '') !== (lng.trim() === '') && t('places.bothOrNone')
          : t('places.longitudeWrong'),
      })}
      save={async (typed, _, headers) => {
        const [lat, lng] = [degrees(typed.lat), degrees(typed.lng)];
        const saved = await api.PUT('/api/farms/{farmId}/position', {
          params: { path: { farmId: farm.id } },
          headers,
          body: { position: lat === undefined || lng === undefined ? null : { lat, lng } },
        });
        void cache.invalidateQueries({ queryKey: keys.farms });
        return saved;
      }}
    >
      {(form) => (
        <>
          <p>{t('places.farmPlaceHint')}</p>
          <UsePhone
            onFound={({ latitude, longitude }) =>
              form.setValues({ lat: rounded(latitude), lng: rounded(longitude) })
            }
          />
          <TextInput
            label={t('places.latitude')}
            name="lat"
            inputMode="text"
            autoComplete="off"
            {...form.getInputProps('lat')}
          />
          <TextInput
            label={t('places.longitude')}
            name="lng"
            inputMode="text"
            autoComplete="off"
            {...form.getInputProps('lng')}
          />
          <p>{t('places.timeZone', { zone: farm.timezone })}</p>
        </>
      )}
    </FormDialog>
  );
}

function UsePhone({ onFound }: { onFound: (coords: GeolocationCoordinates) => void }) {
  const { t } = useTranslation();
  const [state, setState] = useState<'looking' | 'failed'>();
  // A page that is not served over https has none.
  if (!('geolocation' in navigator) || !window.isSecureContext) return null;
  const look = () => {
    setState('looking');
    navigator.geolocation.getCurrentPosition(
      ({ coords }) => {
        setState(undefined);
        onFound(coords);
      },
      () => setState('failed'),
      { enableHighAccuracy: false, timeout: LOOKS_MS, maximumAge: 600_000 },
    );
  };
  return (
    <>
      <Button
        variant="default"
        leftSection={<Here size={22} aria-hidden />}
        loading={state === 'looking'}
        onClick={look}
      >
        {t('places.useThisPlace')}
      </Button>
      {state === 'failed' && <Banner tone="warn" text={t('places.placeNotFound')} />}
    </>
  );
}
