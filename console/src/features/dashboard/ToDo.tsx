// What to do: every further reason of the farm's verdict with the act that helps, in the server's order.
import { useTranslation } from 'react-i18next';
import Go from '~icon/ChevronRight';
import { pathOf, useVerdict } from '../../api/verdict';
import { useFormat } from '../../i18n/format';
import { useVerdictWords } from '../../i18n/verdict';
import { Link } from '../../screen/Link';
import classes from './ToDo.module.css';
import { placeOf, toDo } from './today';

export function ToDo({ farmId }: { farmId: string }) {
  const { t } = useTranslation();
  const format = useFormat();
  const words = useVerdictWords();
  const judged = useVerdict(farmId);
  if (judged.state !== 'known') return null;
  const { verdict } = judged;
  const { reasons, more } = verdict.farm;
  const left = toDo(reasons);
  if (left.length + more === 0) return null;
  return (
    <section className={classes['todo']} id="to-do" tabIndex={-1} aria-labelledby="to-do-title">
      <h2 id="to-do-title">{t('today.todo')}</h2>
      <ol>
        {left.map((reason, at) => {
          const text = words.sentence(placeOf(verdict, reason, t('domain.place.farm')), reason);
          const to = pathOf(reason);
          const said = (
            <span>
              {text} <small>{t(`verdict.act.${reason.act}`)}</small>
            </span>
          );
          return (
            <li key={text} data-reason={reason.what.kind}>
              {to === undefined ? (
                said
              ) : (
                <Link to={to} data-nth={format.count(at + 1)}>
                  {said}
                  <Go size={22} aria-hidden />
                </Link>
              )}
            </li>
          );
        })}
        {more > 0 && <li>{t('verdict.more', { count: more, value: format.count(more) })}</li>}
      </ol>
    </section>
  );
}
