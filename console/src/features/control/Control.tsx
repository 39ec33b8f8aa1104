// Manual control (spec 2.18): the devices on the left, the chosen one's panel on the right; on a phone the panel is a step
// of its own, and the way back leads to the same place in the list.
import { Skeleton } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation, useNavigate, useSearchParams } from 'react-router';
import Groups from '~icon/CirclesRelation';
import Choose from '~icon/HandClick';
import { useMay } from '../../api/permissions';
import { devicesQuery, polyhousesQuery, rulesQuery } from '../../api/queries';
import { useDomain } from '../../i18n/domain';
import { failedLoad } from '../../i18n/failure';
import type { Device } from '../../screen/device';
import { Link } from '../../screen/Link';
import { ToFirstHour } from '../../screen/ToFirstHour';
import { useDialog } from '../../screen/useDialog';
import { Banner } from '../../ui/Banner';
import { Empty } from '../../ui/Empty';
import { later } from '../../ui/later';
import { Sheet } from '../../ui/Sheet';
import classes from './Control.module.css';
import { ControlPanel } from './ControlPanel';
import { DeviceCard } from './DeviceCard';
import { DeviceList } from './DeviceList';
import { everything, type Filter } from './filter';

const LimitsForm = later(async () => (await import('./LimitsForm')).LimitsForm);

/** While an amount of the day is being used up: its bar follows. */
const COUNTING_MS = 15_000;

/** From here on list and panel stand side by side (the same width as in Control.module.css). */
const WIDE = '(min-width: 62em)';

interface Props {
  farmId: string;
  /** A device's locks; in its panel also the way to put one on. */
  locks: (device: Device, adding: boolean) => ReactNode;
}

export function Control({ farmId, locks }: Props) {
  const { t } = useTranslation();
  const words = useDomain();
  const may = useMay();
  const wide = useMediaQuery(WIDE, undefined, { getInitialValueInEffect: false });
  const { chosenId, choose, back } = useChosen(wide);
  const side = useRef<HTMLElement>(null);
  // Who chose a device, here or where a link led from, goes on in its panel; Escape leads back to the list.
  useEffect(() => {
    if (chosenId !== null) side.current?.focus({ preventScroll: true });
  }, [chosenId]);
  const [filter, setFilter] = useState<Filter>(everything);
  const devices = useQuery({
    ...devicesQuery(farmId),
    refetchInterval: ({ state }) => (state.data?.some(isCounted) ? COUNTING_MS : false),
  });
  const limiting = useDialog('limits');
  const mayLimit = may('assets:write');
  const polyhouses = useQuery(polyhousesQuery(farmId)).data;
  const rules = useQuery(rulesQuery(farmId)).data;
  const command = may('devices:command');
  const admin = may('devices:command_freely');
  const chosen = command ? devices.data?.find(({ id }) => id === chosenId) : undefined;
  const limited = devices.data?.find(({ id }) => mayLimit && id === limiting.editId);
  const panel = chosen && (
    // A device of its own key: another one starts with an empty form and no result.
    <ControlPanel
      key={chosen.id}
      farmId={farmId}
      device={chosen}
      place={words.placePath(chosen.scope, polyhouses)}
      admin={admin}
      devices={devices.data ?? []}
      onLimits={mayLimit ? () => limiting.edit(chosen.id) : undefined}
      locks={locks(chosen, true)}
    />
  );

  return (
    <div className={classes['page']} data-panelled={command}>
      <header className={classes['head']}>
        <h1>{t('control.title')}</h1>
        <Link className={classes['link'] ?? ''} to="/automation/groups">
          <Groups size={20} aria-hidden />
          {t('limits.ofGroups.title')}
        </Link>
      </header>
      {!command && <Banner tone="quiet" text={t('control.readOnly')} />}
      {devices.isError && <Banner {...failedLoad(t, devices, t('control.failed'))} />}
      <div className={classes['columns']}>
        <div className={classes['list']}>
          {devices.isPending && <Loading />}
          {devices.data?.length === 0 && (
            <Empty title={t('control.none')} action={<ToFirstHour />}>
              {t('control.noneHint')}
            </Empty>
          )}
          {devices.data && devices.data.length > 0 && (
            <DeviceList
              devices={devices.data}
              polyhouses={polyhouses}
              filter={filter}
              onFilter={setFilter}
              card={(device, place, isRow) => (
                <DeviceCard
                  key={device.id}
                  farmId={farmId}
                  device={device}
                  place={place}
                  isRow={isRow}
                  rules={rules}
                  command={command}
                  admin={admin}
                  devices={devices.data}
                  onLimits={mayLimit ? () => limiting.edit(device.id) : undefined}
                  chosen={device.id === chosen?.id}
                  locks={locks(device, false)}
                  onChoose={choose}
                />
              )}
            />
          )}
        </div>
        {command && wide && (devices.data || devices.isPending) && (
          <section
            ref={side}
            className={classes['side']}
            aria-label={chosen?.name ?? t('control.select')}
            tabIndex={-1}
            onKeyDown={(event) => {
              if (event.key !== 'Escape' || event.defaultPrevented || !chosen) return;
              back();
              document
                .querySelector<HTMLElement>(`[data-device=${JSON.stringify(chosen.id)}] h3 button`)
                ?.focus();
            }}
          >
            {chosen ? <h2>{chosen.name}</h2> : <Unchosen />}
            {panel}
          </section>
        )}
      </div>
      {command && !wide && (
        <Sheet
          opened={chosen !== undefined}
          onBack={back}
          title={chosen?.name ?? t('control.select')}
          backLabel={t('control.back')}
        >
          {panel}
        </Sheet>
      )}
      {limited && (
        <LimitsForm
          key={limited.id}
          farmId={farmId}
          opened
          onClose={limiting.close}
          device={limited}
          devices={devices.data ?? []}
        />
      )}
    </div>
  );
}

/** Whether an amount of the day is being used up. */
const isCounted = ({ limits, on_since }: Device) =>
  on_since !== null && (limits?.ml_per_day != null || limits?.sec_per_day != null);

/** The chosen device stands in the address: a link may name it, and the browser's own way back closes its step. */
function useChosen(wide: boolean) {
  const [search, setSearch] = useSearchParams();
  const navigate = useNavigate();
  const { state } = useLocation();
  const choose = (id: string) =>
    setSearch({ device: id }, { replace: wide, state: { step: !wide }, preventScrollReset: true });
  const back = () => {
    if (state?.step) navigate(-1);
    else setSearch({}, { replace: true, preventScrollReset: true });
  };
  return { chosenId: search.get('device'), choose, back };
}

function Unchosen() {
  const { t } = useTranslation();
  return (
    <div className={classes['empty']}>
      <Choose size={56} stroke={1.3} aria-hidden />
      <h2>{t('control.select')}</h2>
      <p>{t('control.selectHint')}</p>
    </div>
  );
}

function Loading() {
  const { t } = useTranslation();
  return (
    <>
      <p role="status">{t('control.loading')}</p>
      <div className={classes['cards']} aria-hidden>
        {['a', 'b', 'c', 'd'].map((key) => (
          <Skeleton key={key} height={132} radius="lg" />
        ))}
      </div>
    </>
  );
}
