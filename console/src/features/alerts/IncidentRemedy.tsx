// The one thing that helps against an incident. Nothing is done here: it leads to where a person does it and confirms it.
import { useTranslation } from 'react-i18next';
import Go from '~icon/ArrowRight';
import { useMay } from '../../api/permissions';
import { pathOf } from '../../api/verdict';
import { useDomain } from '../../i18n/domain';
import { useFormat } from '../../i18n/format';
import { useVerdictWords } from '../../i18n/verdict';
import { Link } from '../../screen/Link';
import { Panel } from '../../ui/Panel';
import classes from './Incident.module.css';
import type { Incident, Remedy } from './incident';

/** How long manual control offers, in minutes. */
const MINUTES = 30;

export function Helps({ remedy, incident }: { remedy: Remedy; incident: Incident }) {
  const { t } = useTranslation();
  const words = useDomain();
  const verdict = useVerdictWords();
  const format = useFormat();
  const may = useMay();
  if (remedy.kind === 'switch_on') {
    if (!may('devices:command')) return null;
    const { id, name } = remedy.device;
    const search = new URLSearchParams({ device: id, minutes: `${MINUTES}` });
    return (
      <Panel title={t('incident.helps')} hint={t('incident.confirmThere')}>
        <Link className={classes['remedy'] ?? ''} to={`/automation/manual?${search}`}>
          {t('incident.switchOn', { device: name || id, minutes: format.count(MINUTES) })}
          <Go size={20} aria-hidden />
        </Link>
      </Panel>
    );
  }
  const { reason } = remedy;
  const to = pathOf(reason);
  const act = t(`verdict.act.${reason.act}`);
  return (
    <Panel title={t('incident.helps')} hint={verdict.sentence(words.placePath(incident.place), reason)}>
      {to === undefined ? (
        <p>{act}</p>
      ) : (
        <Link className={classes['remedy'] ?? ''} to={to}>
          {act}
          <Go size={20} aria-hidden />
        </Link>
      )}
    </Panel>
  );
}
