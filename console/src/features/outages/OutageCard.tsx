// One outage: what, from when to when, and what was missed, ended and sent again.
import { useTranslation } from 'react-i18next';
import NoPower from '~icon/BoltOff';
import NoContact from '~icon/PlugConnectedX';
import ServerOff from '~icon/ServerOff';
import { useDomain } from '../../i18n/domain';
import { useFormat } from '../../i18n/format';
import { useVerdictWords } from '../../i18n/verdict';
import classes from './Outages.module.css';
import { type Outage, rounded } from './queries';

const icons = { server: ServerOff, controller: NoContact, power: NoPower } as const;
const kinds = ['missed', 'ended', 'resumed'] as const;

export function OutageCard({ outage }: { outage: Outage }) {
  const { t } = useTranslation();
  const format = useFormat();
  const domain = useDomain();
  const words = useVerdictWords();
  const { kind, name, from, until, devices, consequences, more } = outage;
  const Glyph = icons[kind];
  const seconds = rounded(((until ?? Date.now()) - from) / 1_000);
  const waited = outage.heldOn.length + outage.holdsLost.length;
  return (
    <article className={classes['card']} data-outage={kind} data-goes-on={until === null || undefined}>
      <header>
        <Glyph size={24} aria-hidden />
        <div>
          <h2>{name === null ? t(`outages.kind.${kind}`) : `${t(`outages.kind.${kind}`)}: ${name}`}</h2>
          <p>
            {until === null
              ? t('outages.goesOn', { from: words.instant(from) })
              : t('outages.fromTo', { from: words.instant(from), until: words.instant(until) })}
            {' · '}
            {domain.duration(seconds)}
          </p>
        </div>
      </header>
      {outage.with > 0 && (
        <p>{t('outages.with', { count: outage.with, value: format.count(outage.with) })}</p>
      )}
      {devices.length > 0 && <p>{t('outages.devices', { names: format.list(devices) })}</p>}
      {outage.heldOn.length > 0 && <p>{t('outages.heldOn', { names: format.list(outage.heldOn) })}</p>}
      {outage.holdsLost.length > 0 && (
        <p>{t('outages.holdsLost', { names: format.list(outage.holdsLost) })}</p>
      )}
      {kinds.map((each) => {
        const own = consequences.filter((one) => one.kind === each);
        if (own.length === 0) return null;
        return (
          <section key={each} data-consequence={each}>
            <h3>{t(`outages.${each}`)}</h3>
            <ul>
              {own.map(({ entry }) => (
                <li key={entry.id}>
                  <span>{entry.action}</span>
                  <small>
                    {[format.clock(new Date(entry.timestamp)), entry.userName, entry.errorMessage]
                      .filter(Boolean)
                      .join(' · ')}
                  </small>
                </li>
              ))}
            </ul>
          </section>
        );
      })}
      {more > 0 && <p>{t('outages.more', { count: more, value: format.count(more) })}</p>}
      {consequences.length === 0 && waited === 0 && <p>{t('outages.nothing')}</p>}
    </article>
  );
}
