// Turns the pages of the log.
import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import Previous from '~icon/ChevronLeft';
import Next from '~icon/ChevronRight';
import { useFormat } from '../../i18n/format';
import classes from './Pager.module.css';
import { entryRange, pageCount, pageWindow } from './pages';

interface Props {
  page: number;
  pageSize: number;
  entries: number;
  onTurn: (page: number) => void;
}

export function Pager({ page, pageSize, entries, onTurn }: Props) {
  const { t } = useTranslation();
  const format = useFormat();
  const pages = pageCount(entries, pageSize);
  const { first, last } = entryRange(page, pageSize, entries);
  return (
    <div className={classes['pager']}>
      <p>
        {t('logs.range', {
          first: format.count(first),
          last: format.count(last),
          entries: format.count(entries),
        })}
      </p>
      <nav aria-label={t('logs.pages')} className={classes['turn']}>
        <Button
          className={classes['step'] ?? ''}
          variant="default"
          leftSection={<Previous size={20} aria-hidden />}
          disabled={page <= 1}
          onClick={() => onTurn(page - 1)}
        >
          {t('logs.previous')}
        </Button>
        <ul>
          {pageWindow(page, pages).map((number) => (
            <li key={number}>
              <button
                type="button"
                aria-label={t('logs.page', { page: format.count(number) })}
                aria-current={number === page ? 'page' : undefined}
                onClick={() => onTurn(number)}
              >
                {format.count(number)}
              </button>
            </li>
          ))}
        </ul>
        <Button
          className={classes['step'] ?? ''}
          variant="default"
          rightSection={<Next size={20} aria-hidden />}
          disabled={page >= pages}
          onClick={() => onTurn(page + 1)}
        >
          {t('logs.next')}
        </Button>
      </nav>
    </div>
  );
}
